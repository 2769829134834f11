/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/store/table.h"

/* Series as the table sees them: a name. */
static struct mc_series *make(const char *name)
{
	struct mc_series *series = calloc(1, sizeof(*series));

	series->name = strdup(name);
	series->name_size = strlen(name);
	return series;
}

static uint64_t hash_of(const struct mc_series *series)
{
	return table_hash(series->name, series->name_size);
}

static void unmake(struct mc_series *series)
{
	free((char *)series->name);
	free(series);
}

static void what_was_added_is_found_until_removed(void **state)
{
	enum { N = 5000 };
	static struct mc_series *series[N];
	struct table table;

	(void)state;
	table_init(&table);
	for (int i = 0; i < N; i++) {
		char name[32];

		snprintf(name, sizeof(name), "host/plugin-%d/gauge", i);
		series[i] = make(name);
		table_add(&table, hash_of(series[i]), series[i], 0);
	}
	assert_int_equal(table.len, N);
	for (int i = 0; i < N; i += 3)
		table_remove(&table, hash_of(series[i]), series[i]);
	for (int i = 0; i < N; i++)
		assert_ptr_equal(table_find(&table, hash_of(series[i]), series[i]->name,
					    series[i]->name_size),
				 i % 3 == 0 ? NULL : series[i]);
	for (int i = 0; i < N; i++)
		unmake(series[i]);
	table_done(&table);
}

/* How many series replaced rows have. */
static unsigned left_behind(const struct table *table)
{
	const struct table_rows *replaced = table->rows->replaced;
	unsigned left = 0;

	for (size_t i = 0; replaced != NULL && i < replaced->size; i++)
		left += replaced->entries[i].series != NULL;
	return left;
}

/* Each place has another series, and a look-up finds it there. */
static void assert_whole(const struct table *table)
{
	size_t seen = 0;

	for (size_t i = 0; i < table_size(table); i++) {
		const struct mc_series *series = table_at(table, i);

		seen += series != NULL;
		if (series != NULL)
			assert_int_equal(
				table_seek(table, hash_of(series), series->name, series->name_size),
				i);
	}
	assert_int_equal(seen, table->len);
}

/* Of a million at once the store would stand still for long. */
static void it_grows_piece_by_piece(void **state)
{
	enum { N = 7000, PIECE = 300 };
	static struct mc_series *series[N];
	struct table table;
	unsigned grows = 0, left = 0;

	(void)state;
	table_init(&table);
	for (unsigned i = 0; i < N; i++) {
		size_t size = table_size(&table), len = table.len;
		char name[32];

		snprintf(name, sizeof(name), "host/plugin-%u/gauge", i);
		series[i] = make(name);
		table_add(&table, hash_of(series[i]), series[i], i);
		if (table_size(&table) > size) {
			grows++;
			left = (unsigned)len;
		}
		assert_true(left_behind(&table) + PIECE >= left);
		left = left_behind(&table);
		if (left == 0 || i % 8 != 0)
			continue;
		assert_whole(&table);
		/* From before, of both rows, and the last one. */
		for (unsigned j = i % 5; j <= i; j += i - i % 5) {
			table_remove(&table, hash_of(series[j]), series[j]);
			assert_null(table_find(&table, hash_of(series[j]), series[j]->name,
					       series[j]->name_size));
			table_add(&table, hash_of(series[j]), series[j], i);
			if (i < 5)
				break;
		}
		left = left_behind(&table);
	}
	assert_int_equal(grows, 8); /* From 64 to 16384. */
	assert_int_equal(left, 0);
	assert_int_equal(table_size(&table), 16384);
	assert_whole(&table);
	for (unsigned i = 0; i < N; i++)
		unmake(series[i]);
	table_done(&table);
}

/* All hashes end in the same bits, around the end of the array. */
static void runs_survive_removals_across_the_end(void **state)
{
	struct mc_series *series[8];
	uint64_t hashes[8];
	struct table table;

	(void)state;
	table_init(&table);
	for (int i = 0; i < 8; i++) {
		char name[2] = { (char)('a' + i), '\0' };

		series[i] = make(name);
		hashes[i] = table_size(&table) - 3 + i / 3;
		table_add(&table, hashes[i], series[i], 0);
	}
	for (int gone = 0; gone < 8; gone++) {
		table_remove(&table, hashes[gone], series[gone]);
		for (int i = 0; i < 8; i++)
			assert_ptr_equal(table_find(&table, hashes[i], series[i]->name, 1),
					 i <= gone ? NULL : series[i]);
	}
	for (int i = 0; i < 8; i++)
		unmake(series[i]);
	table_done(&table);
}

static void equal_hashes_are_told_apart_by_name(void **state)
{
	struct mc_series *a = make("a"), *b = make("b");
	struct table table;

	(void)state;
	table_init(&table);
	table_add(&table, 7, a, 0);
	table_add(&table, 7, b, 0);
	assert_ptr_equal(table_find(&table, 7, "a", 1), a);
	assert_ptr_equal(table_find(&table, 7, "b", 1), b);
	assert_null(table_find(&table, 7, "c", 1));
	assert_null(table_find(&table, 7, "ab", 2));
	unmake(a);
	unmake(b);
	table_done(&table);
}

