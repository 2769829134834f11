/* SPDX-License-Identifier: MIT */
/* Senders that number their records, and offsets that are safe. */
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dedup.h"
#include "hosts.h"
#include "partition.h"

/* --- Senders -------------------------------------------------------------- */

static struct mc_dedup_id id(const char *name, uint64_t number)
{
	struct mc_dedup_id made = { .number = number };

	snprintf(made.name, sizeof(made.name), "%s", name);
	return made;
}

static bool take(struct dedup *dedup, const char *name, uint64_t number)
{
	struct mc_dedup_id made = id(name, number);

	return dedup_take(dedup, &made);
}

static void store(struct dedup *dedup, const char *name, uint64_t number)
{
	struct mc_dedup_id made = id(name, number);

	dedup_store(dedup, &made);
}

static void test_repetitions_are_known(void **state)
{
	struct dedup dedup;

	(void)state;
	dedup_init(&dedup, 10);
	assert_true(take(&dedup, "a/1", 5));
	assert_false(take(&dedup, "a/1", 5));
	assert_true(take(&dedup, "a/1", 9)); /* While 5 is under way. */
	assert_false(take(&dedup, "a/1", 7));
	assert_true(take(&dedup, "b/1", 7));
	assert_true(take(&dedup, "a/2", 1)); /* A new run. */
	assert_false(take(&dedup, "a/2", 1));
	dedup_done(&dedup);
}

static void test_journal_is_known(void **state)
{
	struct dedup dedup;

	(void)state;
	dedup_init(&dedup, 10);
	assert_null(dedup_stored(&dedup, "a"));
	store(&dedup, "a/1", 5);
	assert_false(take(&dedup, "a/1", 5));
	assert_true(take(&dedup, "a/1", 6));
	assert_int_equal(dedup_stored(&dedup, "a")->number, 5);
	assert_string_equal(dedup_stored(&dedup, "a")->name, "a/1");
	dedup_done(&dedup);
}

static void test_unsafe_numbers_come_again(void **state)
{
	struct dedup dedup;

	(void)state;
	dedup_init(&dedup, 10);
	assert_true(take(&dedup, "a/1", 5));
	store(&dedup, "a/1", 5);
	assert_true(take(&dedup, "a/1", 6));
	assert_true(take(&dedup, "b/1", 3));
	assert_true(take(&dedup, "c/1", 3));
	store(&dedup, "c/1", 3);
	assert_true(take(&dedup, "c/2", 1));
	dedup_take_back(&dedup);
	assert_false(take(&dedup, "a/1", 5));
	assert_true(take(&dedup, "a/1", 6));
	assert_true(take(&dedup, "b/1", 3));
	assert_true(take(&dedup, "c/2", 1));
	dedup_done(&dedup);
}

static void test_longest_unheard_is_forgotten(void **state)
{
	struct dedup dedup;

	(void)state;
	dedup_init(&dedup, 2);
	assert_true(take(&dedup, "a/1", 5));
	assert_true(take(&dedup, "b/1", 5));
	assert_false(take(&dedup, "a/1", 5));
	assert_true(take(&dedup, "c/1", 5)); /* Instead of b. */
	assert_false(take(&dedup, "a/1", 5));
	assert_true(take(&dedup, "b/1", 5));
	dedup_done(&dedup);
}

/* --- Hosts ---------------------------------------------------------------- */

static void add_name(void *argument, const char *host)
{
	char *names = argument;

	memcpy(names + strlen(names), host, strlen(host) + 1);
}

/* Each host is of the partition of its last value. */
static void test_hosts_of_a_partition(void **state)
{
	struct partition first = { .number = 1 }, second = { .number = 2 };
	struct hosts hosts;
	char names[16] = "";

	(void)state;
	hosts_init(&hosts, 3);
	assert_false(hosts_note(&hosts, "a", &first));
	assert_false(hosts_note(&hosts, "b", &second));
	assert_false(hosts_note(&hosts, "c", &first));
	assert_false(hosts_note(&hosts, "c", &second)); /* It has moved. */
	hosts_leave(&hosts, &second, add_name, names);
	assert_string_equal(names, "bc");
	hosts_leave(&hosts, &second, add_name, names); /* Once. */
	assert_string_equal(names, "bc");
	assert_true(hosts_note(&hosts, "c", &first));
	assert_false(hosts_note(&hosts, "c", &first));
	hosts_return(&hosts, &second, add_name, names);
	assert_string_equal(names, "bcb");
	assert_false(hosts_note(&hosts, "b", &second));
	assert_false(hosts_note(&hosts, "d", &first)); /* Instead of a. */
	hosts_leave(&hosts, &first, add_name, names);
	assert_string_equal(names, "bcbcd");
	hosts_done(&hosts);
}

