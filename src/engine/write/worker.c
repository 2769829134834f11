/* SPDX-License-Identifier: MIT */
/* A thread, its queue, and its wake-ups. */
#include "engine/write/worker.h"

#include "base/clock.h"
#include "base/thread.h"

#define START_AGAIN MC_SECOND /* After a thread that cannot be made. */

void worker_init(struct worker *worker, mc_time linger) MC_NO_LOCK
{
	*worker = (struct worker){ .linger = linger };
	pthread_mutex_init(&worker->lock, NULL);
	clock_cond_init(&worker->change);
	queue_init(&worker->queue);
}

void worker_done(struct worker *worker) MC_NO_LOCK
{
	queue_done(&worker->queue);
	pthread_cond_destroy(&worker->change);
	pthread_mutex_destroy(&worker->lock);
}

/* --- Senders of work ------------------------------------------------ */

void worker_begin(struct worker *worker, const char *name, void *(*main)(void *), void *argument)
{
	worker->name = name;
	worker->main = main;
	worker->argument = argument;
	worker->state = WORKER_READY;
}

static void start(struct worker *worker) MC_REQUIRES(worker->lock)
{
	mc_time now = clock_now();

	if (now < worker->start_due)
		return;
	worker->start_result =
		thread_start(&worker->thread, worker->name, worker->main, worker->argument);
	if (worker->start_result == 0)
		worker->state = WORKER_AWAKE;
	worker->start_due = now + START_AGAIN;
}

void worker_wake(struct worker *worker, enum worker_urgency urgency)
{
	enum worker_state next = WORKER_AWAKE;

	switch (worker->state) {
	case WORKER_READY:
		start(worker);
		return;
	case WORKER_WAITING:
		break;
	case WORKER_LINGERING:
		if (urgency == WORKER_AFTER_LINGER)
			return;
		break;
	case WORKER_COLLECTING:
		if (urgency == WORKER_AFTER_LINGER)
			return;
		next = WORKER_BUSY;
		break;
	case WORKER_HOLDING:
		if (urgency != WORKER_WHILE_HOLDING)
			return;
		next = WORKER_BUSY;
		break;
	default:
		return;
	}
	pthread_cond_broadcast(&worker->change);
	worker->state = next;
}

int worker_failure(struct worker *worker)
{
	int rc = worker->start_result;

	worker->start_result = 0;
	return rc;
}

bool worker_runs(const struct worker *worker)
{
	return worker->state >= WORKER_AWAKE && worker->state < WORKER_DONE;
}

bool worker_is_busy(const struct worker *worker)
{
	return worker->state >= WORKER_BUSY && worker->state < WORKER_DONE;
}

bool worker_is_self(const struct worker *worker)
{
	return worker_runs(worker) && pthread_equal(worker->thread, pthread_self());
}

bool worker_drain(struct worker *worker, bool (*has_work)(const void *argument),
		  const void *argument, mc_time until)
{
	for (;;) {
		if (!has_work(argument) && !worker_is_busy(worker))
			return true;
		if (!worker_runs(worker) || !thread_wait(&worker->change, &worker->lock, until))
			return false;
	}
}

void worker_stop(struct worker *worker)
{
	worker->start_due = 0;
	if (!queue_empty(&worker->queue))
		worker_wake(worker, WORKER_AT_ONCE);
	worker->stopping = true;
	pthread_cond_broadcast(&worker->change);
}

bool worker_join(struct worker *worker, mc_time until)
{
	pthread_t thread;
	bool runs, ended;

	pthread_mutex_lock(&worker->lock);
	while (worker_runs(worker) && thread_wait(&worker->change, &worker->lock, until))
		;
	runs = worker_runs(worker);
	ended = worker->state == WORKER_DONE;
	if (ended)
		worker->state = WORKER_JOINED;
	thread = worker->thread;
	pthread_mutex_unlock(&worker->lock);
	if (ended)
		pthread_join(thread, NULL);
	return !runs;
}

mc_time worker_cpu(const struct worker *worker)
{
	return worker_runs(worker) ? thread_cpu(worker->thread) : 0;
}

/* --- Its thread ---------------------------------------------------------- */

void worker_look(struct worker *worker)
{
	worker->state = WORKER_AWAKE;
	if (queue_empty(&worker->queue))
		pthread_cond_broadcast(&worker->change);
}

void worker_work(struct worker *worker)
{
	worker->state = WORKER_BUSY;
}

/* In real time: nothing but the number of wake-ups depends on it. */
void worker_linger(struct worker *worker, mc_time time)
{
	worker->state = WORKER_LINGERING;
	thread_wait(&worker->change, &worker->lock, thread_time() + time);
	worker->state = WORKER_AWAKE;
}

static void linger(struct worker *worker) MC_REQUIRES(worker->lock)
{
	worker_linger(worker, worker->linger);
	worker->fast = !queue_empty(&worker->queue);
}

void worker_wait(struct worker *worker, bool may_linger, mc_time until)
{
	mc_time now;

	if (worker->fast && may_linger) {
		linger(worker);
		return;
	}
	worker->state = WORKER_WAITING;
	clock_wait(&worker->change, &worker->lock, until);
	worker->state = WORKER_AWAKE;
	now = thread_time();
	worker->fast = now - worker->woken < worker->linger;
	worker->woken = now;
}

void worker_pause(struct worker *worker, enum worker_state state, mc_time until)
{
	worker->state = state;
	clock_wait(&worker->change, &worker->lock, until);
	worker->state = WORKER_BUSY;
}

void worker_end(struct worker *worker)
{
	pthread_mutex_lock(&worker->lock);
	worker->state = WORKER_DONE;
	pthread_cond_broadcast(&worker->change);
	pthread_mutex_unlock(&worker->lock);
}
