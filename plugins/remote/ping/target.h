/* SPDX-License-Identifier: MIT */
/* A host that is pinged: its address, and what came of its requests since the
 * last read.  The thread of run(), but for target_report(). */
#pragma once

#include <pthread.h>
#include <sys/socket.h>

#include <collector/kit/backoff.h>
#include <collector/kit/lock.h>
#include <collector/kit/once.h>
#include <collector/plugin.h>

#include <collector/kit/address.h>

struct target_counts {
	uint64_t sent, received;
	double sum, squares; /* Of milliseconds. */
	int error;           /* Of getaddrinfo(): why it has no address. */
};

struct target {
	const char *host;
	int family;                      /* Of its addresses; AF_UNSPEC: any. */
	struct sockaddr_storage address; /* AF_UNSPEC: not known. */
	bool no_number;                  /* It is a name. */
	struct mc_lookup lookup;
	struct mc_backoff backoff; /* Of lookups. */
	uint64_t missed;           /* In a row. */
	struct mc_once sending;    /* How it fails. */

	pthread_mutex_t lock;
	struct target_counts counts MC_GUARDED_BY(lock);

	/* Only target_report(). */
	struct mc_series *held[3];
	bool pending; /* Its first lookup was under way at the last call. */
};

void target_init(struct target *, const char *host, int family);
void target_done(struct target *);

/* Looks its name up, if that is to be done, and takes in what was found. 'fits' is of families. */
void target_find(struct target *, bool (*fits)(void *argument, int family), void *argument);

/* Whether a reply of that sender is its own: any, of a group. */
bool target_is(const struct target *, const struct sockaddr_storage *sender);

void target_received(struct target *, mc_time duration);

/* After 'missed_max' in a row the name is looked up again; below 0: never. */
void target_missed(struct target *, int64_t missed_max);

/* Puts the values since the last call; the error of getaddrinfo() if it has no address. */
int target_report(struct target *, struct mc_batch *);
