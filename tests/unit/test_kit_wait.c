/* SPDX-License-Identifier: MIT */
/* Waits of plugins, and what is to be done every so often. */
#include <collector/kit/wait.h>
#include <collector/serve.h>

#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "unit.h"

#include "base/clock.h"

#define FDS_LEN 40

static int stop_fd;

/* In the place of that of the engine. */
int mc_stop_fd(struct mc_ctx *ctx)
{
	(void)ctx;
	return stop_fd;
}

static int open_lab(void **state)
{
	(void)state;
	clock_stop(10 * MC_SECOND, 0);
	stop_fd = eventfd(0, EFD_CLOEXEC);
	return stop_fd < 0;
}

static int close_lab(void **state)
{
	(void)state;
	return close(stop_fd);
}

static void a_wait_ends_at_its_time(void **state)
{
	struct pollfd fd = { eventfd(0, EFD_CLOEXEC), POLLIN, 0 };

	(void)state;
	assert_int_equal(mc_wait(NULL, &fd, 1, 10 * MC_SECOND), 0);
	assert_int_equal(mc_wait(NULL, NULL, 0, 0), 0);
	assert_int_equal(mc_poll(&fd, 1, 0), 0);
	close(fd.fd);
}

static void a_wait_ends_with_what_is_ready(void **state)
{
	struct pollfd fds[FDS_LEN];

	(void)state;
	for (unsigned len = 1; len <= FDS_LEN; len++) {
		for (unsigned i = 0; i < len; i++)
			fds[i] = (struct pollfd){ -1, POLLIN, 0 };
		fds[len - 1].fd = eventfd(1, EFD_CLOEXEC);
		assert_int_equal(mc_wait(NULL, fds, len, INT64_MAX), 1);
		assert_int_equal(fds[len - 1].revents, POLLIN);
		assert_int_equal(mc_poll(fds, len, INT64_MAX), 1);
		close(fds[len - 1].fd);
	}
}

static void so_does_a_wait_for_many(void **state)
{
	struct epoll_event event = { .events = EPOLLIN, .data.u32 = 7 }, ready;
	int epoll = epoll_create1(EPOLL_CLOEXEC), fd = eventfd(0, EFD_CLOEXEC);

	(void)state;
	assert_int_equal(epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event), 0);
	assert_int_equal(mc_epoll(epoll, &ready, 1, 10 * MC_SECOND), 0);
	eventfd_write(fd, 1);
	assert_int_equal(mc_epoll(epoll, &ready, 1, INT64_MAX), 1);
	assert_int_equal(ready.data.u32, 7);
	assert_int_equal(mc_epoll(fd, &ready, 1, 0), -EINVAL);
	close(fd);
	close(epoll);
}

static void the_stop_comes_first(void **state)
{
	struct pollfd fd = { eventfd(1, EFD_CLOEXEC), POLLIN, 0 };

	(void)state;
	eventfd_write(stop_fd, 1);
	assert_int_equal(mc_wait(NULL, NULL, 0, INT64_MAX), -ECANCELED);
	assert_int_equal(mc_wait(NULL, &fd, 1, 0), -ECANCELED);
	assert_int_equal(fd.revents, POLLIN);
	close(fd.fd);
}

static void timers_keep_in_step(void **state)
{
	struct mc_every timers[] = { { .period = 10, .next = 5 }, { .period = 7, .next = 9 } };

	(void)state;
	assert_int_equal(mc_every_next(timers, 2), 5);
	assert_false(mc_every_due(&timers[0], 4));
	assert_true(mc_every_due(&timers[0], 5));
	mc_every_done(&timers[0], 6);
	assert_int_equal(timers[0].next, 15);
	assert_int_equal(mc_every_next(timers, 2), 9);
	mc_every_done(&timers[0], 45); /* Some are missed. */
	assert_int_equal(timers[0].next, 55);
	assert_int_equal(mc_every_next(NULL, 0), INT64_MAX);
}

static void a_timer_begins_when_it_was_done_first(void **state)
{
	struct mc_every timer = { .period = 10 }, always = { 0 };

	(void)state;
	assert_true(mc_every_due(&timer, 3));
	mc_every_done(&timer, 3);
	assert_int_equal(timer.next, 13);
	mc_every_done(&always, 3);
	assert_true(mc_every_due(&always, 3));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_lab, close_lab)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(a_wait_ends_at_its_time),
		TEST(a_wait_ends_with_what_is_ready),
		TEST(so_does_a_wait_for_many),
		TEST(the_stop_comes_first),
		cmocka_unit_test(timers_keep_in_step),
		cmocka_unit_test(a_timer_begins_when_it_was_done_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
