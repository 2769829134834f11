/* SPDX-License-Identifier: MIT */
/* kit/net/sender_limit.h - how many new series each sender has made lately, in libkit: so that one
 * cannot use up the memory, or the SeriesLimit, of all.
 *
 * For servers whose senders have no connections: of those that have, see the collector/quota.h. */
#pragma once

#include <pthread.h>
#include <sys/socket.h>

#include <collector/kit/lock.h>
#include <collector/plugin.h>

struct mc_sender_slot {
	uint64_t key;  /* Hash of the sender. */
	mc_time since; /* When 'made' was worked out; 0: the slot is free. */
	double made;   /* New series, fewer by the limit in an hour. */
};

struct mc_sender_limit {
	double limit; /* New series in an hour. */
	pthread_mutex_t lock;
	struct mc_sender_slot *slots MC_PT_GUARDED_BY(lock); /* 16,384. */
};

/* 'limit' is of new series in an hour. */
void mc_sender_limit_init(struct mc_sender_limit *, int64_t limit);
void mc_sender_limit_done(struct mc_sender_limit *);

/* The user who signed, or if NULL the client of mc_address_client(). */
uint64_t mc_sender_limit_key(const struct sockaddr_storage *, const char *user);

/* Whether it may make one more series, which then counts.  'now' is monotonic.  Thread: any. */
bool mc_sender_limit_may_make(struct mc_sender_limit *, uint64_t key, mc_time now);
