/* SPDX-License-Identifier: MIT */
#include "shards.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

#include "kit/series/tenant.h"

#define REFUSED ((uintptr_t)1)      /* In a slot, beside the address of the host. */
#define LOOK_AGAIN (10 * MC_SECOND) /* Whose a host is. */

struct host {
	struct mc_map_node node; /* By name. */
	struct shard *shard;
	size_t series_len;
	uint64_t batch; /* In which it was looked at last. */
	mc_time next_look;
	char name[];
};

void shards_init(struct shards *shards, struct mc_ctx *ctx, const struct spread *spread,
		 bool by_tenant)
{
	*shards = (struct shards){ .ctx = ctx, .spread = spread, .by_tenant = by_tenant };
}

static void free_if_unused(struct shards *shards)
{
	if (!shards->done || shards->hosts.len > 0)
		return;
	mc_map_done(&shards->hosts);
	mc_map_done(&shards->shards);
}

void shards_done(struct shards *shards)
{
	shards->done = true;
	free_if_unused(shards);
}

/* --- Hosts ------------------------------------------------------------------- */

static struct shard *find_shard(struct shards *shards, unsigned place, const char *tenant)
{
	char *key = mc_alloc_printf("%u %s", place, tenant);
	size_t size = strlen(key);
	struct shard *shard = (struct shard *)mc_map_find(&shards->shards, key, size);

	if (shard == NULL) {
		shard = mc_alloc_zero(sizeof(*shard) + size + 1);
		memcpy(shard->key, key, size);
		shard->place = place;
		shard->tenant = strchr(shard->key, ' ') + 1;
		shard->node.key = shard->key;
		shard->node.key_size = size;
		mc_map_add(&shards->shards, &shard->node);
	}
	free(key);
	shard->hosts_len++;
	return shard;
}

static void leave_shard(struct shards *shards, struct shard *shard)
{
	if (shard == NULL || --shard->hosts_len > 0)
		return;
	mc_map_remove(&shards->shards, &shard->node);
	free(shard);
}

static void look(struct shards *shards, struct host *host)
{
	struct shard *before = host->shard;
	char tenant[MC_LABEL_SIZE] = "";

	if (shards->by_tenant)
		mc_tenant(shards->ctx, host->name, tenant);
	host->shard = find_shard(shards, spread_shard(shards->spread, host->name), tenant);
	leave_shard(shards, before);
	host->next_look = mc_now() + LOOK_AGAIN;
}

static struct host *find_host(struct shards *shards, const char *name)
{
	size_t size = strlen(name);
	struct host *host = (struct host *)mc_map_find(&shards->hosts, name, size);

	if (host == NULL) {
		host = mc_alloc_zero(sizeof(*host) + size + 1);
		memcpy(host->name, name, size);
		host->node.key = host->name;
		host->node.key_size = size;
		mc_map_add(&shards->hosts, &host->node);
	}
	host->series_len++;
	return host;
}

static void leave_host(struct shards *shards, struct host *host)
{
	if (host == NULL || --host->series_len > 0)
		return;
	leave_shard(shards, host->shard);
	mc_map_remove(&shards->hosts, &host->node);
	free(host);
	free_if_unused(shards);
}

/* --- Slots ------------------------------------------------------------------- */

static struct host *host_of(void *slot)
{
	return (struct host *)((uintptr_t)slot & ~REFUSED);
}

struct shard *shards_of(struct shards *shards, const struct mc_series *series)
{
	void **slot = mc_slot(shards->ctx, series);
	struct host *host = host_of(*slot);

	if (host == NULL) {
		host = find_host(shards, mc_host(series));
		*slot = (void *)((uintptr_t)*slot | (uintptr_t)host);
	}
	if (host->shard == NULL || (host->batch != shards->batch && mc_now() >= host->next_look))
		look(shards, host);
	host->batch = shards->batch;
	return host->shard;
}

struct shard *shards_begin(struct shards *shards, const struct mc_batch *batch)
{
	struct shard *first = NULL, **last = &first;

	shards->batch++;
	MC_FOR_EACH_SAMPLE (sample, batch) {
		struct shard *shard = shards_of(shards, sample->series);

		if (shard->batch == shards->batch)
			continue;
		shard->batch = shards->batch;
		shard->next = NULL;
		*last = shard;
		last = &shard->next;
	}
	return first;
}

bool shards_is_suspect(const struct shards *shards, const struct mc_series *series)
{
	return ((uintptr_t)*mc_slot(shards->ctx, series) & REFUSED) != 0;
}

void shards_suspect(struct shards *shards, const struct mc_series *series, bool refused)
{
	void **slot = mc_slot(shards->ctx, series);

	if (shards_is_suspect(shards, series) == refused)
		return;
	*slot = (void *)((uintptr_t)*slot ^ REFUSED);
	shards->suspects_len += refused ? 1 : (size_t)-1;
}

void shards_forget(struct shards *shards, void *slot)
{
	if (((uintptr_t)slot & REFUSED) != 0)
		shards->suspects_len--;
	leave_host(shards, host_of(slot));
}
