/* SPDX-License-Identifier: MIT */
/* Calls that may hang, each on a helper thread. */
#include "base/timed_calls.h"

#include <collector/kit/lock.h>

#include <errno.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/thread.h"

struct job {
	int (*call)(void *argument);
	void *argument;
	int result;
	bool done;
	bool abandoned; /* Without a waiting caller the thread frees job and argument. */
	struct job *next;
};

struct timed_calls {
	pthread_cond_t work, done;
	pthread_mutex_t lock;                  /* Also of jobs. */
	struct job *jobs MC_GUARDED_BY(lock);  /* Not taken by a thread yet; ... */
	unsigned jobs_len MC_GUARDED_BY(lock); /* ... their number. */
	unsigned threads MC_GUARDED_BY(lock);  /* Alive; of these ... */
	unsigned busy MC_GUARDED_BY(lock);     /* ... have one. */
	/* The owner is gone; the last thread frees. */
	bool closed MC_GUARDED_BY(lock);
};

struct timed_calls *timed_calls_new(void)
{
	struct timed_calls *timed_calls = alloc_zero(sizeof(*timed_calls));

	pthread_mutex_init(&timed_calls->lock, NULL);
	clock_cond_init(&timed_calls->work);
	clock_cond_init(&timed_calls->done);
	return timed_calls;
}

static void free_job(struct job *job)
{
	free(job->argument);
	free(job);
}

static void destroy(struct timed_calls *timed_calls)
{
	pthread_cond_destroy(&timed_calls->work);
	pthread_cond_destroy(&timed_calls->done);
	pthread_mutex_destroy(&timed_calls->lock);
	free(timed_calls);
}

/* Gives the lock up meanwhile. */
static void do_job(struct timed_calls *timed_calls, struct job *job) MC_REQUIRES(timed_calls->lock)
{
	int result;

	timed_calls->busy++;
	pthread_mutex_unlock(&timed_calls->lock);
	result = job->call(job->argument);
	pthread_mutex_lock(&timed_calls->lock);
	timed_calls->busy--;
	job->result = result;
	job->done = true;
	if (job->abandoned)
		free_job(job);
	pthread_cond_broadcast(&timed_calls->done);
}

static void *serve(void *argument)
{
	struct timed_calls *timed_calls = argument;
	bool last;

	pthread_mutex_lock(&timed_calls->lock);
	/* A job without a waiting caller goes on, too, and frees what it has. */
	while (!timed_calls->closed || timed_calls->jobs != NULL) {
		struct job *job = timed_calls->jobs;

		if (job != NULL) {
			timed_calls->jobs = job->next;
			timed_calls->jobs_len--;
			do_job(timed_calls, job);
			continue;
		}
		pthread_cond_wait(&timed_calls->work, &timed_calls->lock);
	}
	timed_calls->threads--;
	last = timed_calls->threads == 0;
	pthread_mutex_unlock(&timed_calls->lock);
	if (last)
		destroy(timed_calls);
	return NULL;
}

/* False if every thread hangs and there may be no more. */
static bool find_thread(struct timed_calls *timed_calls) MC_REQUIRES(timed_calls->lock)
{
	pthread_t thread;

	if (timed_calls->threads - timed_calls->busy > timed_calls->jobs_len) {
		pthread_cond_signal(&timed_calls->work);
		return true;
	}
	if (timed_calls->threads >= TIMED_CALLS_MAX)
		return false;
	if (thread_start(&thread, "timed_call", serve, timed_calls) < 0)
		return false;
	pthread_detach(thread);
	timed_calls->threads++;
	return true;
}

/* True if the job was done in time. */
static bool wait_done(struct timed_calls *timed_calls, struct job *job, mc_time until)
	MC_REQUIRES(timed_calls->lock)
{
	while (!job->done && thread_wait(&timed_calls->done, &timed_calls->lock, until))
		;
	return job->done;
}

int timed_calls_run(struct timed_calls *timed_calls, mc_time limit, int (*call)(void *argument),
		    void *argument)
{
	struct job *job;
	int rc = -EAGAIN;

	pthread_mutex_lock(&timed_calls->lock);
	if (find_thread(timed_calls)) {
		job = alloc_zero(sizeof(*job));
		job->call = call;
		job->argument = argument;
		job->next = timed_calls->jobs;
		timed_calls->jobs = job;
		timed_calls->jobs_len++;
		if (wait_done(timed_calls, job, thread_time() + limit)) {
			rc = job->result;
			free(job);
		} else {
			rc = -ETIMEDOUT;
			job->abandoned = true;
		}
	}
	pthread_mutex_unlock(&timed_calls->lock);
	return rc;
}

unsigned timed_calls_busy(struct timed_calls *timed_calls)
{
	unsigned busy;

	pthread_mutex_lock(&timed_calls->lock);
	busy = timed_calls->busy + timed_calls->jobs_len;
	pthread_mutex_unlock(&timed_calls->lock);
	return busy;
}

void timed_calls_free(struct timed_calls *timed_calls)
{
	bool last;

	if (timed_calls == NULL)
		return;
	pthread_mutex_lock(&timed_calls->lock);
	timed_calls->closed = true;
	pthread_cond_broadcast(&timed_calls->work);
	last = timed_calls->threads == 0;
	pthread_mutex_unlock(&timed_calls->lock);
	if (last)
		destroy(timed_calls);
}