/* How often a copy has each of some series. */
static void count(const struct table_copy *copy, struct mc_series *const *series, unsigned len,
		  unsigned *times)
{
	memset(times, 0, len * sizeof(*times));
	for (size_t i = 0; i < copy->len; i++)
		for (unsigned n = 0; n < len; n++)
			times[n] += copy->series[i] == series[n];
}

/* It begins and ends while the table grows. */
static void a_copy_has_what_is_moved_once(void **state)
{
	enum { STAY = 3080, COME = 40 };
	static struct mc_series *series[STAY + COME];
	static unsigned times[STAY];
	struct table_copy copy = { 0 };
	unsigned len = 0;
	struct table table;

	(void)state;
	table_init(&table);
	do {
		for (unsigned more = len < STAY ? STAY : COME / 4; more > 0; more--, len++) {
			char name[16];

			snprintf(name, sizeof(name), "%u", len);
			series[len] = make(name);
			table_add(&table, hash_of(series[len]), series[len], 0);
		}
		assert_true(left_behind(&table) > 0);
	} while (table_copy_some(&table, &copy));
	count(&copy, series, STAY, times);
	for (unsigned i = 0; i < STAY; i++)
		assert_int_equal(times[i], 1);
	free(copy.series);
	for (unsigned i = 0; i < len; i++)
		unmake(series[i]);
	table_done(&table);
}

/* Between two pieces others are removed, which moves those after them, and added, so that the
 * table grows twice. */
static void a_copy_in_pieces_has_what_stays_once(void **state)
{
	enum { STAY = 1500, GO = 4500, COME = 400 };
	static struct mc_series *stay[STAY], *go[GO], *come[64 * COME];
	static unsigned times[GO];
	struct table_copy copy = { 0 };
	unsigned gone = 0, came = 0, pieces = 1;
	struct table table;
	char name[32];

	(void)state;
	table_init(&table);
	for (unsigned i = 0; i < GO; i++) {
		snprintf(name, sizeof(name), "go %u", i);
		go[i] = make(name);
		table_add(&table, hash_of(go[i]), go[i], 0);
		if (i % 3 != 0)
			continue;
		snprintf(name, sizeof(name), "stay %u", i / 3);
		stay[i / 3] = make(name);
		table_add(&table, hash_of(stay[i / 3]), stay[i / 3], 0);
	}
	assert_int_equal(table_size(&table), 8192);
	for (; table_copy_some(&table, &copy); pieces++) {
		for (unsigned i = 0; i < GO / 8; i++, gone++)
			table_remove(&table, hash_of(go[gone]), go[gone]);
		for (unsigned i = 0; i < 8 * COME; i++, came++) {
			snprintf(name, sizeof(name), "come %u", came);
			come[came] = make(name);
			table_add(&table, hash_of(come[came]), come[came], 0);
		}
	}
	assert_int_equal(pieces, 8);
	assert_int_equal(table_size(&table), 32768);
	count(&copy, stay, STAY, times);
	for (unsigned i = 0; i < STAY; i++)
		assert_int_equal(times[i], 1);
	count(&copy, go, GO, times);
	for (unsigned i = 0; i < GO; i++)
		assert_in_range(times[i], i < gone ? 0 : 1, 1);
	free(copy.series);
	for (unsigned i = 0; i < STAY; i++)
		unmake(stay[i]);
	for (unsigned i = 0; i < GO; i++)
		unmake(go[i]);
	for (unsigned i = 0; i < came; i++)
		unmake(come[i]);
	table_done(&table);
}

/* Those at its begin whose hash ends in the bits of its end. */
static void a_copy_has_runs_across_the_end_once(void **state)
{
	struct table_copy copy = { 0 };
	struct mc_series *series[8];
	unsigned times[8];
	struct table table;

	(void)state;
	table_init(&table);
	for (int i = 0; i < 8; i++) {
		char name[2] = { (char)('a' + i), '\0' };

		series[i] = make(name);
		table_add(&table, table_size(&table) - 3 + i / 3, series[i], 0);
	}
	assert_false(table_copy_some(&table, &copy));
	assert_int_equal(copy.len, 8);
	count(&copy, series, 8, times);
	for (int i = 0; i < 8; i++) {
		assert_int_equal(times[i], 1);
		unmake(series[i]);
	}
	free(copy.series);
	table_done(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_added_is_found_until_removed),
		cmocka_unit_test(it_grows_piece_by_piece),
		cmocka_unit_test(runs_survive_removals_across_the_end),
		cmocka_unit_test(equal_hashes_are_told_apart_by_name),
		cmocka_unit_test(a_copy_has_what_is_moved_once),
		cmocka_unit_test(a_copy_in_pieces_has_what_stays_once),
		cmocka_unit_test(a_copy_has_runs_across_the_end_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
