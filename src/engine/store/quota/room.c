/* SPDX-License-Identifier: MIT */
#include "engine/store/quota/room.h"

#include "engine/store/quota/quota.h"

static const struct metadata_limit maxima[METADATA_ROOMS] = {
	[METADATA_TEXTS] = { METADATA_SOURCES_MAX, METADATA_BYTES_MAX },
	[METADATA_LIMITS] = { METADATA_LIMITS_SOURCES_MAX, METADATA_LIMITS_BYTES_MAX },
	[METADATA_METRICS] = { METADATA_METRICS_SOURCES_MAX, METADATA_METRICS_BYTES_MAX },
};

/* How much of 'max' a quota may have, of which all have 'used' and it 'own'. */
static size_t share_of(const struct mc_quota *quota, size_t max, size_t used, size_t own)
{
	size_t others = used - own, open = max - max / METADATA_RESERVE;

	if (others >= open)
		return 0;
	return (open - others) /
	       (quota->kind == MC_QUOTA_SOURCE ? METADATA_SOURCE_SHARE : METADATA_CLIENT_SHARE);
}

struct metadata_limit room_limit(const struct room *room, const struct mc_quota *quota)
{
	const struct metadata_limit *max = &maxima[room->which];
	const struct metadata_use *own = &quota->metadata[room->which];

	return (struct metadata_limit){
		.sources = share_of(quota, max->sources, room->sources, own->sources),
		.bytes = share_of(quota, max->bytes, room->bytes, own->bytes),
	};
}

bool room_has_source(const struct room *room, const struct mc_quota *quota)
{
	if (quota == NULL)
		return room->sources < maxima[room->which].sources;
	return quota->metadata[room->which].sources < room_limit(room, quota).sources;
}

bool room_has_bytes(const struct room *room, const struct mc_quota *quota, size_t bytes)
{
	if (quota == NULL)
		return room->bytes + bytes <= maxima[room->which].bytes;
	return quota->metadata[room->which].bytes + bytes <= room_limit(room, quota).bytes;
}

void room_take_source(struct room *room, struct mc_quota *quota)
{
	room->sources++;
	if (quota != NULL)
		quota->metadata[room->which].sources++;
}

void room_take_bytes(struct room *room, struct mc_quota *quota, size_t bytes)
{
	room->bytes += bytes;
	if (quota != NULL)
		quota->metadata[room->which].bytes += bytes;
}

void room_give_source(struct room *room, struct mc_quota *quota)
{
	room->sources--;
	if (quota != NULL)
		quota->metadata[room->which].sources--;
}

void room_give_bytes(struct room *room, struct mc_quota *quota, size_t bytes)
{
	room->bytes -= bytes;
	if (quota != NULL)
		quota->metadata[room->which].bytes -= bytes;
}
