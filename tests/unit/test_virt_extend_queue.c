/* SPDX-License-Identifier: MIT */
/* Which disk is extended next, and when. */
#include "extend_queue.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define RETRY (8 * MC_SECOND)

static struct extend_queue queue;
static struct extend_entry entries[4];

static int begin(void **state)
{
	(void)state;
	queue = (struct extend_queue){ .len_max = 3, .running_max = 2 };
	memset(entries, 0, sizeof(entries));
	for (size_t i = 0; i < 3; i++)
		assert_true(extend_queue_add(&queue, &entries[i], RETRY));
	return 0;
}

static const struct extend_entry *next(mc_time now)
{
	mc_time due;

	return extend_queue_next(&queue, now, &due);
}

static void the_first_that_came_is_the_first(void **state)
{
	(void)state;
	for (size_t i = 0; i < 2; i++) {
		assert_ptr_equal(next(0), &entries[i]);
		extend_queue_begin(&queue, &entries[i]);
	}
	assert_null(next(0)); /* Two run. */
	extend_queue_end(&queue, &entries[1]);
	extend_queue_remove(&queue, &entries[1]);
	assert_ptr_equal(next(0), &entries[2]);
}

static void it_has_a_bound(void **state)
{
	(void)state;
	assert_false(extend_queue_add(&queue, &entries[3], RETRY));
	assert_int_equal(queue.len, 3);
	extend_queue_remove(&queue, &entries[0]);
	assert_true(extend_queue_add(&queue, &entries[3], RETRY));
}

static void one_that_failed_waits(void **state)
{
	mc_time due;

	(void)state;
	extend_queue_remove(&queue, &entries[1]);
	extend_queue_remove(&queue, &entries[2]);
	for (unsigned i = 0; i < 10; i++) {
		mc_time now = i * 10 * MC_SECOND, most = (MC_SECOND / 2) << i;

		extend_queue_failed(&entries[0], now);
		assert_int_equal(entries[0].failures, i + 1);
		if (extend_queue_next(&queue, now, &due) == NULL)
			assert_in_range(due, now, now + (most < RETRY ? most : RETRY));
		assert_ptr_equal(next(now + RETRY), &entries[0]);
	}
	extend_queue_worked(&entries[0]);
	assert_int_equal(entries[0].failures, 0);
	assert_int_equal(entries[0].backoff.until, 0);
}

static void a_fast_guest_stays(void **state)
{
	(void)state;
	assert_false(extend_queue_stays(&entries[0], false, 5));
	assert_true(extend_queue_stays(&entries[0], true, 5));
	entries[0].crossed = 6;
	assert_true(extend_queue_stays(&entries[0], false, 5));
	assert_false(extend_queue_stays(&entries[0], false, 7));
}

static void sizes_have_a_bound(void **state)
{
	(void)state;
	assert_int_equal(extend_queue_wanted(100, 0, 1000), 1100);
	assert_int_equal(extend_queue_wanted(100, 20, 1000), 1200);
	assert_int_equal(extend_queue_wanted(100, 5, 1000), 1100);
	assert_int_equal(extend_queue_wanted(100, 0, UINT64_MAX), INT64_MAX);
	assert_int_equal(extend_queue_wanted(100, 0, INT64_MAX - 10), INT64_MAX);
	assert_int_equal(extend_queue_wanted(1, 1000, UINT64_MAX), INT64_MAX);
	assert_int_equal(extend_queue_wanted(1, 1000, INT64_MAX / 4), INT64_MAX);
}

#define TEST(name) cmocka_unit_test_setup(name, begin)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_first_that_came_is_the_first),
		TEST(it_has_a_bound),
		TEST(one_that_failed_waits),
		TEST(a_fast_guest_stays),
		TEST(sizes_have_a_bound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
