/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cache_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/kit/lock.h>

/* --- Memory ----------------------------------------------------------- */

static bool is_leaving(const struct cache_file *file)
{
	return file->list == CACHE_URGENT || file->list == CACHE_BUSY;
}

void cache_set_room(struct cache *cache, struct cache_file *file, uint32_t room)
	MC_REQUIRES(cache->lock)
{
	size_t before = cache_room_size(file, file->records_room);
	size_t after = cache_room_size(file, room);

	file->records = mc_alloc_resize(file->records, after, 1);
	file->records_room = room;
	cache->bytes += after - before;
	if (is_leaving(file))
		cache->leaving += after - before;
}

void cache_drop_records(struct cache *cache, struct cache_file *file) MC_REQUIRES(cache->lock)
{
	size_t size = cache_room_size(file, file->records_room);

	cache->bytes -= size;
	if (is_leaving(file))
		cache->leaving -= size;
	free(file->records);
	file->records = NULL;
	file->records_len = 0;
	file->records_room = 0;
}

/* --- Lists ------------------------------------------------------------ */

/* IDLE and BUSY are not lists: no code looks for files there. */
static bool is_listed(const struct cache_file *file)
{
	return file->list != CACHE_IDLE && file->list != CACHE_BUSY;
}

void cache_move(struct cache *cache, struct cache_file *file, enum cache_list to)
	MC_REQUIRES(cache->lock)
{
	struct cache_file **head = &cache->lists[file->list].head;
	struct cache_file **tail = &cache->lists[file->list].tail;

	if (is_leaving(file))
		cache->leaving -= cache_room_size(file, file->records_room);
	if (is_listed(file)) {
		*(file->previous ? &file->previous->next : head) = file->next;
		*(file->next ? &file->next->previous : tail) = file->previous;
	}
	file->list = to;
	file->next = NULL;
	file->previous = NULL;
	if (is_listed(file)) {
		head = &cache->lists[to].head;
		tail = &cache->lists[to].tail;
		file->previous = *tail;
		*(*tail != NULL ? &(*tail)->next : head) = file;
		*tail = file;
	}
	if (is_leaving(file))
		cache->leaving += cache_room_size(file, file->records_room);
}

/* From -RandomTimeout to RandomTimeout, evenly: xorshift64 (Marsaglia 2003). */
static mc_time vary(struct cache *cache) MC_REQUIRES(cache->lock)
{
	cache->random ^= cache->random << 13;
	cache->random ^= cache->random >> 7;
	cache->random ^= cache->random << 17;
	if (cache->rules.random == 0)
		return 0;
	return (mc_time)(cache->random % (2 * (uint64_t)cache->rules.random + 1)) -
	       cache->rules.random;
}

bool cache_is_old_enough(const struct cache *cache, const struct cache_file *file)
{
	return file->last - file->first >= cache->rules.timeout + file->variation;
}

void cache_sort_in(struct cache *cache, struct cache_file *file) MC_REQUIRES(cache->lock)
{
	if (file->records_len == 0) {
		cache_move(cache, file, CACHE_IDLE);
	} else if (file->flush) {
		file->flush = false;
		cache_move(cache, file, CACHE_URGENT);
	} else if (!file->known) {
		cache_move(cache, file, CACHE_CREATE);
	} else if (file->users == 0 || cache_is_old_enough(cache, file)) {
		file->variation = vary(cache);
		cache_move(cache, file, CACHE_DUE);
	} else if (file->list != CACHE_WAITING) {
		cache_move(cache, file, CACHE_WAITING);
	}
}

static bool has_work(const struct cache *cache) MC_REQUIRES(cache->lock)
{
	return cache->lists[CACHE_URGENT].head != NULL || cache->lists[CACHE_DUE].head != NULL ||
	       cache->lists[CACHE_CREATE].head != NULL;
}

static bool must_wake(struct cache *cache) MC_REQUIRES(cache->lock)
{
	bool wake = cache->sleeping && has_work(cache);

	if (wake)
		cache->sleeping = false;
	return wake;
}

/* --- Life ------------------------------------------------------------- */