/* --- Offsets -------------------------------------------------------------- */

static struct piece *begin(struct partition *partition, int64_t offset)
{
	assert_true(partition_read(partition, offset));
	return partition_begin(partition);
}

/* Frees the pieces that are settled, and returns how many there were. */
static unsigned settle(struct partition *partition)
{
	struct piece *next;
	unsigned len = 0;

	for (struct piece *piece = partition_settle(partition); piece != NULL; piece = next) {
		next = piece->next;
		free(piece);
		len++;
	}
	return len;
}

static void finish(struct piece *piece, int rc)
{
	piece->rc = rc;
	piece->done = true;
}

static void test_offsets_are_safe_in_order(void **state)
{
	struct partition partition = { .topic = "t" };
	struct piece *first, *second, *third;

	(void)state;
	assert_false(partition_read(&partition, 7)); /* It is not assigned. */
	partition_assign(&partition);
	first = begin(&partition, 7);
	assert_int_equal(partition.safe, 7);
	second = begin(&partition, 9);
	third = begin(&partition, 10);
	finish(second, 0);
	assert_int_equal(settle(&partition), 0);
	assert_int_equal(partition.safe, 7);
	finish(first, -ENOTSUP); /* There is no journal. */
	assert_int_equal(settle(&partition), 2);
	assert_int_equal(partition.safe, 10);
	assert_true(partition_read(&partition, 11));
	partition_extend(&partition, 100);
	assert_true(partition_read(&partition, 12));
	partition_pass(&partition); /* As a record that is known. */
	assert_int_equal(partition.safe, 10);
	finish(third, 0);
	assert_int_equal(settle(&partition), 1);
	assert_int_equal(partition.safe, 13);
	assert_true(partition_read(&partition, 13));
	partition_pass(&partition);
	assert_int_equal(partition.safe, 14);
}

static void test_after_a_failure_it_reads_again(void **state)
{
	struct partition partition = { .topic = "t" };
	struct piece *first, *second;

	(void)state;
	partition_assign(&partition);
	first = begin(&partition, 7);
	second = begin(&partition, 8);
	finish(first, -EIO);
	assert_int_equal(settle(&partition), 1);
	assert_true(partition.again);
	assert_false(partition_read(&partition, 9));
	finish(second, 0);
	assert_int_equal(settle(&partition), 1);
	assert_int_equal(partition.safe, 7);
	partition_go_on(&partition, partition.safe);
	assert_false(partition.again);
	finish(begin(&partition, 7), 0);
	assert_int_equal(settle(&partition), 1);
	assert_int_equal(partition.safe, 8);
}

/* Where a topic was made anew offsets are smaller: they are to be committed, too. */
static void test_goes_back(void **state)
{
	struct partition partition = { .topic = "t" };

	(void)state;
	partition_assign(&partition);
	assert_true(partition_read(&partition, 100));
	partition_pass(&partition);
	partition.told = 101;
	partition.reset = true;
	assert_false(partition_read(&partition, 101));
	partition_go_on(&partition, 0);
	assert_true(partition_read(&partition, 0));
	partition_pass(&partition);
	assert_true(partition.safe > partition.told);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hosts_of_a_partition),
		cmocka_unit_test(test_repetitions_are_known),
		cmocka_unit_test(test_journal_is_known),
		cmocka_unit_test(test_unsafe_numbers_come_again),
		cmocka_unit_test(test_longest_unheard_is_forgotten),
		cmocka_unit_test(test_offsets_are_safe_in_order),
		cmocka_unit_test(test_after_a_failure_it_reads_again),
		cmocka_unit_test(test_goes_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
