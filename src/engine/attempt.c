/* SPDX-License-Identifier: MIT */
/* mc_attempt(): calls that may hang, each on a helper thread. */
#include "engine/attempt.h"

#include <errno.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/thread.h"
#include "engine/house.h"

struct job {
	int (*call)(void *argument);
	void *argument;
	int result;
	bool done;
	bool abandoned; /* Nobody waits: the thread frees job and argument. */
	struct job *next;
};

struct attempts {
	pthread_cond_t work, done;
	pthread_mutex_t lock; /* Guards all below, and jobs. */
	struct job *jobs;     /* Not taken by a thread yet. */
	unsigned threads;     /* Alive; of these ... */
	unsigned idle;        /* ... wait for work. */
	bool closed;          /* The instance is gone; the last thread frees. */
};

static struct attempts *attempts_new(void)
{
	struct attempts *attempts = alloc_zero(sizeof(*attempts));

	pthread_mutex_init(&attempts->lock, NULL);
	clock_cond_init(&attempts->work);
	clock_cond_init(&attempts->done);
	return attempts;
}

static void free_job(struct job *job)
{
	free(job->argument);
	free(job);
}

/* Nobody waits any more, not even for what no thread had begun with. */
static void attempts_destroy(struct attempts *attempts)
{
	while (attempts->jobs != NULL) {
		struct job *job = attempts->jobs;

		attempts->jobs = job->next;
		free_job(job);
	}
	pthread_cond_destroy(&attempts->work);
	pthread_cond_destroy(&attempts->done);
	pthread_mutex_destroy(&attempts->lock);
	free(attempts);
}

/* Needs the lock, which it gives up during the call. */
static void do_job(struct attempts *attempts, struct job *job)
{
	int result;

	pthread_mutex_unlock(&attempts->lock);
	result = job->call(job->argument);
	pthread_mutex_lock(&attempts->lock);
	job->result = result;
	job->done = true;
	if (job->abandoned)
		free_job(job);
	pthread_cond_broadcast(&attempts->done);
}

static void *attempt_main(void *argument)
{
	struct attempts *attempts = argument;
	bool last;

	pthread_mutex_lock(&attempts->lock);
	while (!attempts->closed) {
		struct job *job = attempts->jobs;

		if (job != NULL) {
			attempts->jobs = job->next;
			do_job(attempts, job);
			continue;
		}
		attempts->idle++;
		pthread_cond_wait(&attempts->work, &attempts->lock);
		attempts->idle--;
	}
	attempts->threads--;
	last = attempts->threads == 0;
	pthread_mutex_unlock(&attempts->lock);
	if (last)
		attempts_destroy(attempts);
	return NULL;
}

/* Needs the lock.  False if every thread hangs and there may be no more. */
static bool find_thread(struct attempts *attempts)
{
	pthread_t thread;

	if (attempts->idle > 0) {
		pthread_cond_signal(&attempts->work);
		return true;
	}
	if (attempts->threads >= ATTEMPTS_MAX)
		return false;
	if (thread_start(&thread, "attempt", attempt_main, attempts) < 0)
		return false;
	pthread_detach(thread);
	attempts->threads++;
	return true;
}

/* Needs the lock.  True if the job was done in time. */
static bool wait_done(struct attempts *attempts, struct job *job, mc_time until)
{
	while (!job->done &&
	       thread_wait(&attempts->done, &attempts->lock, until))
		;
	return job->done;
}

int mc_attempt(struct mc_ctx *ctx, mc_time limit, int (*call)(void *argument),
	       void *argument)
{
	struct instance *instance = instance_of(ctx);
	struct attempts *attempts;
	struct job *job;
	int rc = -EAGAIN;

	/* Only callbacks call this, and they do not overlap. */
	if (instance->attempts == NULL)
		instance->attempts = attempts_new();
	attempts = instance->attempts;
	pthread_mutex_lock(&attempts->lock);
	if (find_thread(attempts)) {
		job = alloc_zero(sizeof(*job));
		job->call = call;
		job->argument = argument;
		job->next = attempts->jobs;
		attempts->jobs = job;
		if (wait_done(attempts, job, thread_time() + limit)) {
			rc = job->result;
			free(job);
		} else {
			rc = -ETIMEDOUT;
			job->abandoned = true;
		}
	}
	pthread_mutex_unlock(&attempts->lock);
	return rc;
}

void attempt_free(struct attempts *attempts)
{
	bool last;

	if (attempts == NULL)
		return;
	pthread_mutex_lock(&attempts->lock);
	attempts->closed = true;
	pthread_cond_broadcast(&attempts->work);
	last = attempts->threads == 0;
	pthread_mutex_unlock(&attempts->lock);
	if (last)
		attempts_destroy(attempts);
}
