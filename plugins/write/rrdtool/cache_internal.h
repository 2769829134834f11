/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The inside of the cache, for cache.c, the writer's side, and cache_work.c, the disk's. */
#pragma once

#include "cache.h"

static inline size_t cache_stride(const struct cache_file *file)
{
	return 1 + (size_t)file->layout->sources_len;
}

static inline size_t cache_room_size(const struct cache_file *file, uint32_t room)
{
	return room * cache_stride(file) * sizeof(uint64_t);
}

/* Makes room for that many records, or gives all of them up. */
void cache_set_room(struct cache *cache, struct cache_file *file, uint32_t room)
	MC_REQUIRES(cache->lock);
void cache_drop_records(struct cache *cache, struct cache_file *file) MC_REQUIRES(cache->lock);

/* Number of samples in that many records: in a file of several series, the known values of each. */
uint64_t cache_count(const struct cache_file *, const uint64_t *records, uint32_t len);

/* Puts a file into that list, or where it belongs: it has updates, or none. */
void cache_move(struct cache *cache, struct cache_file *file, enum cache_list to)
	MC_REQUIRES(cache->lock);
void cache_sort_in(struct cache *cache, struct cache_file *file) MC_REQUIRES(cache->lock);
bool cache_is_old_enough(const struct cache *, const struct cache_file *);

/* Makes due all that has waited for longer than 'age'.  As in collectd, these
 * keep to WritesPerSecond. */
void cache_flush_all(struct cache *cache, mc_time age, mc_time now) MC_REQUIRES(cache->lock);
void cache_free_file(struct cache *cache, struct cache_file *file) MC_REQUIRES(cache->lock);
