/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cache_work.h"

#include <stdlib.h>
#include <string.h>

#include "cache_internal.h"

enum { RETRY_CHECK = 5 }; /* Seconds between looks at FAILED files. */
static const mc_time retry_first = 10 * MC_SECOND;
static const mc_time retry_last = 300 * MC_SECOND;

/* Files that failed are tried again when their time has come and there is something to write. */
static void revive(struct cache *cache, mc_time steady) MC_REQUIRES(cache->lock)
{
	struct cache_file *file, *next;

	for (file = cache->lists[CACHE_FAILED].head; file; file = next) {
		next = file->next;
		if (file->retry > steady)
			continue;
		if (file->records_len == 0 && file->users == 0)
			cache_free_file(cache, file);
		else
			cache_sort_in(cache, file);
	}
}

/* CacheFlush: series that send nothing more would wait for ever. */
static void flush_old(struct cache *cache, struct cache_moment now) MC_REQUIRES(cache->lock)
{
	if (cache->rules.timeout == 0 || now.steady < cache->next_flush)
		return;
	if (cache->next_flush != 0)
		cache_flush_all(cache, cache->rules.timeout + cache->rules.random, now.real);
	cache->next_flush = now.steady + cache->rules.flush;
}

static struct cache_file *choose(struct cache *cache, mc_time steady, bool urgent)
	MC_REQUIRES(cache->lock)
{
	struct cache_file *create = cache->lists[CACHE_CREATE].head;
	struct cache_file *due = cache->lists[CACHE_DUE].head;

	if (cache->lists[CACHE_URGENT].head != NULL)
		return cache->lists[CACHE_URGENT].head;
	if (steady < cache->next_write && !urgent)
		due = NULL;
	if (create != NULL && due != NULL)
		return cache->writes < cache->rules.writes_per_create ? due : create;
	return create != NULL ? create : due;
}

static mc_time earliest(mc_time a, mc_time b)
{
	return a < b ? a : b;
}

/* When there may be work without cache_add() and cache_flush(). */
static mc_time next_wake(const struct cache *cache, mc_time steady) MC_REQUIRES(cache->lock)
{
	mc_time wake = INT64_MAX;

	if (cache->lists[CACHE_DUE].head != NULL)
		wake = earliest(wake, cache->next_write);
	if (cache->lists[CACHE_FAILED].head != NULL)
		wake = earliest(wake, steady + RETRY_CHECK * MC_SECOND);
	if (cache->rules.timeout != 0)
		wake = earliest(wake, cache->next_flush);
	return wake;
}

static void take_records(struct cache_work *work)
{
	struct cache_file *file = work->file;

	/* They stay in the account until the work is done. */
	work->records = file->records;
	work->records_len = file->records_len;
	work->records_room = file->records_room;
	work->first = file->first;
	file->records = NULL;
	file->records_len = 0;
	file->records_room = 0;
	file->flush = false;
}

void cache_work_next(struct cache *cache, struct cache_moment now, bool urgent,
		     struct cache_work *work)
{
	struct cache_file *file;

	*work = (struct cache_work){ 0 };
	pthread_mutex_lock(&cache->lock);
	cache->sleeping = false;
	revive(cache, now.steady);
	flush_old(cache, now);
	file = choose(cache, now.steady, urgent);
	if (file == NULL) {
		cache->sleeping = true;
		work->wake = next_wake(cache, now.steady);
	} else {
		cache->writes = file->list == CACHE_CREATE ? 0 : cache->writes + 1;
		file->flush |= file->list != CACHE_CREATE || urgent;
		if (file->list != CACHE_CREATE)
			cache->next_write = now.steady + cache->rules.write_pause;
		cache_move(cache, file, CACHE_BUSY);
		work->file = file;
		work->first = file->first;
		if (file->known)
			take_records(work);
	}
	pthread_mutex_unlock(&cache->lock);
}

bool cache_work_take(struct cache *cache, struct cache_work *work)
{
	struct cache_file *file = work->file;
	bool take;

	pthread_mutex_lock(&cache->lock);
	file->known = true;
	take = file->records_len > 0 &&
	       (file->flush || file->users == 0 || cache_is_old_enough(cache, file));
	if (take)
		take_records(work);
	pthread_mutex_unlock(&cache->lock);
	return take;
}

static void return_account(struct cache *cache, const struct cache_work *work)
	MC_REQUIRES(cache->lock)
{
	size_t size = cache_room_size(work->file, work->records_room);

	cache->bytes -= size;
	cache->leaving -= size;
}

static void leave(struct cache *cache, struct cache_file *file) MC_REQUIRES(cache->lock)
{
	if (file->users == 0 && file->records_len == 0)
		cache_free_file(cache, file);
	else
		cache_sort_in(cache, file);
}

bool cache_work_done(struct cache *cache, struct cache_work *work)
{
	bool recovered;

	pthread_mutex_lock(&cache->lock);
	recovered = work->file->failures > 0 && --cache->failing == 0;
	work->file->failures = 0;
	return_account(cache, work);
	leave(cache, work->file);
	pthread_mutex_unlock(&cache->lock);
	free(work->records);
	return recovered;
}

/* Records that were taken come before those added since. */
static void give_back(struct cache *cache, struct cache_work *work) MC_REQUIRES(cache->lock)
{
	struct cache_file *file = work->file;
	uint32_t len = work->records_len + file->records_len;

	return_account(cache, work);
	if (len > file->records_room)
		cache_set_room(cache, file, len);
	if (work->records_len > 0) {
		memmove(file->records + work->records_len * cache_stride(file), file->records,
			cache_room_size(file, file->records_len));
		memcpy(file->records, work->records, cache_room_size(file, work->records_len));
		file->first = work->first;
	}
	file->records_len = len;
}

uint64_t cache_work_failed(struct cache *cache, struct cache_work *work, mc_time steady, bool keep)
{
	struct cache_file *file = work->file;
	bool early = file->failures > 0 && steady < file->retry; /* Somebody asked for it. */
	mc_time delay = retry_first << (file->failures < 5 ? file->failures : 5);
	uint64_t lost = 0;

	pthread_mutex_lock(&cache->lock);
	if (keep && file->users > 0) {
		give_back(cache, work);
	} else {
		lost = cache_count(file, work->records, work->records_len) +
		       cache_count(file, file->records, file->records_len);
		return_account(cache, work);
		cache_drop_records(cache, file);
	}
	file->known = false;
	file->flush = false;
	cache->failing += file->failures == 0;
	if (!early) {
		file->failures += file->failures < UINT8_MAX;
		file->retry = steady + earliest(delay, retry_last);
	}
	if (file->users == 0)
		cache_free_file(cache, file);
	else
		cache_move(cache, file, CACHE_FAILED);
	pthread_mutex_unlock(&cache->lock);
	free(work->records);
	return lost;
}
