/* SPDX-License-Identifier: MIT */
/* Descriptors, timers and other threads call back in one thread. */
#include "loop_fixture.h"

#include <pthread.h>
#include <sched.h>

#define TIMERS_LEN 100

struct lab {
	struct loop_lab base;
	struct mc_loop_file files[2];
	int calls[2];
	struct mc_loop_timer timers[TIMERS_LEN];
	mc_time expired[TIMERS_LEN];
	size_t expired_len;
};

static int open_lab(void **state)
{
	struct lab *lab = calloc(1, sizeof(*lab));

	loop_lab_open(&lab->base);
	for (int i = 0; i < 2; i++)
		lab->files[i].fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	*state = lab;
	return 0;
}

static int close_lab(void **state)
{
	struct lab *lab = *state;

	for (int i = 0; i < 2; i++)
		close(lab->files[i].fd);
	loop_lab_close(&lab->base);
	free(lab);
	return 0;
}

/* --- Descriptors ---------------------------------------------------------- */

static void count_first(void *argument, uint32_t events)
{
	struct lab *lab = argument;

	assert_int_equal(events, EPOLLIN);
	lab->calls[0]++;
}

static void forget_other(void *argument, uint32_t events)
{
	struct lab *lab = argument;

	(void)events;
	mc_loop_forget(&lab->base.loop, &lab->files[0]);
	mc_loop_forget(&lab->base.loop, &lab->files[1]);
	lab->calls[1]++;
}

static void what_is_ready_calls_until_it_is_dealt_with(void **state)
{
	struct lab *lab = *state;
	eventfd_t count;

	lab->files[0].ready = count_first;
	lab->files[0].argument = lab;
	assert_int_equal(mc_loop_watch(&lab->base.loop, &lab->files[0], EPOLLIN), 0);
	loop_lab_round(&lab->base);
	assert_int_equal(lab->calls[0], 0);
	eventfd_write(lab->files[0].fd, 1);
	loop_lab_round(&lab->base);
	loop_lab_round(&lab->base);
	assert_int_equal(lab->calls[0], 2);
	assert_int_equal(mc_loop_watch(&lab->base.loop, &lab->files[0], 0), 0);
	loop_lab_round(&lab->base);
	assert_int_equal(lab->calls[0], 2);
	assert_int_equal(mc_loop_watch(&lab->base.loop, &lab->files[0], EPOLLIN), 0);
	eventfd_read(lab->files[0].fd, &count);
	loop_lab_round(&lab->base);
	assert_int_equal(lab->calls[0], 2);
}

/* Whichever of two that are ready comes first forgets the other. */
static void what_is_forgotten_is_not_called_in_the_same_round(void **state)
{
	struct lab *lab = *state;

	for (int i = 0; i < 2; i++) {
		lab->files[i].ready = forget_other;
		lab->files[i].argument = lab;
		eventfd_write(lab->files[i].fd, 1);
		assert_int_equal(mc_loop_watch(&lab->base.loop, &lab->files[i], EPOLLIN), 0);
	}
	loop_lab_rounds(&lab->base);
	assert_int_equal(lab->calls[1], 1);
}

static void a_closed_descriptor_cannot_be_watched(void **state)
{
	struct lab *lab = *state;
	struct mc_loop_file file = { .fd = -1 };

	assert_int_equal(mc_loop_watch(&lab->base.loop, &file, EPOLLIN), -EBADF);
	mc_loop_forget(&lab->base.loop, &file);
}

/* --- Timers --------------------------------------------------------------- */

static void note_time(void *argument)
{
	struct lab *lab = argument;

	lab->expired[lab->expired_len++] = lab->base.loop.now;
}

static void timers_expire_in_order(void **state)
{
	struct lab *lab = *state;

	for (size_t i = 0; i < TIMERS_LEN; i++) {
		lab->timers[i] = (struct mc_loop_timer){ .expired = note_time, .argument = lab };
		/* 37 has no factor in common with 100: each once. */
		mc_loop_set_timer(&lab->base.loop, &lab->timers[i],
				  (1001 + (mc_time)(37 * i % TIMERS_LEN)) * MC_SECOND);
	}
	/* One comes later, one sooner, one not at all. */
	mc_loop_set_timer(&lab->base.loop, &lab->timers[0], 2000 * MC_SECOND);
	mc_loop_set_timer(&lab->base.loop, &lab->timers[1], 1000 * MC_SECOND);
	mc_loop_unset_timer(&lab->base.loop, &lab->timers[2]);
	mc_loop_unset_timer(&lab->base.loop, &lab->timers[2]);
	assert_false(mc_loop_timer_is_set(&lab->timers[2]));
	for (int i = 0; i < TIMERS_LEN; i++) {
		loop_lab_round(&lab->base);
		clock_step(MC_SECOND);
	}
	loop_lab_round(&lab->base);
	assert_int_equal(lab->expired_len, TIMERS_LEN - 2);
	assert_int_equal(lab->expired[0], 1000 * MC_SECOND);
	for (size_t i = 1; i < lab->expired_len; i++)
		assert_true(lab->expired[i] > lab->expired[i - 1]);
	assert_true(mc_loop_timer_is_set(&lab->timers[0]));
	loop_lab_step(&lab->base, 1000 * MC_SECOND);
	assert_int_equal(lab->expired_len, TIMERS_LEN - 1);
}

