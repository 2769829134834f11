/* SPDX-License-Identifier: MIT */
/* The last notifications, as JSON. */
#pragma once

#include <pthread.h>
#include <stdint.h>

#include <collector/kit/buffer.h>
#include <collector/kit/lock.h>
#include <collector/plugin.h>

#define NOTIFICATIONS_LEN 256     /* That are kept. */
#define NOTIFICATIONS_SIZE 262144 /* Bytes of them; fewer are kept then. */

struct notifications_item {
	mc_time time; /* Since 1970. */
	enum mc_severity severity;
	char *host, *message;
	char *json; /* All of it, a map. */
};

struct notifications {
	pthread_mutex_t lock;
	struct notifications_item items[NOTIFICATIONS_LEN] MC_GUARDED_BY(lock); /* A ring. */
	size_t size MC_GUARDED_BY(lock);    /* Bytes of all of them. */
	uint64_t first MC_GUARDED_BY(lock); /* Number of the oldest that is, */
	uint64_t next MC_GUARDED_BY(lock);  /* and of the one to come. */
};

void notifications_init(struct notifications *);
void notifications_done(struct notifications *) MC_NO_LOCK;

/* Keeps it, with a number.  "json" is what it is then, a map, ended by '\0'. */
void notifications_add(struct notifications *, const struct mc_notification *,
		       struct mc_buffer *json);

/* "failure", "warning" or "okay". */
const char *notifications_severity(enum mc_severity);

/* Copies time, severity and message of those of that host between two times, oldest first, to
 * 'items', which has room for NOTIFICATIONS_LEN.  Returns how many; their messages are the
 * caller's. */
size_t notifications_find(struct notifications *, const char *host, mc_time from, mc_time to,
			  struct notifications_item *items) MC_NO_LOCK;

/* Adds those with a number above 'after', the newest 'limit' of them, oldest
 * first, with ',' in between.  Returns the number of the newest there is. */
uint64_t notifications_print(struct notifications *, uint64_t after, uint64_t limit,
			     struct mc_buffer *out);
