/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include <sched.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/thread.h"

static atomic_llong day_off; /* Seconds by which the time of day is wrong. */

/* In place of the C library's, for all of this program. */
int clock_gettime(clockid_t id, struct timespec *t)
{
	int rc = (int)syscall(SYS_clock_gettime, id, t);

	if (id == CLOCK_REALTIME)
		t->tv_sec += day_off;
	return rc;
}

static struct {
	pthread_mutex_t lock;
	pthread_cond_t change;
	bool end;
} lab = { .lock = PTHREAD_MUTEX_INITIALIZER };

static int open_lab(void **state)
{
	(void)state;
	clock_cond_init(&lab.change);
	lab.end = false;
	day_off = 0;
	return 0;
}

static int close_lab(void **state)
{
	(void)state;
	pthread_cond_destroy(&lab.change);
	return 0;
}

static void *wait_for_end(void *argument)
{
	pthread_mutex_lock(&lab.lock);
	while (!lab.end)
		pthread_cond_wait(&lab.change, &lab.lock);
	pthread_mutex_unlock(&lab.lock);
	return argument;
}

static void end(void)
{
	pthread_mutex_lock(&lab.lock);
	lab.end = true;
	pthread_cond_signal(&lab.change);
	pthread_mutex_unlock(&lab.lock);
}

static void one_that_does_not_end_is_not_waited_for(void **state)
{
	mc_time begun = thread_time(), waited;
	pthread_t thread;

	(void)state;
	assert_int_equal(thread_start(&thread, "test", wait_for_end, NULL), 0);
	assert_false(thread_join(thread, begun + 50 * MC_MILLISECOND));
	waited = thread_time() - begun;
	assert_true(waited >= 50 * MC_MILLISECOND);
	end();
	assert_true(thread_join(thread, thread_time() + 20 * MC_SECOND));
}

/* As if it were set between two looks at it: forward, the wait would be over
 * at once, and back, it would be longer by as much. */
static void the_time_of_day_does_not_matter(void **state)
{
	mc_time begun = thread_time();
	pthread_t thread;

	(void)state;
	assert_int_equal(thread_start(&thread, "test", wait_for_end, NULL), 0);
	day_off = 5;
	assert_false(thread_join(thread, begun + 50 * MC_MILLISECOND));
	assert_true(thread_time() - begun < 4 * MC_SECOND);
	day_off = -3600;
	end();
	assert_true(thread_join(thread, thread_time() + 20 * MC_SECOND));
}

static void *spend(void *argument)
{
	_Atomic clockid_t *clock = argument;

	*clock = thread_clock();
	while (thread_clock_time(*clock) < 5 * MC_MILLISECOND)
		;
	return wait_for_end(NULL);
}

static void a_thread_that_has_ended_has_no_clock(void **state)
{
	_Atomic clockid_t clock = 0;
	pthread_t thread;

	(void)state;
	assert_int_equal(thread_start(&thread, "test", spend, (void *)&clock), 0);
	while (clock == 0 || thread_clock_time(clock) < 5 * MC_MILLISECOND)
		sched_yield();
	end();
	assert_true(thread_join(thread, thread_time() + 20 * MC_SECOND));
	assert_int_equal(thread_clock_time(clock), 0);
}

/* --- Its name ------------------------------------------------------------- */

static void *read_name(void *name)
{
	pthread_getname_np(pthread_self(), name, 16);
	return NULL;
}

/* It takes its name before it begins, by prctl(2): AppArmor's profile lets
 * nobody write to the names of threads in /proc. */
static void has_its_name_when_it_begins(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 100; i++) {
		char name[16] = "";
		pthread_t thread;

		assert_int_equal(thread_start(&thread, "a-name-that-is-cut", read_name, name), 0);
		pthread_join(thread, NULL);
		assert_string_equal(name, "a-name-that-is-");
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_lab, close_lab)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(one_that_does_not_end_is_not_waited_for),
		TEST(the_time_of_day_does_not_matter),
		TEST(a_thread_that_has_ended_has_no_clock),
		TEST(has_its_name_when_it_begins),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