void cache_free_file(struct cache *cache, struct cache_file *file) MC_REQUIRES(cache->lock)
{
	cache->failing -= file->failures > 0;
	mc_map_remove(&cache->files, &file->node);
	cache_drop_records(cache, file);
	cache_move(cache, file, CACHE_IDLE);
	free(file->row);
	free(file->owner.series);
	free(file);
}

void cache_init(struct cache *cache, const struct cache_rules *rules, uint64_t seed) MC_NO_LOCK
{
	memset(cache, 0, sizeof(*cache));
	cache->rules = *rules;
	cache->random = seed != 0 ? seed : 1;
	pthread_mutex_init(&cache->lock, NULL);
}

static void free_all(struct cache *cache) MC_REQUIRES(cache->lock)
{
	mc_rrd_layouts_free(cache->layouts);
	cache->layouts = NULL;
	mc_map_done(&cache->files);
}

static struct cache_file *find(const struct cache *cache, const char *name) MC_REQUIRES(cache->lock)
{
	return (struct cache_file *)mc_map_find(&cache->files, name, strlen(name));
}

static struct cache_file *find_or_make(struct cache *cache, const char *name)
	MC_REQUIRES(cache->lock)
{
	struct cache_file *file = find(cache, name);
	size_t size = strlen(name) + 1;

	if (file != NULL)
		return file;
	file = mc_alloc_zero(sizeof(*file) + size);
	memcpy(file->name, name, size);
	file->variation = vary(cache);
	file->node.key = file->name;
	file->node.key_size = size - 1;
	mc_map_add(&cache->files, &file->node);
	return file;
}

static uint32_t whole_seconds(mc_time interval)
{
	mc_time seconds = (interval - 1) / MC_SECOND + 1;

	return seconds < UINT32_MAX ? (uint32_t)seconds : UINT32_MAX;
}

struct cache_file *cache_open(struct cache *cache, const char *name,
			      const struct mc_rrd_rules *rules, const struct mc_type *type,
			      mc_time interval)
{
	struct cache_file *file;

	pthread_mutex_lock(&cache->lock);
	file = find_or_make(cache, name);
	if (file->layout == NULL)
		file->layout = mc_rrd_layout(&cache->layouts, rules, type, interval);
	file->interval = whole_seconds(interval);
	file->users++;
	pthread_mutex_unlock(&cache->lock);
	return file;
}

bool cache_claim(struct cache *cache, struct cache_file *file, const char *series)
{
	bool mine;

	pthread_mutex_lock(&cache->lock);
	mine = mc_rrd_claim(&file->owner, file->row, series);
	pthread_mutex_unlock(&cache->lock);
	return mine;
}

bool cache_may_have(struct cache *cache, const char *name, const char *series)
{
	const struct cache_file *file;
	bool may;

	pthread_mutex_lock(&cache->lock);
	file = find(cache, name);
	may = file == NULL || mc_rrd_may_have(&file->owner, file->row, series);
	pthread_mutex_unlock(&cache->lock);
	return may;
}

bool cache_join(struct cache *cache, struct cache_file *file, const struct mc_pnp_place *place,
		const struct mc_rrd_rules *rules, mc_time interval)
{
	struct cache_file *whole;
	bool can;

	pthread_mutex_lock(&cache->lock);
	whole = find_or_make(cache, place->path);
	if (whole->layout == NULL) {
		whole->layout =
			mc_pnp_single_layout(&cache->layouts, rules, &place->file, interval);
		whole->row = mc_pnp_row_new(&place->file, whole);
	}
	can = whole->row != NULL && whole->row->sources_len == place->file.sources_len;
	if (can && file->whole == NULL) {
		whole->users++;
		file->whole = whole;
		file->source = place->source;
	}
	pthread_mutex_unlock(&cache->lock);
	return can;
}

static void end_use(struct cache *cache, struct cache_file *file) MC_REQUIRES(cache->lock)
{
	file->users--;
	if (file->users == 0 && (cache->closed || file->list == CACHE_IDLE))
		cache_free_file(cache, file);
	else if (file->list == CACHE_WAITING)
		cache_sort_in(cache, file);
}

