/* SPDX-License-Identifier: MIT */
/* How many living series one maker may have, and how fast it may make new ones.
 * Guarded by the lock of the store. */
#ifndef COLLECTOR_ENGINE_STORE_QUOTA_H
#define COLLECTOR_ENGINE_STORE_QUOTA_H

#include <stdatomic.h>

#include <collector/plugin.h>

struct store;

struct mc_quota {
	struct store *store;
	uint64_t limit, len;          /* Living series. */
	_Atomic uint64_t refused;     /* Read without the lock. */
	double per_second, allowance; /* New ones; at most 'limit' at once. */
	mc_time since;                /* When 'allowance' was worked out. */
	bool released;                /* Only series know it now. */
};

struct mc_quota *quota_new(struct store *, uint64_t limit, double per_second,
			   mc_time now);

/* Whether one more series may be made, which then counts; if not, that does. */
bool quota_take(struct mc_quota *, mc_time now);

/* A series lives no more. */
void quota_drop(struct mc_quota *);

/* Its maker is gone: it is freed, now or with its last series. */
void quota_release(struct mc_quota *);

#endif
