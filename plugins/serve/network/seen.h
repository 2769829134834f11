/* SPDX-License-Identifier: MIT */
/* The notifications that came in or went out lately: so that one that comes twice, or back, counts
 * once, and that none is sent back to where it came from.  Thread: any. */
#pragma once

#include <pthread.h>

#include <collector/kit/lock.h>
#include <collector/kit/map.h>
#include <collector/plugin.h>

#define SEEN_LEN 4096              /* Remembered, */
#define SEEN_TIME (10 * MC_SECOND) /* each for as long at least. */

struct seen {
	pthread_mutex_t lock;
	struct mc_lru notifications MC_GUARDED_BY(lock);
};

enum seen_answer {
	SEEN_NEW,
	SEEN_BEFORE,
	SEEN_TOO_MANY, /* SEEN_LEN in SEEN_TIME: it is not remembered. */
};

void seen_init(struct seen *);
void seen_done(struct seen *);

/* Remembers it; 'now' is of CLOCK_MONOTONIC. */
enum seen_answer seen_add(struct seen *, const struct mc_notification *, mc_time now);
