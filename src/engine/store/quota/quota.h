/* SPDX-License-Identifier: MIT */
/* The share of one client or source: how many living series it may have, how
 * fast it may make new ones, and its part of the metadata.
 *
 * Guarded by the lock of the store, but for what metadata.h counts.  A quota without a holder is
 * freed by the sweep when nothing is charged to it; until then it is found again by its name, so
 * that a returning client does not begin with an empty one. */
#pragma once

#include <stdatomic.h>

#include <collector/quota.h>

#include "engine/store/metadata.h"

struct store;

struct mc_quota {
	struct mc_quota *next; /* Of all of the store. */
	struct store *store;
	const char *instance; /* That made it, never freed. */
	char *name;
	enum mc_quota_kind kind;      /* Never changes, as the name. */
	unsigned holders;             /* Of mc_quota_new(). */
	_Atomic uint64_t limit;       /* Of living series; 0: none. */
	uint64_t len;                 /* Of these. */
	_Atomic uint64_t refused;     /* Read without the lock. */
	double per_second, allowance; /* New ones; at most 'limit' at once. */
	mc_time since;                /* When 'allowance' was worked out. */
	mc_time filled;               /* When it was last full at once. */

	/* Counted under the lock of the metadata, read without one. */
	struct metadata_use metadata[METADATA_ROOMS];
	_Atomic uint64_t metadata_refused;
};

struct quotas { /* All zero: none. */
	void *by_name;
	struct mc_quota *first;
};

struct quota_name {
	const char *instance, *name;
};

/* The quota of that kind and name, made if it is new, with one more holder. */
struct mc_quota *quota_hold(struct quotas *, enum mc_quota_kind, const struct quota_name *,
			    mc_time now);

void quota_limit(struct mc_quota *, const struct mc_quota_limits *);

/* Frees those without a holder and without charges. */
void quota_sweep(struct quotas *);
void quota_done(struct quotas *); /* Frees all. */

/* Of all series an eighth is for what is charged to no quota, this host's own,
 * and as much for sources; both at most so large. */
#define QUOTA_RESERVE 8
#define QUOTA_RESERVE_MAX 100000

/* How many series the quota may have, of a store that has 'len' of at most 'max': a part of what
 * all others leave, so that there is room for one more however many have theirs (dynamic
 * thresholds; see metadata.h).  Not more than its own limit. */
uint64_t quota_share(const struct mc_quota *, uint64_t len, uint64_t max);

/* Counts one more series; -EDQUOT: as many live as may by its own limit,
 * -EUSERS: by its share of all, -EAGAIN: it makes new ones too fast.  These are
 * counted, too.  'share' is of quota_share(). */
int quota_take(struct mc_quota *, uint64_t share, mc_time now);

/* Counts one more series that was made without it, though it be beyond the limit. */
void quota_charge(struct mc_quota *);

/* A series lives no more. */
void quota_drop(struct mc_quota *);

/* Writes "client '192.0.2.1'", "tenant 'NAME'", or "'NAME'" of a source; returns 'out'.  Without
 * a lock, as long as it is held. */
#define QUOTA_TITLE_SIZE 160
const char *quota_title(const struct mc_quota *, char out[QUOTA_TITLE_SIZE]);

/* Why quota_take() has refused, for the log: without a subject. */
#define QUOTA_FAULT_SIZE (QUOTA_TITLE_SIZE + 128)
const char *quota_fault(const struct mc_quota *, int status, char out[QUOTA_FAULT_SIZE]);
