/* SPDX-License-Identifier: MIT */
/* A room: what all quotas together may have of one kind of metadata, in sources and in bytes.
 *
 * An eighth is for what is charged to no quota: this host's own.  A quota may have a fraction of
 * what all others leave of the rest.  So however many fill their shares, there is room for one more
 * (dynamic thresholds, as of the shared buffers of a switch: Choudhury and Hahne, 1998).
 *
 * The caller locks: one room, one lock. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct mc_quota;

enum metadata_room {
	METADATA_TEXTS,
	METADATA_LIMITS,
	METADATA_METRICS, /* Names and labels: metric.h. */
	METADATA_ROOMS
};

/* Enough for 2,000 nodes of Munin with 50 plugins of 5 fields; about 50 MiB.  The bytes count each
 * text once. */
#define METADATA_SOURCES_MAX 600000
#define METADATA_BYTES_MAX (40 << 20)
#define METADATA_LIMITS_SOURCES_MAX 300000
#define METADATA_LIMITS_BYTES_MAX (32 << 20)
#define METADATA_METRICS_SOURCES_MAX 4000000
#define METADATA_METRICS_BYTES_MAX (256 << 20)
#define METADATA_RESERVE 8      /* The eighth. */
#define METADATA_CLIENT_SHARE 8 /* An eighth of what is left. */
#define METADATA_SOURCE_SHARE 2 /* Sources that an administrator has configured: half. */

struct room {
	enum metadata_room which;
	size_t sources, bytes; /* That are taken. */
};

struct metadata_use { /* Of a room, by a quota. */
	_Atomic size_t sources, bytes;
};

/* Whether the quota (NULL: none) may have one more source, and that number of bytes more. */
bool room_has_source(const struct room *, const struct mc_quota *);
bool room_has_bytes(const struct room *, const struct mc_quota *, size_t bytes);

void room_take_source(struct room *, struct mc_quota *);
void room_take_bytes(struct room *, struct mc_quota *, size_t bytes);
void room_give_source(struct room *, struct mc_quota *);
void room_give_bytes(struct room *, struct mc_quota *, size_t bytes);

/* The share of the quota, used or not. */
struct metadata_limit {
	size_t sources, bytes;
};
struct metadata_limit room_limit(const struct room *, const struct mc_quota *);
