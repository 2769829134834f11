/* SPDX-License-Identifier: MIT */
/* The quotas of the store: made, given back, and shown. */
#include <collector/private/status.h>
#include <collector/quota.h>

#include <stdlib.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "engine/store/quota/quota.h"
#include "engine/store/store_internal.h"

struct mc_quota *store_quota_new(struct store *store, const struct quota_name *name,
				 enum mc_quota_kind kind, const struct mc_quota_limits *limits)
{
	struct mc_quota *quota;

	pthread_mutex_lock(&store->lock);
	quota = quota_hold(&store->quotas, kind, name, clock_now());
	quota->store = store;
	quota_limit(quota, limits);
	pthread_mutex_unlock(&store->lock);
	return quota;
}

void mc_quota_free(struct mc_quota *quota)
{
	struct store *store;

	if (quota == NULL)
		return;
	store = quota->store;
	pthread_mutex_lock(&store->lock);
	quota->holders--;
	pthread_mutex_unlock(&store->lock);
}

uint64_t mc_quota_refused(const struct mc_quota *quota)
{
	return atomic_load(&quota->refused);
}

/* --- Shown ---------------------------------------------------------------- */

struct shown {
	struct mc_quota *quota; /* Held. */
	struct mc_quota_status status;
	double fullness;
};

static struct mc_quota_status status_of(const struct store *store, const struct mc_quota *quota)
	MC_REQUIRES(store->lock)
{
	return (struct mc_quota_status){
		.plugin = quota->instance,
		.name = quota->name,
		.kind = quota->kind,
		.series = quota->len,
		.series_limit = quota_share(quota, store->table.len, store->settings.limit),
		.series_refused = quota->refused,
		.metadata = quota->metadata[METADATA_TEXTS].sources +
			    quota->metadata[METADATA_LIMITS].sources,
		.metadata_bytes = quota->metadata[METADATA_TEXTS].bytes +
				  quota->metadata[METADATA_LIMITS].bytes,
		.metadata_refused = quota->metadata_refused,
	};
}

/* All, to be freed. */
static struct shown *hold_all(struct store *store, size_t *len)
{
	struct shown *all;
	size_t i = 0;

	*len = 0;
	pthread_mutex_lock(&store->lock);
	for (struct mc_quota *q = store->quotas.first; q != NULL; q = q->next)
		++*len;
	all = alloc_array(*len, sizeof(*all));
	for (struct mc_quota *q = store->quotas.first; q != NULL; q = q->next) {
		q->holders++;
		all[i].quota = q;
		all[i++].status = status_of(store, q);
	}
	pthread_mutex_unlock(&store->lock);
	return all;
}

static double part(uint64_t used, uint64_t limit)
{
	return limit > 0 ? (double)used / (double)limit : 0;
}

/* A quota with refusals counts as more than full. */
static void measure(struct store *store, struct shown *shown)
{
	struct mc_quota_status *status = &shown->status;
	struct metadata_limit limit = metadata_limit(store->metadata, shown->quota);
	double parts[] = { part(status->series, status->series_limit),
			   part(status->metadata, limit.sources),
			   part(status->metadata_bytes, limit.bytes) };

	status->metadata_limit = limit.sources;
	status->metadata_bytes_limit = limit.bytes;
	for (unsigned i = 0; i < 3; i++)
		if (parts[i] > shown->fullness)
			shown->fullness = parts[i];
	shown->fullness += (status->series_refused > 0 || status->metadata_refused > 0);
}

static int by_fullness(const void *a, const void *b)
{
	double left = ((const struct shown *)a)->fullness;
	double right = ((const struct shown *)b)->fullness;

	return (left < right) - (left > right);
}

void store_each_quota(struct store *store,
		      void (*visit)(void *argument, const struct mc_quota_status *), void *argument)
{
	size_t len;
	struct shown *all = hold_all(store, &len);

	for (size_t i = 0; i < len; i++)
		measure(store, &all[i]);
	if (len > 0)
		qsort(all, len, sizeof(*all), by_fullness);
	for (size_t i = 0; i < len && i < MC_QUOTAS_SHOWN; i++)
		visit(argument, &all[i].status);
	for (size_t i = 0; i < len; i++)
		mc_quota_free(all[i].quota);
	free(all);
}