static void set_again(void *argument)
{
	struct lab *lab = argument;

	lab->calls[0]++;
	mc_loop_set_timer(&lab->base.loop, &lab->timers[0], lab->base.loop.now);
}

static void a_timer_that_sets_itself_leaves_room_for_others(void **state)
{
	struct lab *lab = *state;

	lab->timers[0] = (struct mc_loop_timer){ .expired = set_again, .argument = lab };
	mc_loop_set_timer(&lab->base.loop, &lab->timers[0], 0);
	loop_lab_round(&lab->base);
	assert_int_equal(lab->calls[0], 1);
	loop_lab_round(&lab->base);
	assert_int_equal(lab->calls[0], 2);
}

static void end_loop(void *argument)
{
	mc_loop_end(argument);
}

static void *step_on(void *argument)
{
	(void)argument;
	for (int i = 0; i < 20; i++) {
		clock_step(MC_SECOND);
		sched_yield();
	}
	return NULL;
}

static void a_step_of_the_clock_wakes_the_loop(void **state)
{
	struct lab *lab = *state;
	pthread_t thread;

	lab->timers[0] = (struct mc_loop_timer){ .expired = end_loop, .argument = &lab->base.loop };
	mc_loop_set_timer(&lab->base.loop, &lab->timers[0], 1020 * MC_SECOND);
	pthread_create(&thread, NULL, step_on, NULL);
	assert_int_equal(mc_loop_run(&lab->base.loop), 0);
	pthread_join(thread, NULL);
	assert_int_equal(lab->base.loop.now, 1020 * MC_SECOND);
}

/* --- Other threads, and the end ------------------------------------------- */

static void count_wake(void *argument)
{
	((struct lab *)argument)->calls[0]++;
}

static void *wake_twice(void *argument)
{
	struct mc_loop_wakeup *wakeups = argument;

	mc_loop_wake(&wakeups[0]);
	mc_loop_wake(&wakeups[0]);
	return NULL;
}

static void others_wake_it_once(void **state)
{
	struct lab *lab = *state;
	struct mc_loop_wakeup wakeup = { .woken = count_wake, .argument = lab };
	pthread_t thread;

	assert_int_equal(mc_loop_wakeup_init(&wakeup), 0);
	assert_int_equal(mc_loop_watch_wakeup(&lab->base.loop, &wakeup), 0);
	pthread_create(&thread, NULL, wake_twice, &wakeup);
	pthread_join(thread, NULL);
	loop_lab_round(&lab->base);
	loop_lab_round(&lab->base);
	assert_int_equal(lab->calls[0], 1);
	mc_loop_forget(&lab->base.loop, &wakeup.file);
	mc_loop_wakeup_done(&wakeup);
}

static void after(void *argument)
{
	((struct lab *)argument)->calls[1]++;
}

static void it_ends_when_the_instance_must_stop(void **state)
{
	struct lab *lab = *state;

	lab->base.loop.after_round = after;
	lab->base.loop.argument = lab;
	loop_lab_round(&lab->base);
	assert_int_equal(lab->calls[1], 1);
	eventfd_write(loop_stop_fd, 1);
	assert_int_equal(mc_loop_run(&lab->base.loop), 0);
	assert_int_equal(lab->calls[1], 2); /* What the last round brought counts. */
}

static void rounds_go_on_after_the_stop(void **state)
{
	struct lab *lab = *state;
	struct mc_loop_timer *timer = &lab->timers[0];

	eventfd_write(loop_stop_fd, 1);
	assert_int_equal(mc_loop_run(&lab->base.loop), 0);
	assert_int_equal(mc_loop_due(&lab->base.loop), INT64_MAX);
	*timer = (struct mc_loop_timer){ .expired = note_time, .argument = lab };
	mc_loop_set_timer(&lab->base.loop, timer, clock_now());
	assert_int_equal(mc_loop_due(&lab->base.loop), clock_now());
	assert_int_equal(mc_loop_round(&lab->base.loop, INT64_MAX), 0);
	assert_int_equal(lab->expired_len, 1);
	/* The time has come: it does not wait. */
	assert_int_equal(mc_loop_round(&lab->base.loop, clock_now()), 0);
	assert_int_equal(lab->expired_len, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_lab, close_lab)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(what_is_ready_calls_until_it_is_dealt_with),
		TEST(what_is_forgotten_is_not_called_in_the_same_round),
		TEST(a_closed_descriptor_cannot_be_watched),
		TEST(timers_expire_in_order),
		TEST(a_timer_that_sets_itself_leaves_room_for_others),
		TEST(a_step_of_the_clock_wakes_the_loop),
		TEST(others_wake_it_once),
		TEST(it_ends_when_the_instance_must_stop),
		TEST(rounds_go_on_after_the_stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
