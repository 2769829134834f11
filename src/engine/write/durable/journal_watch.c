/* SPDX-License-Identifier: MIT */
/* Looks after the journal writer while it is at work: it reports a disk that hangs, and answers
 * waiters whose time is over.  While there is nothing to write the thread sleeps. */
#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"
#include "engine/write/durable/journal_writer_internal.h"

#define LOOK (500 * MC_MILLISECOND)
#define HANGS (1500 * MC_MILLISECOND) /* So it is reported within two seconds. */

void journal_watch_work(struct journal_writer *journal_writer)
{
	journal_writer->busy_since = thread_time();
	if (journal_writer->watch != JOURNAL_WATCH_SLEEPS)
		return;
	pthread_cond_signal(&journal_writer->watch_change);
	journal_writer->watch = JOURNAL_WATCH_LOOKS;
}

/* Gives the lock up meanwhile. */
static void tell_of_hang(struct journal_writer *journal_writer, mc_time lasted)
	MC_REQUIRES(journal_writer->worker.lock)
{
	journal_writer->hanging = clock_wall() - lasted;
	pthread_mutex_unlock(&journal_writer->worker.lock);
	log_warn("journal: the disk of '%s' has not answered for %.1f s; what "
		 "comes waits in memory",
		 journal_path(journal_writer->journal), (double)lasted * 1e-9);
	pthread_mutex_lock(&journal_writer->worker.lock);
}

/* Gives the lock up meanwhile. */
static void tell_of_end(struct journal_writer *journal_writer)
	MC_REQUIRES(journal_writer->worker.lock)
{
	mc_time lasted = clock_wall() - journal_writer->hanging;

	journal_writer->hanging = 0;
	pthread_mutex_unlock(&journal_writer->worker.lock);
	log_note("journal: the disk of '%s' answers again, after %.1f s",
		 journal_path(journal_writer->journal), (double)lasted * 1e-9);
	pthread_mutex_lock(&journal_writer->worker.lock);
}

/* Gives the lock up meanwhile. */
static void look(struct journal_writer *journal_writer, mc_time now)
	MC_REQUIRES(journal_writer->worker.lock)
{
	mc_time lasted =
		worker_is_busy(&journal_writer->worker) ? now - journal_writer->busy_since : 0;

	if (journal_writer->hanging == 0 && lasted >= HANGS)
		tell_of_hang(journal_writer, lasted);
	else if (journal_writer->hanging != 0 && lasted < HANGS)
		tell_of_end(journal_writer);
	waiters_expire(&journal_writer->waiters, now);
	waiters_tell(&journal_writer->waiters, &journal_writer->worker);
}

/* Whether there is something to look after. */
static bool is_needed(const struct journal_writer *journal_writer)
	MC_REQUIRES(journal_writer->worker.lock)
{
	return worker_is_busy(&journal_writer->worker) ||
	       !waiters_empty(&journal_writer->waiters) || journal_writer->hanging != 0;
}

static void *watch_main(void *argument)
{
	struct journal_writer *journal_writer = argument;

	pthread_mutex_lock(&journal_writer->worker.lock);
	while (journal_writer->watch != JOURNAL_WATCH_IS_ENDING) {
		mc_time begun = thread_time(), now;

		if (!is_needed(journal_writer)) {
			journal_writer->watch = JOURNAL_WATCH_SLEEPS;
			pthread_cond_wait(&journal_writer->watch_change,
					  &journal_writer->worker.lock);
			continue;
		}
		journal_writer->watch = JOURNAL_WATCH_LOOKS;
		thread_wait(&journal_writer->watch_change, &journal_writer->worker.lock,
			    begun + LOOK);
		now = thread_time();
		/* A thread that has slept itself cannot know whether the disk hung. */
		if (now - begun < 2 * LOOK || journal_writer->hanging != 0)
			look(journal_writer, now);
		else if (worker_is_busy(&journal_writer->worker))
			journal_writer->busy_since = now;
	}
	pthread_mutex_unlock(&journal_writer->worker.lock);
	return NULL;
}

void journal_watch_start(struct journal_writer *journal_writer)
{
	pthread_mutex_lock(&journal_writer->worker.lock);
	if (thread_start(&journal_writer->watcher, "journal watch", watch_main, journal_writer) ==
	    0)
		journal_writer->watch = JOURNAL_WATCH_LOOKS;
	pthread_mutex_unlock(&journal_writer->worker.lock);
}

void journal_watch_stop(struct journal_writer *journal_writer)
{
	bool watching;

	pthread_mutex_lock(&journal_writer->worker.lock);
	watching = journal_writer->watch != JOURNAL_WATCH_NONE;
	if (watching)
		journal_writer->watch = JOURNAL_WATCH_IS_ENDING;
	pthread_cond_broadcast(&journal_writer->watch_change);
	pthread_mutex_unlock(&journal_writer->worker.lock);
	if (!watching)
		return;
	pthread_join(journal_writer->watcher, NULL);
	pthread_mutex_lock(&journal_writer->worker.lock);
	journal_writer->watch = JOURNAL_WATCH_NONE;
	pthread_mutex_unlock(&journal_writer->worker.lock);
}
