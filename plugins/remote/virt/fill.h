/* SPDX-License-Identifier: MIT */
/* How long until something is full: the trend of one level of all that holds a guest's disk, the
 * tightest of these levels, and both in words.  Pure.
 *
 * The rate is that of the last minutes: a mean that forgets most of the time before the last five
 * minutes, and in which freed space counts, too. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <collector/plugin.h>

/* The time of a level that does not fill, or that takes longer. */
#define FILL_NEVER (365.0 * 86400)

#define FILL_NAME_SIZE 128
#define FILL_LEVELS_MAX 16

struct fill_trend {          /* All zero: not looked at yet. */
	mc_time begun;       /* First look, ... */
	mc_time looked;      /* ... and the last one. */
	uint64_t used, size; /* Bytes. */
	double rate;         /* Bytes per second. */
};

void fill_take(struct fill_trend *, uint64_t used, uint64_t size, mc_time now);

/* Seconds until it is full, from its last look on; FILL_NEVER at most. */
double fill_seconds(const struct fill_trend *);

enum fill_kind {
	FILL_GUEST_FILE_SYSTEM, /* In the guest, as its agent says. */
	FILL_DISK,              /* All that the guest can address. */
	FILL_IMAGE,             /* The device that has the image. */
	FILL_POOL,              /* Data of the thin pool of that device. */
	FILL_POOL_METADATA,     /* Its metadata. */
	FILL_FILE_SYSTEM,       /* Of the host, that has the image. */
};

struct fill_level {
	enum fill_kind kind;
	char name[FILL_NAME_SIZE]; /* Of a file system or device; "": it has none. */
	struct fill_trend trend;
	bool counts; /* False: its end does no harm, as another level shows that better. */
};

struct fill_levels {
	struct fill_level items[FILL_LEVELS_MAX];
	size_t len;
};

/* Adds a level; further ones than there is room for are left out. */
void fill_add(struct fill_levels *, enum fill_kind kind, const char *name,
	      const struct fill_trend *trend, bool counts);

/* The level that is full first, of those that count; NULL without one. */
const struct fill_level *fill_tightest(const struct fill_levels *);

/* "full in 40 min: file system /srv (92 %, 1.2 GiB a minute); its disk in 3 h, its file system / in
 * 9 h", or "not filling: file system /srv (92 %), ..."; cut to fit. */
void fill_write(const struct fill_levels *, char *out, size_t size);

struct fill_alarm { /* All zero at first. */
	enum mc_severity severity, wanted;
	mc_time since; /* Of 'wanted'. */
};

/* A FAILURE below ten minutes, a WARNING below an hour; worse when that has lasted for two
 * minutes, better when it has for ten. */
enum mc_severity fill_judge(struct fill_alarm *, double seconds, mc_time now);