bool cache_forget(struct cache *cache, struct cache_file *file)
{
	struct cache_file *whole;
	bool wake;

	pthread_mutex_lock(&cache->lock);
	whole = file->users == 1 ? file->whole : NULL;
	if (whole != NULL)
		file->whole = NULL; /* It may stay, for its own updates. */
	end_use(cache, file);
	if (whole != NULL)
		end_use(cache, whole);
	if (cache->closed && cache->files.len == 0)
		free_all(cache);
	wake = must_wake(cache);
	pthread_mutex_unlock(&cache->lock);
	return wake;
}

static bool is_known(const struct cache_file *file, unsigned source, uint64_t bits)
{
	union mc_value value;

	memcpy(&value, &bits, sizeof(value));
	return file->layout->sources[source].kind == MC_GAUGE ? !isnan(value.gauge)
							      : value.derive != MC_RRD_MISSING;
}

uint64_t cache_count(const struct cache_file *file, const uint64_t *records, uint32_t len)
{
	uint64_t samples = 0;

	if (file->row == NULL)
		return len;
	for (uint32_t i = 0; i < len; i++, records += cache_stride(file))
		for (unsigned j = 0; j < file->layout->sources_len; j++)
			samples += is_known(file, j, records[1 + j]);
	return samples;
}

uint64_t cache_close(struct cache *cache)
{
	struct mc_map_node *node, *next;
	uint64_t lost = 0;

	pthread_mutex_lock(&cache->lock);
	cache->closed = true;
	for (node = mc_map_next(&cache->files, NULL); node; node = next) {
		struct cache_file *file = (struct cache_file *)node;

		next = mc_map_next(&cache->files, node);
		lost += cache_count(file, file->records, file->records_len);
		cache_drop_records(cache, file);
		if (file->users == 0)
			cache_free_file(cache, file);
	}
	if (cache->files.len == 0)
		free_all(cache);
	pthread_mutex_unlock(&cache->lock);
	return lost;
}

/* --- The writer's side ------------------------------------------------ */

/* Beyond seven eighths of the limit, what waits longest is written at once, so
 * that the limit itself is met only when the disk cannot follow. */
static void push_out(struct cache *cache) MC_REQUIRES(cache->lock)
{
	size_t most = cache->rules.limit - cache->rules.limit / 8;

	while (cache->bytes - cache->leaving > most) {
		struct cache_file *file = cache->lists[CACHE_DUE].head;

		if (file == NULL)
			file = cache->lists[CACHE_WAITING].head;
		if (file == NULL)
			return;
		cache_move(cache, file, CACHE_URGENT);
	}
}

static void add_record(struct cache *cache, struct cache_file *file, mc_time time,
		       const union mc_value *values) MC_REQUIRES(cache->lock)
{
	uint64_t *record;

	if (file->records_len == file->records_room)
		cache_set_room(cache, file, file->records_room == 0 ? 1 : 2 * file->records_room);
	record = file->records + file->records_len * cache_stride(file);
	record[0] = (uint64_t)mc_rrd_second(time);
	memcpy(record + 1, values, file->layout->sources_len * sizeof(*values));
	if (file->records_len++ == 0)
		file->first = time;
	file->last = time;
	/* BUSY: cache_work_done() will do it.  Other lists: it is on its way. */
	if (file->list == CACHE_IDLE || file->list == CACHE_WAITING)
		cache_sort_in(cache, file);
}

static bool is_newer(const struct cache_file *file, int64_t second)
{
	return file->last == 0 || second > mc_rrd_second(file->last);
}

/* Makes an update of the values that a file has so far. */
static void end_row(struct cache *cache, struct mc_pnp_row *row) MC_REQUIRES(cache->lock)
{
	add_record(cache, row->file, row->second * MC_SECOND, row->values);
	row->second = 0;
}

static void add_to_row(struct cache *cache, struct cache_file *file, int64_t second,
		       union mc_value value) MC_REQUIRES(cache->lock)
{
	struct cache_file *whole = file->whole;
	struct mc_pnp_row *row = whole->row;

