/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "engine/backlog.h"

#define SAMPLES 10 /* Of every record. */

static struct queue_place place(uint64_t seq)
{
	return (struct queue_place){ seq, SAMPLES * (seq - 1) };
}

static struct queue_item batch(uint64_t seq)
{
	return (struct queue_item){ .kind = QUEUE_BATCH,
				    .records = 1,
				    .place = place(seq) };
}

/* A writer that is at record 'next' of those before 'end'. */
static struct backlog at(uint64_t next, uint64_t end)
{
	static struct cursor cursor = { .file = -1 };

	return (struct backlog){ .cursor = &cursor,
				 .next = place(next),
				 .end = place(end),
				 .stored = place(next),
				 .resume = place(next),
				 .behind = next < end };
}

static void memory_is_taken_before_what_is_behind_it(void **state)
{
	struct backlog backlog = at(1, 1);
	struct queue_place end = place(3), limit;
	struct queue_item first = batch(1);

	(void)state;
	backlog_offer(&backlog, &end, true); /* 1 and 2 are in memory, */
	end = place(6);
	backlog_offer(&backlog, &end, false); /* 3 to 5 only on disk. */
	assert_true(backlog_is_next(&backlog, &first));
	assert_false(backlog_has(&backlog, &first, &limit));
	assert_int_equal(backlog_on_disk(&backlog, &first), 3 * SAMPLES);
	end = place(3);
	assert_int_equal(backlog_skip(&backlog, &end), 2 * SAMPLES);
	assert_true(backlog_has(&backlog, NULL, &limit));
	assert_int_equal(limit.seq, 6);
	assert_int_equal(backlog_on_disk(&backlog, NULL), 3 * SAMPLES);
}

static void disk_is_taken_before_a_batch_that_came_later(void **state)
{
	struct backlog backlog = at(4, 9);
	struct queue_item first = batch(9); /* Not in the journal. */
	struct queue_place limit;

	(void)state;
	first.records = 0;
	assert_false(backlog_is_next(&backlog, &first));
	assert_true(backlog_has(&backlog, &first, &limit));
	assert_int_equal(limit.seq, 9);
	assert_int_equal(backlog_on_disk(&backlog, &first), 5 * SAMPLES);
	assert_int_equal(backlog_skip(&backlog, &limit), 5 * SAMPLES);
	assert_true(backlog_is_next(&backlog, &first));
	assert_false(backlog_has(&backlog, &first, &limit));
}

static void a_place_behind_is_no_step(void **state)
{
	struct backlog backlog = at(4, 9);
	struct queue_place back = place(2);

	(void)state;
	assert_int_equal(backlog_skip(&backlog, &back), 0);
	assert_int_equal(backlog.next.seq, 4);
	assert_int_equal(backlog.next.before, 3 * SAMPLES);
}

/* The quota takes records that wait in memory too, which costs nothing, and
 * some of those behind, which are lost once. */
static void what_is_in_memory_outlives_the_quota(void **state)
{
	struct backlog backlog = at(1, 1);
	struct queue_place end = place(3), oldest = place(8), limit;
	struct queue_item first = batch(1);

	(void)state;
	backlog_offer(&backlog, &end, true);
	end = place(11);
	backlog_offer(&backlog, &end, false);
	assert_int_equal(backlog_trim(&backlog, &first, &oldest), 5 * SAMPLES);
	assert_int_equal(backlog_trim(&backlog, &first, &oldest), 0);
	assert_true(backlog_is_next(&backlog, &first));
	assert_int_equal(backlog_on_disk(&backlog, &first), 3 * SAMPLES);
	/* Memory is done with: it goes on behind what was lost. */
	end = place(3);
	assert_int_equal(backlog_skip(&backlog, &end), 2 * SAMPLES);
	assert_int_equal(backlog.next.seq, 8);
	assert_int_equal(backlog.next.before, 7 * SAMPLES);
	assert_true(backlog_has(&backlog, NULL, &limit));
	assert_int_equal(backlog_on_disk(&backlog, NULL), 3 * SAMPLES);
}

static void the_quota_may_take_everything(void **state)
{
	struct backlog backlog = at(2, 7);
	struct queue_place oldest = place(7), limit;

	(void)state;
	assert_int_equal(backlog_trim(&backlog, NULL, &oldest), 5 * SAMPLES);
	assert_false(backlog_has(&backlog, NULL, &limit));
	assert_int_equal(backlog_on_disk(&backlog, NULL), 0);
}

static void without_a_journal_nothing_is_on_disk(void **state)
{
	struct backlog backlog = { 0 };
	struct queue_item first = { .kind = QUEUE_BATCH };
	struct queue_place limit;

	(void)state;
	assert_true(backlog_is_next(&backlog, &first));
	assert_false(backlog_has(&backlog, &first, &limit));
	assert_false(backlog_has(&backlog, NULL, &limit));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_is_taken_before_what_is_behind_it),
		cmocka_unit_test(disk_is_taken_before_a_batch_that_came_later),
		cmocka_unit_test(a_place_behind_is_no_step),
		cmocka_unit_test(what_is_in_memory_outlives_the_quota),
		cmocka_unit_test(the_quota_may_take_everything),
		cmocka_unit_test(without_a_journal_nothing_is_on_disk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
