/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/clock.h"
#include "base/thread.h"
#include "engine/write/worker.h"

static struct {
	struct worker worker;
	unsigned taken;
	bool open; /* Nothing is taken before. */
} lab;

/* Takes the waiting items, one by one, until it is asked to stop. */
static void *take(void *argument)
{
	struct worker *worker = argument;
	struct queue_item item;

	pthread_mutex_lock(&worker->lock);
	for (;;) {
		worker_look(worker);
		while (!lab.open)
			pthread_cond_wait(&worker->change, &worker->lock);
		if (queue_pop(&worker->queue, &item)) {
			worker_work(worker);
			lab.taken++;
		} else if (!worker->stopping) {
			worker_wait(worker, true, CLOCK_NEVER);
		} else {
			break;
		}
	}
	pthread_mutex_unlock(&worker->lock);
	worker_end(worker);
	return NULL;
}

static bool has_work(const void *argument)
{
	const struct worker *worker = argument;

	return !queue_empty(&worker->queue);
}

static void push(unsigned len)
{
	struct queue_item item = { .kind = QUEUE_FORGET };

	for (unsigned i = 0; i < len; i++)
		queue_push(&lab.worker.queue, &item);
}

static int open_lab(void **state)
{
	(void)state;
	lab.taken = 0;
	lab.open = true;
	worker_init(&lab.worker, MC_MILLISECOND);
	return 0;
}

static int close_lab(void **state)
{
	(void)state;
	worker_done(&lab.worker);
	return 0;
}

static mc_time soon(void)
{
	return thread_time() + 20 * MC_SECOND;
}

static void it_has_a_thread_when_there_is_work(void **state)
{
	struct worker *worker = &lab.worker;

	(void)state;
	pthread_mutex_lock(&worker->lock);
	push(1);
	worker_wake(worker, WORKER_AT_ONCE);
	assert_int_equal(worker->state, WORKER_NEW);
	assert_false(worker_drain(worker, has_work, worker, soon()));
	worker_begin(worker, "test", take, worker);
	assert_false(worker_runs(worker));
	worker_wake(worker, WORKER_AFTER_LINGER);
	assert_true(worker_runs(worker));
	assert_false(worker_is_self(worker));
	assert_int_equal(worker_failure(worker), 0);
	assert_true(worker_drain(worker, has_work, worker, soon()));
	assert_int_equal(lab.taken, 1);
	worker_stop(worker);
	pthread_mutex_unlock(&worker->lock);
	assert_true(worker_join(worker, soon()));
	assert_int_equal(worker->state, WORKER_JOINED);
	assert_true(worker_join(worker, 0));
}

static void without_work_a_stop_makes_no_thread(void **state)
{
	struct worker *worker = &lab.worker;

	(void)state;
	pthread_mutex_lock(&worker->lock);
	worker_begin(worker, "test", take, worker);
	worker_stop(worker);
	pthread_mutex_unlock(&worker->lock);
	assert_true(worker_join(worker, 0));
	assert_int_equal(worker->state, WORKER_READY);
}

static void what_waits_is_taken_before_the_end(void **state)
{
	struct worker *worker = &lab.worker;

	(void)state;
	pthread_mutex_lock(&worker->lock);
	worker_begin(worker, "test", take, worker);
	push(3);
	worker_stop(worker);
	pthread_mutex_unlock(&worker->lock);
	assert_true(worker_join(worker, soon()));
	assert_int_equal(lab.taken, 3);
}

static void what_hangs_is_not_waited_for(void **state)
{
	struct worker *worker = &lab.worker;

	(void)state;
	lab.open = false;
	pthread_mutex_lock(&worker->lock);
	worker_begin(worker, "test", take, worker);
	push(1);
	worker_wake(worker, WORKER_AT_ONCE);
	assert_false(worker_drain(worker, has_work, worker, thread_time()));
	worker_stop(worker);
	pthread_mutex_unlock(&worker->lock);
	assert_false(worker_join(worker, thread_time()));
	pthread_mutex_lock(&worker->lock);
	lab.open = true;
	pthread_cond_broadcast(&worker->change);
	pthread_mutex_unlock(&worker->lock);
	assert_true(worker_join(worker, soon()));
	assert_int_equal(lab.taken, 1);
}

/* Wake-ups: the state in which each leaves the worker. */
static void it_is_woken_when_that_helps(void **state)
{
	static const struct {
		enum worker_state before, after[3]; /* By urgency. */
	} wanted[] = {
		{ WORKER_NEW, { WORKER_NEW, WORKER_NEW, WORKER_NEW } },
		{ WORKER_AWAKE, { WORKER_AWAKE, WORKER_AWAKE, WORKER_AWAKE } },
		{ WORKER_WAITING, { WORKER_AWAKE, WORKER_AWAKE, WORKER_AWAKE } },
		{ WORKER_LINGERING, { WORKER_LINGERING, WORKER_AWAKE, WORKER_AWAKE } },
		{ WORKER_BUSY, { WORKER_BUSY, WORKER_BUSY, WORKER_BUSY } },
		{ WORKER_COLLECTING, { WORKER_COLLECTING, WORKER_BUSY, WORKER_BUSY } },
		{ WORKER_HOLDING, { WORKER_HOLDING, WORKER_HOLDING, WORKER_BUSY } },
		{ WORKER_DONE, { WORKER_DONE, WORKER_DONE, WORKER_DONE } },
	};

	(void)state;
	pthread_mutex_lock(&lab.worker.lock);
	for (unsigned i = 0; i < sizeof(wanted) / sizeof(*wanted); i++)
		for (unsigned urgency = 0; urgency < 3; urgency++) {
			lab.worker.state = wanted[i].before;
			worker_wake(&lab.worker, urgency);
			assert_int_equal(lab.worker.state, wanted[i].after[urgency]);
		}
	pthread_mutex_unlock(&lab.worker.lock);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_lab, close_lab)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(it_has_a_thread_when_there_is_work), TEST(without_work_a_stop_makes_no_thread),
		TEST(what_waits_is_taken_before_the_end), TEST(what_hangs_is_not_waited_for),
		TEST(it_is_woken_when_that_helps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
