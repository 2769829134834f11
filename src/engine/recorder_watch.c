/* SPDX-License-Identifier: MIT */
/* Looks after the recorder while it is at work: a disk that hangs is told of,
 * and who waits for it is told when his time is over.  While there is nothing
 * to write the thread sleeps. */
#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"
#include "engine/recorder_house.h"

#define LOOK (500 * MC_MILLISECOND)
#define HANGS (1500 * MC_MILLISECOND) /* So it is told within two seconds. */

void recorder_watch_work(struct recorder *recorder)
{
	recorder->busy_since = thread_time();
	if (recorder->watch_idle)
		pthread_cond_signal(&recorder->watch);
	recorder->watch_idle = false;
}

/* Needs the lock, and gives it up meanwhile. */
static void tell_of_hang(struct recorder *recorder, mc_time lasted)
{
	recorder->hanging = clock_wall() - lasted;
	pthread_mutex_unlock(&recorder->lock);
	log_warn("journal: the disk of '%s' has not answered for %.1f s; what "
		 "comes waits in memory",
		 journal_path(recorder->journal), (double)lasted * 1e-9);
	pthread_mutex_lock(&recorder->lock);
}

/* Needs the lock, and gives it up meanwhile. */
static void tell_of_end(struct recorder *recorder)
{
	mc_time lasted = clock_wall() - recorder->hanging;

	recorder->hanging = 0;
	pthread_mutex_unlock(&recorder->lock);
	log_note("journal: the disk of '%s' answers again, after %.1f s",
		 journal_path(recorder->journal), (double)lasted * 1e-9);
	pthread_mutex_lock(&recorder->lock);
}

/* Needs the lock, and gives it up meanwhile. */
static void look(struct recorder *recorder, mc_time now)
{
	mc_time lasted = recorder->busy ? now - recorder->busy_since : 0;

	if (recorder->hanging == 0 && lasted >= HANGS)
		tell_of_hang(recorder, lasted);
	else if (recorder->hanging != 0 && lasted < HANGS)
		tell_of_end(recorder);
	waiters_expire(&recorder->waiters, now, &recorder->answered);
	recorder_tell(recorder);
}

static void *watch_main(void *argument)
{
	struct recorder *recorder = argument;

	pthread_mutex_lock(&recorder->lock);
	while (!recorder->watch_ends) {
		mc_time begun = thread_time(), now;

		recorder->watch_idle = !recorder->busy &&
				       recorder->waiters.first == NULL &&
				       recorder->hanging == 0;
		if (recorder->watch_idle) {
			pthread_cond_wait(&recorder->watch, &recorder->lock);
			continue;
		}
		thread_wait(&recorder->watch, &recorder->lock, begun + LOOK);
		now = thread_time();
		/* Who has slept himself cannot tell whether the disk has. */
		if (now - begun < 2 * LOOK || recorder->hanging != 0)
			look(recorder, now);
		else if (recorder->busy)
			recorder->busy_since = now;
	}
	pthread_mutex_unlock(&recorder->lock);
	return NULL;
}

void recorder_watch_start(struct recorder *recorder)
{
	recorder->watching = thread_start(&recorder->watcher, "journal watch",
					  watch_main, recorder) == 0;
}

void recorder_watch_stop(struct recorder *recorder)
{
	if (!recorder->watching)
		return;
	pthread_mutex_lock(&recorder->lock);
	recorder->watch_ends = true;
	pthread_cond_broadcast(&recorder->watch);
	pthread_mutex_unlock(&recorder->lock);
	pthread_join(recorder->watcher, NULL);
	recorder->watching = false;
}
