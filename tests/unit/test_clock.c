/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include <stdatomic.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/thread.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond;
static atomic_int woken;

static void stopped_time_moves_in_steps(void **state)
{
	(void)state;
	clock_stop(5 * MC_SECOND, 1700000000 * MC_SECOND);
	assert_int_equal(clock_now(), 5 * MC_SECOND);
	assert_int_equal(clock_now(), 5 * MC_SECOND);
	clock_step(10 * MC_SECOND);
	assert_int_equal(clock_now(), 15 * MC_SECOND);
	assert_int_equal(clock_wall(), 1700000010 * MC_SECOND);
}

static void *sleep_until_20(void *argument)
{
	(void)argument;
	pthread_mutex_lock(&lock);
	while (clock_wait(&cond, &lock, 20 * MC_SECOND))
		;
	woken = 1;
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void a_sleeper_wakes_at_its_time_and_not_before(void **state)
{
	pthread_t thread;

	(void)state;
	clock_stop(10 * MC_SECOND, 0);
	clock_cond_init(&cond);
	woken = 0;
	assert_int_equal(thread_start(&thread, "sleeper", sleep_until_20, NULL), 0);
	clock_settle(1);
	clock_step(9 * MC_SECOND);
	clock_settle(1);
	assert_int_equal(woken, 0);
	clock_step(1 * MC_SECOND);
	pthread_join(thread, NULL);
	assert_int_equal(woken, 1);
	pthread_cond_destroy(&cond);
}

static void what_is_past_is_not_waited_for(void **state)
{
	(void)state;
	clock_stop(10 * MC_SECOND, 0);
	clock_cond_init(&cond);
	pthread_mutex_lock(&lock);
	assert_false(clock_wait(&cond, &lock, 10 * MC_SECOND));
	pthread_mutex_unlock(&lock);
	pthread_cond_destroy(&cond);
}

static void real_waits_do_not_stop_with_the_clock(void **state)
{
	mc_time begun = thread_time();

	(void)state;
	clock_stop(10 * MC_SECOND, 0);
	clock_cond_init(&cond);
	pthread_mutex_lock(&lock);
	while (thread_wait(&cond, &lock, begun + MC_MILLISECOND))
		;
	pthread_mutex_unlock(&lock);
	assert_true(thread_time() >= begun + MC_MILLISECOND);
	pthread_cond_destroy(&cond);
}

static void *poll_until_20(void *argument)
{
	int *fd = argument;
	struct pollfd poll_fd = { *fd, POLLIN, 0 };

	woken = 1 + clock_poll(&poll_fd, 1, 20 * MC_SECOND);
	return NULL;
}

static void steps_wake_who_polls(void **state)
{
	int fd = eventfd(0, EFD_CLOEXEC);
	pthread_t thread;

	(void)state;
	clock_stop(10 * MC_SECOND, 0);
	woken = 0;
	assert_int_equal(thread_start(&thread, "poller", poll_until_20, &fd), 0);
	clock_step(9 * MC_SECOND);
	clock_step(1 * MC_SECOND);
	pthread_join(thread, NULL);
	assert_int_equal(woken, 1);
	close(fd);
}

static void descriptors_wake_who_polls(void **state)
{
	int fd = eventfd(0, EFD_CLOEXEC);
	pthread_t thread;

	(void)state;
	clock_stop(10 * MC_SECOND, 0);
	woken = 0;
	assert_int_equal(thread_start(&thread, "poller", poll_until_20, &fd), 0);
	clock_step(9 * MC_SECOND);
	assert_int_equal(woken, 0);
	eventfd_write(fd, 1);
	pthread_join(thread, NULL);
	assert_int_equal(woken, 2);
	close(fd);
}

static void what_is_past_is_not_polled_for(void **state)
{
	struct pollfd fds[2] = { { eventfd(0, EFD_CLOEXEC), POLLIN, 0 },
				 { eventfd(1, EFD_CLOEXEC), POLLIN, 0 } };

	(void)state;
	clock_stop(10 * MC_SECOND, 0);
	assert_int_equal(clock_poll(fds, 1, 10 * MC_SECOND), 0);
	assert_int_equal(clock_poll(NULL, 0, 0), 0);
	assert_int_equal(clock_poll(fds, 2, 0), 1);
	assert_int_equal(fds[0].revents, 0);
	assert_int_equal(fds[1].revents, POLLIN);
	close(fds[0].fd);
	close(fds[1].fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stopped_time_moves_in_steps),
		cmocka_unit_test(a_sleeper_wakes_at_its_time_and_not_before),
		cmocka_unit_test(what_is_past_is_not_waited_for),
		cmocka_unit_test(steps_wake_who_polls),
		cmocka_unit_test(descriptors_wake_who_polls),
		cmocka_unit_test(what_is_past_is_not_polled_for),
		cmocka_unit_test(real_waits_do_not_stop_with_the_clock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