	if (row->second != 0 && second > row->second)
		end_row(cache, row);
	if (!is_newer(whole, second) || second < row->second) {
		cache->late++;
		return;
	}
	if (!row->listed) {
		row->next = cache->rows;
		cache->rows = row;
		row->listed = true;
	}
	mc_pnp_row_set(row, whole->layout, second, file->source, value);
}

bool cache_add_rows(struct cache *cache, uint64_t *late)
{
	struct mc_pnp_row *row;
	bool wake;

	pthread_mutex_lock(&cache->lock);
	while ((row = cache->rows) != NULL) {
		cache->rows = row->next;
		row->listed = false;
		if (row->second != 0)
			end_row(cache, row);
		push_out(cache);
	}
	*late = cache->late;
	cache->late = 0;
	wake = must_wake(cache);
	pthread_mutex_unlock(&cache->lock);
	return wake;
}

bool cache_add(struct cache *cache, struct cache_file *file, mc_time time,
	       const union mc_value *values)
{
	bool wake = false;

	pthread_mutex_lock(&cache->lock);
	if (is_newer(file, mc_rrd_second(time))) {
		if (file->whole != NULL) {
			add_to_row(cache, file, mc_rrd_second(time), values[0]);
			file->last = time;
		} else {
			add_record(cache, file, time, values);
			push_out(cache);
			wake = must_wake(cache);
		}
	}
	pthread_mutex_unlock(&cache->lock);
	return wake;
}

bool cache_full(struct cache *cache, uint64_t *lost)
{
	struct cache_file *file;
	bool full;

	pthread_mutex_lock(&cache->lock);
	file = cache->lists[CACHE_FAILED].head;
	while (cache->bytes > cache->rules.limit && file != NULL) {
		*lost += cache_count(file, file->records, file->records_len);
		cache_drop_records(cache, file);
		file = file->next;
	}
	full = cache->bytes > cache->rules.limit;
	pthread_mutex_unlock(&cache->lock);
	return full;
}

static void flush_one(struct cache *cache, struct cache_file *file, mc_time age, mc_time now)
	MC_REQUIRES(cache->lock)
{
	switch ((enum cache_list)file->list) {
	case CACHE_WAITING:
		if (age == 0 || now - file->first >= age)
			cache_move(cache, file, CACHE_URGENT);
		break;
	case CACHE_DUE:
	case CACHE_CREATE:
	case CACHE_FAILED:
		cache_move(cache, file, CACHE_URGENT);
		break;
	case CACHE_BUSY:
		file->flush = true;
		break;
	case CACHE_IDLE:
	case CACHE_URGENT:
	case CACHE_LISTS:
		break;
	}
}

void cache_flush_all(struct cache *cache, mc_time age, mc_time now) MC_REQUIRES(cache->lock)
{
	struct cache_file *file, *next;

	for (file = cache->lists[CACHE_WAITING].head; file; file = next) {
		next = file->next;
		if (age == 0 || now - file->first >= age)
			cache_move(cache, file, CACHE_DUE);
	}
	for (file = cache->lists[CACHE_CREATE].head; file; file = file->next)
		file->flush = true;
}

bool cache_flush(struct cache *cache, const char *name, mc_time age, mc_time now)
{
	struct cache_file *file;
	bool wake;

	pthread_mutex_lock(&cache->lock);
	file = name != NULL ? find(cache, name) : NULL;
	if (name == NULL)
		cache_flush_all(cache, age, now);
	else if (file != NULL)
		flush_one(cache, file, age, now);
	wake = must_wake(cache);
	pthread_mutex_unlock(&cache->lock);
	return wake;
}

bool cache_is_flushed(struct cache *cache, const char *name)
{
	struct cache_file *file;
	bool flushed;

	pthread_mutex_lock(&cache->lock);
	file = find(cache, name);
	flushed = file == NULL || !is_leaving(file);
	pthread_mutex_unlock(&cache->lock);
	return flushed;
}

void cache_retry(struct cache *cache)
{
	pthread_mutex_lock(&cache->lock);
	for (struct cache_file *file = cache->lists[CACHE_FAILED].head; file != NULL;
	     file = file->next)
		file->retry = 0;
	pthread_mutex_unlock(&cache->lock);
}
