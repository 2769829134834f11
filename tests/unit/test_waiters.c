/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include <errno.h>

#include "engine/write/durable/waiters.h"

#define LEN 6

static struct {
	struct mc_ctx one, other;
	struct worker worker;
	struct waiters waiters;
	int rc[LEN + 1]; /* By sequence number; 1: no result. */
	unsigned told;
} lab;

static void on_done(void *argument, int rc)
{
	int *at = argument;

	assert_int_equal(*at, 1);
	*at = rc;
	lab.told++;
}

static void tell(void)
{
	pthread_mutex_lock(&lab.worker.lock);
	waiters_tell(&lab.waiters, &lab.worker);
	pthread_mutex_unlock(&lab.worker.lock);
}

/* Six, each a second more patient than the one before; every second one is of
 * the other instance. */
static int open_lab(void **state)
{
	(void)state;
	lab.told = 0;
	waiters_init(&lab.waiters);
	worker_init(&lab.worker, 0);
	for (unsigned i = 1; i <= LEN; i++) {
		struct waiter waiter = { .sequence = i,
					 .ctx = i % 2 ? &lab.one : &lab.other,
					 .until = i * MC_SECOND,
					 .done = on_done,
					 .argument = &lab.rc[i] };

		lab.rc[i] = 1;
		waiters_add(&lab.waiters, &waiter);
	}
	return 0;
}

static int close_lab(void **state)
{
	(void)state;
	waiters_answer(&lab.waiters, UINT64_MAX, 0);
	tell();
	assert_int_equal(lab.told, LEN);
	assert_true(waiters_empty(&lab.waiters));
	worker_done(&lab.worker);
	return 0;
}

/* Tells those who are answered, and wants this of sequence numbers 1 to 6. */
static void check(const int wanted[LEN])
{
	tell();
	for (unsigned i = 0; i < LEN; i++)
		assert_int_equal(lab.rc[i + 1], wanted[i]);
}

static void those_up_to_a_number_are_answered(void **state)
{
	(void)state;
	waiters_answer(&lab.waiters, 0, 0);
	check((int[]){ 1, 1, 1, 1, 1, 1 });
	waiters_answer(&lab.waiters, 2, -EIO);
	waiters_answer(&lab.waiters, 4, 0);
	check((int[]){ -EIO, -EIO, 0, 0, 1, 1 });
}

static void those_whose_time_is_over_are_told_so(void **state)
{
	(void)state;
	waiters_expire(&lab.waiters, MC_SECOND - 1);
	check((int[]){ 1, 1, 1, 1, 1, 1 });
	waiters_expire(&lab.waiters, 3 * MC_SECOND);
	check((int[]){ -ETIMEDOUT, -ETIMEDOUT, -ETIMEDOUT, 1, 1, 1 });
}

static void those_of_an_instance_are_cancelled(void **state)
{
	struct waiter late = { .sequence = LEN + 1 };

	(void)state;
	waiters_cancel(&lab.waiters, &lab.other);
	check((int[]){ 1, -ECANCELED, 1, -ECANCELED, 1, -ECANCELED });
	/* The last one was taken: the list has an end all the same. */
	lab.rc[2] = 1;
	late.done = on_done;
	late.argument = &lab.rc[2];
	waiters_add(&lab.waiters, &late);
	waiters_answer(&lab.waiters, LEN, 0);
	check((int[]){ 0, 1, 0, -ECANCELED, 0, -ECANCELED });
	waiters_answer(&lab.waiters, LEN + 1, 0);
	check((int[]){ 0, 0, 0, -ECANCELED, 0, -ECANCELED });
	lab.told--;
}

/* A callback may have others answered, without the lock; the thread that calls already calls them,
 * too. */
static void on_done_answers(void *argument, int rc)
{
	on_done(argument, rc);
	pthread_mutex_lock(&lab.worker.lock);
	waiters_answer(&lab.waiters, 2, -EIO);
	waiters_tell(&lab.waiters, &lab.worker);
	assert_int_equal(lab.rc[2], 1);
	pthread_mutex_unlock(&lab.worker.lock);
}

static void one_tells_at_a_time(void **state)
{
	(void)state;
	lab.waiters.waiting.first->done = on_done_answers;
	waiters_answer(&lab.waiters, 1, 0);
	check((int[]){ 0, -EIO, 1, 1, 1, 1 });
	assert_false(lab.waiters.telling);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_lab, close_lab)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(those_up_to_a_number_are_answered),
		TEST(those_whose_time_is_over_are_told_so),
		TEST(those_of_an_instance_are_cancelled),
		TEST(one_tells_at_a_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
