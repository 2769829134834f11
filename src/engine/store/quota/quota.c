/* SPDX-License-Identifier: MIT */
#include "engine/store/quota/quota.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#define HOUR (3600 * MC_SECOND)

/* --- By name ------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
	const struct mc_quota *left = a, *right = b;
	int order = strcmp(left->instance, right->instance);

	if (order == 0)
		order = (int)left->kind - (int)right->kind;
	return order != 0 ? order : strcmp(left->name, right->name);
}

static struct mc_quota *add(struct quotas *quotas, enum mc_quota_kind kind,
			    const struct quota_name *name, mc_time now)
{
	struct mc_quota *quota = alloc_zero(sizeof(*quota));

	quota->instance = name->instance;
	quota->name = alloc_copy(name->name);
	quota->kind = kind;
	quota->since = quota->filled = now;
	quota->allowance = -1; /* Of the first limit. */
	if (tsearch(quota, &quotas->by_name, compare) == NULL)
		abort(); /* Out of memory. */
	quota->next = quotas->first;
	quotas->first = quota;
	return quota;
}

struct mc_quota *quota_hold(struct quotas *quotas, enum mc_quota_kind kind,
			    const struct quota_name *name, mc_time now)
{
	const struct mc_quota key = { .instance = name->instance,
				      .kind = kind,
				      .name = (char *)name->name };
	struct mc_quota **found = tfind(&key, &quotas->by_name, compare);
	struct mc_quota *quota = found != NULL ? *found : add(quotas, kind, name, now);

	quota->holders++;
	return quota;
}

void quota_limit(struct mc_quota *quota, const struct mc_quota_limits *limits)
{
	quota->limit = (uint64_t)limits->series;
	quota->per_second = (double)limits->new_series;
	if (quota->kind == MC_QUOTA_SOURCE)
		quota->per_second /= (double)HOUR / MC_SECOND;
	if (quota->allowance < 0)
		quota->allowance = (double)quota->limit;
}

static bool is_used(const struct mc_quota *quota)
{
	bool used = quota->holders > 0 || quota->len > 0;

	for (unsigned i = 0; i < METADATA_ROOMS; i++)
		used |= quota->metadata[i].sources > 0 || quota->metadata[i].bytes > 0;
	return used;
}

static void free_quota(struct quotas *quotas, struct mc_quota **at)
{
	struct mc_quota *quota = *at;

	*at = quota->next;
	tdelete(quota, &quotas->by_name, compare);
	free(quota->name);
	free(quota);
}

void quota_sweep(struct quotas *quotas)
{
	struct mc_quota **at = &quotas->first;

	while (*at != NULL)
		if (is_used(*at))
			at = &(*at)->next;
		else
			free_quota(quotas, at);
}

void quota_done(struct quotas *quotas)
{
	while (quotas->first != NULL)
		free_quota(quotas, &quotas->first);
}

/* --- Series -------------------------------------------------------------- */

/* A client that was silent so long that all its series ended comes back with all of them: these do
 * not count as new.  But one that only pauses to begin anew has to wait. */
static void welcome_back(struct mc_quota *quota, mc_time now)
{
	if (quota->len > 0 || now - quota->filled < HOUR)
		return;
	quota->allowance = (double)quota->limit;
	quota->filled = now;
}

static void allow(struct mc_quota *quota, mc_time now)
{
	welcome_back(quota, now);
	quota->allowance += (double)(now - quota->since) / MC_SECOND * quota->per_second;
	if (quota->allowance > (double)quota->limit)
		quota->allowance = (double)quota->limit;
	quota->since = now;
}

uint64_t quota_share(const struct mc_quota *quota, uint64_t len, uint64_t max)
{
	uint64_t reserve = max / QUOTA_RESERVE, others = len - quota->len, share;

	if (reserve > QUOTA_RESERVE_MAX)
		reserve = QUOTA_RESERVE_MAX;
	max -= quota->kind == MC_QUOTA_SOURCE ? reserve : 2 * reserve;
	share = max > others ? max - others : 0;
	share -= share / (quota->kind == MC_QUOTA_CROWD ? 8 : 3);
	return quota->limit > 0 && quota->limit < share ? quota->limit : share;
}

int quota_take(struct mc_quota *quota, uint64_t share, mc_time now)
{
	int rc = 0;

	allow(quota, now);
	if (quota->limit > 0 && quota->len >= quota->limit)
		rc = -EDQUOT;
	else if (quota->len >= share)
		rc = -EUSERS;
	else if (quota->limit > 0 && quota->allowance < 1)
		rc = -EAGAIN;
	if (rc < 0) {
		atomic_fetch_add(&quota->refused, 1);
		return rc;
	}
	quota->allowance--;
	quota->len++;
	return 0;
}

void quota_charge(struct mc_quota *quota)
{
	quota->len++;
}

void quota_drop(struct mc_quota *quota)
{
	assert(quota->len > 0);
	quota->len--;
}

/* --- Metadata ----------------------------------------------------------- */

const char *quota_title(const struct mc_quota *quota, char out[QUOTA_TITLE_SIZE])
{
	static const char *const words[] = {
		[MC_QUOTA_CLIENT] = "client ",
		[MC_QUOTA_SOURCE] = "",
		[MC_QUOTA_CROWD] = "",
		[MC_QUOTA_TENANT] = "tenant ",
	};

	snprintf(out, QUOTA_TITLE_SIZE, "%s'%.128s'", words[quota->kind], quota->name);
	return out;
}

const char *quota_fault(const struct mc_quota *quota, int status, char out[QUOTA_FAULT_SIZE])
{
	static const char *const suffixes[] = {
		[MC_QUOTA_CLIENT] = "PerClient",
		[MC_QUOTA_SOURCE] = "",
		[MC_QUOTA_CROWD] = "",
		[MC_QUOTA_TENANT] = "PerTenant",
	};
	const char *suffix = suffixes[quota->kind];
	char title[QUOTA_TITLE_SIZE];

	quota_title(quota, title);
	if (status == -EDQUOT)
		snprintf(out, QUOTA_FAULT_SIZE,
			 "is beyond the %" PRIu64 " series that %s may have by MaxSeries%s",
			 (uint64_t)quota->limit, title, suffix);
	else if (status == -EUSERS)
		snprintf(out, QUOTA_FAULT_SIZE,
			 "is beyond the part of SeriesLimit that all others leave to %s", title);
	else
		snprintf(out, QUOTA_FAULT_SIZE,
			 "is beyond the new series that %s may make by "
			 "MaxNewSeries%s",
			 title, suffix);
	return out;
}
