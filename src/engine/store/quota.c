/* SPDX-License-Identifier: MIT */
#include "engine/store/quota.h"

#include <assert.h>
#include <stdlib.h>

#include "base/alloc.h"

struct mc_quota *quota_new(struct store *store, uint64_t limit,
			   double per_second, mc_time now)
{
	struct mc_quota *quota = alloc_zero(sizeof(*quota));

	quota->store = store;
	quota->limit = limit;
	quota->per_second = per_second;
	quota->allowance = (double)limit;
	quota->since = now;
	return quota;
}

static void allow(struct mc_quota *quota, mc_time now)
{
	quota->allowance +=
		(double)(now - quota->since) / MC_SECOND * quota->per_second;
	if (quota->allowance > (double)quota->limit)
		quota->allowance = (double)quota->limit;
	quota->since = now;
}

bool quota_take(struct mc_quota *quota, mc_time now)
{
	allow(quota, now);
	if (quota->len >= quota->limit || quota->allowance < 1) {
		atomic_fetch_add(&quota->refused, 1);
		return false;
	}
	quota->allowance--;
	quota->len++;
	return true;
}

static void free_unused(struct mc_quota *quota)
{
	if (quota->released && quota->len == 0)
		free(quota);
}

void quota_drop(struct mc_quota *quota)
{
	assert(quota->len > 0);
	quota->len--;
	free_unused(quota);
}

void quota_release(struct mc_quota *quota)
{
	quota->released = true;
	free_unused(quota);
}
