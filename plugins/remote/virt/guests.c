/* SPDX-License-Identifier: MIT */
#include "guests.h"

#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

struct guest *guests_find(const struct mc_map *guests, const unsigned char uuid[VIR_UUID_BUFLEN])
{
	return (struct guest *)mc_map_find(guests, uuid, VIR_UUID_BUFLEN);
}

struct guest *guests_get(struct mc_map *guests, const unsigned char uuid[VIR_UUID_BUFLEN])
{
	struct guest *guest = guests_find(guests, uuid);

	if (guest != NULL)
		return guest;
	guest = mc_alloc_zero(sizeof(*guest));
	memcpy(guest->uuid, uuid, sizeof(guest->uuid));
	guests_rename(guest, "", "", "", "");
	guest->node.key = guest->uuid;
	guest->node.key_size = sizeof(guest->uuid);
	mc_map_add(guests, &guest->node);
	return guest;
}

void guests_rename(struct guest *guest, const char *name, const char *metadata, const char *host,
		   const char *instance)
{
	const char *texts[] = { name, metadata, host, instance };
	const char **fields[] = { &guest->name, &guest->metadata, &guest->host, &guest->instance };
	char *old = (char *)guest->name, *at;
	size_t size = 0;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		size += strlen(texts[i]) + 1;
	at = mc_alloc(size);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		size = strlen(texts[i]) + 1;
		*fields[i] = memcpy(at, texts[i], size);
		at += size;
	}
	free(old);
}

struct guest *guests_next(const struct mc_map *guests, const struct guest *guest)
{
	return (struct guest *)mc_map_next(guests, guest != NULL ? &guest->node : NULL);
}

static void forget(struct guest *guest, struct mc_kept_files *files)
{
	activity_end(files, &guest->poll.activity);
	counters_free(&guest->poll.counters);
	latency_free(&guest->latencies);
	percentiles_free(&guest->percentiles);
	describe_done(&guest->xml);
	guest_limits_done(&guest->limits);
	kernel_forget(&guest->map);
	free((char *)guest->name);
	free(guest->pins);
	free(guest->watermarks);
	free(guest);
}

void guests_sweep(struct mc_map *guests, struct mc_kept_files *files, uint64_t seen)
{
	struct guest *guest, *next;

	for (guest = guests_next(guests, NULL); guest != NULL; guest = next) {
		next = guests_next(guests, guest);
		if (guest->seen == seen)
			continue;
		mc_map_remove(guests, &guest->node);
		forget(guest, files);
	}
}

void guests_done(struct mc_map *guests, struct mc_kept_files *files)
{
	struct guest *guest, *next;

	for (guest = guests_next(guests, NULL); guest != NULL; guest = next) {
		next = guests_next(guests, guest);
		forget(guest, files);
	}
	mc_map_done(guests);
}
