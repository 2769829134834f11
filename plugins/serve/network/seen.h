/* SPDX-License-Identifier: MIT */
/* The notifications that came in or went out lately: so that one that comes
 * twice, or back, counts once, and that none is sent back to where it came
 * from. */
#ifndef NETWORK_SEEN_H
#define NETWORK_SEEN_H

#include <pthread.h>

#include <collector/kit/lock.h>
#include <collector/plugin.h>

#define SEEN_LEN                                                               \
	1024 /* Remembered; a newer one takes an older one's place.            \
	      */

struct seen {
	pthread_mutex_t lock;
	uint64_t hashes[SEEN_LEN] MC_GUARDED_BY(lock);
};

void seen_init(struct seen *);
void seen_done(struct seen *);

/* Remembers it; false if it was there. */
bool seen_add(struct seen *, const struct mc_notification *);

#endif
