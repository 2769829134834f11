/* SPDX-License-Identifier: MIT */
/* Hosts whose series have ended, as they had no values for Timeout intervals: remembered so that
 * viewers see that they are silent, and since when, for a day, and find them later. */
#pragma once

#include <pthread.h>

#include <collector/kit/lock.h>
#include <collector/kit/map.h>
#include <collector/plugin.h>

/* Then the hosts that ended more than a day ago go, the oldest first; then those with the fewest
 * series, and of equals those that were there last, so that hosts that come and go do not take the
 * place of others; as soon as there are MORE. */
#define SILENT_HOSTS_MAX 10000
#define SILENT_HOSTS_MORE 1250
#define SILENT_TIME (24 * 3600 * MC_SECOND)

struct silent {
	pthread_mutex_t lock;
	struct mc_lru hosts MC_GUARDED_BY(lock);
	mc_time started;                      /* mc_now() */
	mc_time recalled MC_GUARDED_BY(lock); /* When silent_recall_due() was true; 0: never. */
};

void silent_init(struct silent *);
void silent_done(struct silent *);

/* A series of that host has ended, whose last value was of 'since'.  True if there are too many
 * hosts, so that silent_forget() of those that have other series, and silent_trim(), are due. */
bool silent_add(struct silent *, const char *host, mc_time since);

/* A series of that host had ended before the start.  True as of silent_add(). */
bool silent_recall(struct silent *, const char *host, mc_time since);

/* Whether it is time to do so: at first, and now and then until it is known of each series whether
 * it has come back. */
bool silent_recall_due(struct silent *);

/* The host is not silent.  One that is not known is fine. */
void silent_forget(struct silent *, const char *host);

/* No host is silent whose series all match the glob. */
void silent_forget_all(struct silent *, const char *glob);

/* Leaves SILENT_HOSTS_MAX. */
void silent_trim(struct silent *);

/* Shows the hosts, also those that have other series.  show() is called with the lock. */
void silent_each(struct silent *, void (*show)(void *argument, const char *host, mc_time since),
		 void *argument);
