/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which RRD file waits for what: updates not yet on disk, and the order in which files are made and
 * written.  No I/O, no clock: the caller says what time it is.
 *
 * A file is in one list at most:
 *
 *               first update                 old enough, or flushed
 *      IDLE ----------------> WAITING ----------------------------> DUE
 *        |                      ^  ^                                 |
 *        | file not known       |  | more updates came meanwhile     | next()
 *        v                      |  |                                 v
 *      CREATE ----- next() ----> BUSY <------------------------------+
 *                                 | failed            flushed by name: URGENT
 *                                 v
 *                               FAILED ---- some time later ----> CREATE
 *
 * Two threads meet here: the writer's, which adds, and the one that works on the disk.  All
 * functions lock for themselves, unless they say otherwise.
 */
#pragma once

#include <pthread.h>

#include <collector/kit/lock.h>
#include <collector/kit/map.h>

#include "formats/rrd/rrd.h"
#include "kit/series/rrd_files.h"

struct cache_rules {
	mc_time timeout; /* CacheTimeout, CacheFlush, RandomTimeout. */
	mc_time flush;
	mc_time random;
	mc_time write_pause;        /* 1 / WritesPerSecond; 0: none. */
	unsigned writes_per_create; /* While both wait. */
	size_t limit;               /* Bytes of updates. */
};

enum cache_list {
	CACHE_IDLE,
	CACHE_WAITING, /* In the order of their first update. */
	CACHE_CREATE,
	CACHE_DUE,
	CACHE_URGENT,
	CACHE_FAILED,
	CACHE_BUSY,
	CACHE_LISTS,
};

struct cache_file {
	struct mc_map_node node; /* By name. */
	struct cache_file *previous, *next;
	struct mc_rrd_owner owner; /* With PathTemplate; see cache_claim(). */
	/* The values of this one are a source of that one; see cache_join(). */
	struct cache_file *whole;
	struct mc_pnp_row *row; /* Of a whole. */
	unsigned source;        /* In the whole. */
	const struct mc_rrd_layout *layout;
	uint64_t *records; /* Second and values of each update. */
	uint32_t records_len, records_room;
	mc_time first, last; /* Time of the oldest and newest update. */
	mc_time variation;   /* Of CacheTimeout: RandomTimeout's share. */
	mc_time retry;       /* FAILED: not before this moment. */
	/* Series of that name: none, if it has ended; two, if it is back before
	 * the old one was forgotten. */
	uint32_t users;
	_Atomic uint32_t interval; /* Seconds, of its series, rounded up; any thread reads it. */
	uint8_t list;              /* enum cache_list */
	uint8_t failures;          /* In a row. */
	bool known;                /* The file was seen, or made. */
	bool flush;                /* Wanted while BUSY, or before it is known. */
	char name[];               /* "host/cpu-0/cpu-idle" */
};

struct cache {
	struct cache_rules rules;
	pthread_mutex_t lock; /* Also of all files. */
	struct {
		struct cache_file *head, *tail;
	} lists[CACHE_LISTS] MC_GUARDED_BY(lock);
	struct mc_map files MC_GUARDED_BY(lock);
	struct mc_rrd_layout *layouts MC_GUARDED_BY(lock);
	size_t failing MC_GUARDED_BY(lock); /* Files with failures. */
	size_t bytes MC_GUARDED_BY(lock);   /* Of records. */
	/* Part of them that is URGENT or BUSY. */
	size_t leaving MC_GUARDED_BY(lock);
	mc_time next_write MC_GUARDED_BY(lock); /* Steady clock. */
	mc_time next_flush MC_GUARDED_BY(lock);
	unsigned writes MC_GUARDED_BY(lock); /* Since the last creation. */
	uint64_t random MC_GUARDED_BY(lock);
	struct mc_pnp_row *rows MC_GUARDED_BY(lock); /* With values. */
	uint64_t late MC_GUARDED_BY(lock);           /* See cache_add_rows(). */
	/* The disk's thread waits for cache_add(). */
	bool sleeping MC_GUARDED_BY(lock);
	bool closed MC_GUARDED_BY(lock);
};

void cache_init(struct cache *, const struct cache_rules *, uint64_t seed);

/* The file of that name, made (in memory) if new.  One cache_forget() for each cache_open(). */
struct cache_file *cache_open(struct cache *, const char *name, const struct mc_rrd_rules *,
			      const struct mc_type *, mc_time interval);

/* Makes it the file of that series, which has just opened it; false: it is the file of another. */
bool cache_claim(struct cache *, struct cache_file *, const char *series);

/* False: the file of that name is that of another series. */
bool cache_may_have(struct cache *, const char *name, const char *series);

/* Makes the values of a file, which a series has just opened, those of a source of a file that
 * exists, with others.  False: that one is the file of another series. */
bool cache_join(struct cache *, struct cache_file *, const struct mc_pnp_place *,
		const struct mc_rrd_rules *, mc_time interval);

/* A series has ended.  Cached values are written, then the file is freed.  True if the disk's
 * thread must be woken. */
bool cache_forget(struct cache *, struct cache_file *);

/* Adds an update; one that is not newer than the last, in RRD's whole seconds,
 * counts as written.  True if the disk's thread must be woken. */
bool cache_add(struct cache *, struct cache_file *, mc_time, const union mc_value *values);

/* Makes updates of the values that have come for files with several series, at
 * the end of a batch.  '*late' is how many came when there was an update of
 * their second without them.  True if the disk's thread must be woken. */
bool cache_add_rows(struct cache *, uint64_t *late);

/* Whether updates fill the memory that is allowed.  Those of FAILED files are
 * given up first, the oldest file first: '*lost' is how many. */
bool cache_full(struct cache *, uint64_t *lost);

/* Makes due all files that have an update older than 'age', or only that of that name, which is
 * then URGENT.  'now' is since 1970.  True if the disk's thread must be woken. */
bool cache_flush(struct cache *, const char *name, mc_time age, mc_time now);

/* Whether all updates of the file of that name are on the disk, or cannot be now. */
bool cache_is_flushed(struct cache *, const char *name);

/* FAILED files need not wait any longer. */
void cache_retry(struct cache *);

/* Frees all files that no series has any more; the others go with their cache_forget(), and the
 * last one frees the rest.  Returns how many updates were never written. */
uint64_t cache_close(struct cache *);
