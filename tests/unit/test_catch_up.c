/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "engine/write/durable/catch_up.h"

#define SAMPLES 10 /* Of every record. */

static struct mc_offset offset(uint64_t seq)
{
	return (struct mc_offset){ seq, SAMPLES * (seq - 1) };
}

static struct queue_item batch(uint64_t seq)
{
	return (struct queue_item){ .kind = QUEUE_BATCH, .records = 1, .offset = offset(seq) };
}

/* A writer that is at record 'next' of those before 'end'. */
static struct catch_up at(uint64_t next, uint64_t end)
{
	static struct cursor cursor = { .file = -1 };

	return (struct catch_up){ .cursor = &cursor,
				  .next = offset(next),
				  .end = offset(end),
				  .stored = offset(next),
				  .resume = offset(next),
				  .behind = next < end };
}

static void memory_is_taken_before_what_is_behind_it(void **state)
{
	struct catch_up catch_up = at(1, 1);
	struct mc_offset end = offset(3), limit;
	struct queue_item first = batch(1);

	(void)state;
	catch_up_offer(&catch_up, &end, true); /* 1 and 2 are in memory, */
	end = offset(6);
	catch_up_offer(&catch_up, &end, false); /* 3 to 5 only on disk. */
	assert_true(catch_up_is_next(&catch_up, &first));
	assert_false(catch_up_has(&catch_up, &first, &limit));
	assert_int_equal(catch_up_on_disk(&catch_up, &first), 3 * SAMPLES);
	end = offset(3);
	assert_int_equal(catch_up_skip(&catch_up, &end), 2 * SAMPLES);
	assert_true(catch_up_has(&catch_up, NULL, &limit));
	assert_int_equal(limit.seq, 6);
	assert_int_equal(catch_up_on_disk(&catch_up, NULL), 3 * SAMPLES);
}

static void disk_is_taken_before_a_batch_that_came_later(void **state)
{
	struct catch_up catch_up = at(4, 9);
	struct queue_item first = batch(9); /* Not in the journal. */
	struct mc_offset limit;

	(void)state;
	first.records = 0;
	assert_false(catch_up_is_next(&catch_up, &first));
	assert_true(catch_up_has(&catch_up, &first, &limit));
	assert_int_equal(limit.seq, 9);
	assert_int_equal(catch_up_on_disk(&catch_up, &first), 5 * SAMPLES);
	assert_int_equal(catch_up_skip(&catch_up, &limit), 5 * SAMPLES);
	assert_true(catch_up_is_next(&catch_up, &first));
	assert_false(catch_up_has(&catch_up, &first, &limit));
}

static void an_offset_behind_is_no_step(void **state)
{
	struct catch_up catch_up = at(4, 9);
	struct mc_offset back = offset(2);

	(void)state;
	assert_int_equal(catch_up_skip(&catch_up, &back), 0);
	assert_int_equal(catch_up.next.seq, 4);
	assert_int_equal(catch_up.next.samples, 3 * SAMPLES);
}

/* The quota takes records that wait in memory too, which costs nothing, and some of the later
 * ones, which are lost once. */
static void what_is_in_memory_outlives_the_quota(void **state)
{
	struct catch_up catch_up = at(1, 1);
	struct mc_offset end = offset(3), oldest = offset(8), limit;
	struct queue_item first = batch(1);

	(void)state;
	catch_up_offer(&catch_up, &end, true);
	end = offset(11);
	catch_up_offer(&catch_up, &end, false);
	assert_int_equal(catch_up_trim(&catch_up, &first, &oldest), 5 * SAMPLES);
	assert_int_equal(catch_up_trim(&catch_up, &first, &oldest), 0);
	assert_true(catch_up_is_next(&catch_up, &first));
	assert_int_equal(catch_up_on_disk(&catch_up, &first), 3 * SAMPLES);
	/* Memory is done with: it goes on after the lost records. */
	end = offset(3);
	assert_int_equal(catch_up_skip(&catch_up, &end), 2 * SAMPLES);
	assert_int_equal(catch_up.next.seq, 8);
	assert_int_equal(catch_up.next.samples, 7 * SAMPLES);
	assert_true(catch_up_has(&catch_up, NULL, &limit));
	assert_int_equal(catch_up_on_disk(&catch_up, NULL), 3 * SAMPLES);
}

static void the_quota_may_take_everything(void **state)
{
	struct catch_up catch_up = at(2, 7);
	struct mc_offset oldest = offset(7), limit;

	(void)state;
	assert_int_equal(catch_up_trim(&catch_up, NULL, &oldest), 5 * SAMPLES);
	assert_false(catch_up_has(&catch_up, NULL, &limit));
	assert_int_equal(catch_up_on_disk(&catch_up, NULL), 0);
}

static void without_a_journal_nothing_is_on_disk(void **state)
{
	struct catch_up catch_up = { 0 };
	struct queue_item first = { .kind = QUEUE_BATCH };
	struct mc_offset limit;

	(void)state;
	assert_true(catch_up_is_next(&catch_up, &first));
	assert_false(catch_up_has(&catch_up, &first, &limit));
	assert_false(catch_up_has(&catch_up, NULL, &limit));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_is_taken_before_what_is_behind_it),
		cmocka_unit_test(disk_is_taken_before_a_batch_that_came_later),
		cmocka_unit_test(an_offset_behind_is_no_step),
		cmocka_unit_test(what_is_in_memory_outlives_the_quota),
		cmocka_unit_test(the_quota_may_take_everything),
		cmocka_unit_test(without_a_journal_nothing_is_on_disk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
