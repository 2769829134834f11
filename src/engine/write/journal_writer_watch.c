/* SPDX-License-Identifier: MIT */
/* Looks after the journal writer while it is at work: a disk that hangs is told
 * of, and who waits for it is told when his time is over.  While there is
 * nothing to write the thread sleeps. */
#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"
#include "engine/write/journal_writer_internal.h"

#define LOOK (500 * MC_MILLISECOND)
#define HANGS (1500 * MC_MILLISECOND) /* So it is told within two seconds. */

void journal_writer_watch_work(struct journal_writer *journal_writer)
{
	journal_writer->busy_since = thread_time();
	if (journal_writer->watch_idle)
		pthread_cond_signal(&journal_writer->watch);
	journal_writer->watch_idle = false;
}

/* Needs the lock, and gives it up meanwhile. */
static void tell_of_hang(struct journal_writer *journal_writer, mc_time lasted)
{
	journal_writer->hanging = clock_wall() - lasted;
	pthread_mutex_unlock(&journal_writer->lock);
	log_warn("journal: the disk of '%s' has not answered for %.1f s; what "
		 "comes waits in memory",
		 journal_path(journal_writer->journal), (double)lasted * 1e-9);
	pthread_mutex_lock(&journal_writer->lock);
}

/* Needs the lock, and gives it up meanwhile. */
static void tell_of_end(struct journal_writer *journal_writer)
{
	mc_time lasted = clock_wall() - journal_writer->hanging;

	journal_writer->hanging = 0;
	pthread_mutex_unlock(&journal_writer->lock);
	log_note("journal: the disk of '%s' answers again, after %.1f s",
		 journal_path(journal_writer->journal), (double)lasted * 1e-9);
	pthread_mutex_lock(&journal_writer->lock);
}

/* Needs the lock, and gives it up meanwhile. */
static void look(struct journal_writer *journal_writer, mc_time now)
{
	mc_time lasted =
		journal_writer->busy ? now - journal_writer->busy_since : 0;

	if (journal_writer->hanging == 0 && lasted >= HANGS)
		tell_of_hang(journal_writer, lasted);
	else if (journal_writer->hanging != 0 && lasted < HANGS)
		tell_of_end(journal_writer);
	waiters_expire(&journal_writer->waiters, now,
		       &journal_writer->answered);
	journal_writer_tell(journal_writer);
}

static void *watch_main(void *argument)
{
	struct journal_writer *journal_writer = argument;

	pthread_mutex_lock(&journal_writer->lock);
	while (!journal_writer->watch_ends) {
		mc_time begun = thread_time(), now;

		journal_writer->watch_idle =
			!journal_writer->busy &&
			journal_writer->waiters.first == NULL &&
			journal_writer->hanging == 0;
		if (journal_writer->watch_idle) {
			pthread_cond_wait(&journal_writer->watch,
					  &journal_writer->lock);
			continue;
		}
		thread_wait(&journal_writer->watch, &journal_writer->lock,
			    begun + LOOK);
		now = thread_time();
		/* Who has slept himself cannot tell whether the disk has. */
		if (now - begun < 2 * LOOK || journal_writer->hanging != 0)
			look(journal_writer, now);
		else if (journal_writer->busy)
			journal_writer->busy_since = now;
	}
	pthread_mutex_unlock(&journal_writer->lock);
	return NULL;
}

void journal_writer_watch_start(struct journal_writer *journal_writer)
{
	journal_writer->watching =
		thread_start(&journal_writer->watcher, "journal watch",
			     watch_main, journal_writer) == 0;
}

void journal_writer_watch_stop(struct journal_writer *journal_writer)
{
	if (!journal_writer->watching)
		return;
	pthread_mutex_lock(&journal_writer->lock);
	journal_writer->watch_ends = true;
	pthread_cond_broadcast(&journal_writer->watch);
	pthread_mutex_unlock(&journal_writer->lock);
	pthread_join(journal_writer->watcher, NULL);
	journal_writer->watching = false;
}
