/* SPDX-License-Identifier: MIT */
/* Who sends, and how many new series each has made lately: so that one cannot
 * use up the memory, or the SeriesLimit, of all. */
#ifndef NETWORK_SENDER_H
#define NETWORK_SENDER_H

#include <pthread.h>
#include <sys/socket.h>

#include <collector/kit/lock.h>
#include <collector/plugin.h>

#define SENDER_WAYS 4    /* Places of one hash. */
#define SENDER_LEN 16384 /* Remembered; more share slots with others. */

struct sender_slot {
	uint64_t key;  /* Of who sends. */
	mc_time since; /* When 'made' was worked out; 0: the slot is free. */
	double made;   /* New series, fewer by the limit in an hour. */
};

struct sender {
	double limit; /* New series in an hour. */
	pthread_mutex_t lock;
	struct sender_slot *slots MC_PT_GUARDED_BY(lock); /* SENDER_LEN. */
};

void sender_init(struct sender *, int64_t limit);
void sender_done(struct sender *);

/* Who sends: the user who signed, or if NULL the address, without its port; of
 * IPv6 the network, as a host may have as many addresses as it likes. */
uint64_t sender_key(const struct sockaddr_storage *, const char *user);

/* Whether it may make one more series, which then counts.  'now' is monotonic.
 * Any thread. */
bool sender_may_make(struct sender *, uint64_t key, mc_time now);

#endif
