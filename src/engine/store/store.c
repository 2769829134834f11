/* SPDX-License-Identifier: MIT */
/* The store: every series by its name, and the batches that are alive. */
#include "engine/store/store.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "engine/store/metadata.h"
#include "engine/store/states.h"
#include "engine/store/store_internal.h"

#define CACHE_LINE 64
#define KEPT_AT_ONCE 256 /* Series: the lock is not held for longer. */

struct store *store_new(const struct store_settings *settings) MC_NO_LOCK
{
	struct store *store = alloc_zero(sizeof(*store));

	store->settings = *settings;
	store->notes.size_max = settings->notes_bytes;
	store->metric_notes.size_max = settings->notes_bytes / 4;
	store->retired_end = &store->retired;
	pthread_mutex_init(&store->lock, NULL);
	pthread_cond_init(&store->freed, NULL);
	table_init(&store->table);
	store->retirements = alloc_zero(STORE_HOSTS * sizeof(*store->retirements));
	store->recent = recent_new(settings->history_bytes);
	store->metadata = metadata_new();
	store->metrics = metric_new();
	return store;
}

/* --- Batches ------------------------------------------------------------- */

static void link_batch(struct store *store, struct mc_batch *batch) MC_REQUIRES(store->lock)
{
	batch->serial = ++store->serial;
	batch->newer = NULL;
	batch->older = store->newest;
	if (store->newest != NULL)
		store->newest->newer = batch;
	else
		store->oldest = batch;
	store->newest = batch;
}

static void unlink_batch(struct store *store, struct mc_batch *batch) MC_REQUIRES(store->lock)
{
	if (batch->older != NULL)
		batch->older->newer = batch->newer;
	else
		store->oldest = batch->newer;
	if (batch->newer != NULL)
		batch->newer->older = batch->older;
	else
		store->newest = batch->older;
}

struct mc_batch *store_begin(struct store *store, struct mc_ctx *ctx)
{
	struct mc_batch *batch;

	pthread_mutex_lock(&store->lock);
	batch = batch_pool_take(&store->batch_pool, ctx);
	if (batch == NULL) {
		batch = alloc_zero(sizeof(*batch));
		batch_init(batch);
	}
	link_batch(store, batch);
	pthread_mutex_unlock(&store->lock);
	batch_begin(batch, ctx, clock_wall());
	return batch;
}

static void free_series(struct store *store, struct mc_series *series)
{
	states_leave(store, series);
	if (atomic_load(&series->described) != 0)
		metadata_leave(store->metadata, series);
	if (atomic_load(&series->metric) != NULL)
		metric_leave(store->metrics, series);
	for (unsigned i = 0; i < store->settings.slots_len; i++)
		if (*series_slot(series, i) != NULL)
			store->settings.forget(store->settings.argument, i,
					       *series_slot(series, i));
	series_free(series, store->settings.slots_len);
}

/* No batch knows series that left before the batch of that serial was begun. */
static uint64_t oldest_known(const struct store *store) MC_REQUIRES(store->lock)
{
	return store->oldest != NULL ? store->oldest->serial : UINT64_MAX;
}

/* Takes those series off the list of retired ones that no batch can know. */
static struct mc_series *take_forgotten(struct store *store) MC_REQUIRES(store->lock)
{
	uint64_t known = oldest_known(store);
	struct mc_series *first = store->retired, **end = &first;

	while (*end != NULL && (*end)->retired < known)
		end = &(*end)->next_retired;
	store->retired = *end;
	if (store->retired == NULL)
		store->retired_end = &store->retired;
	*end = NULL;
	return first;
}

/* Without the lock, because it calls the owners of slots. */
static void free_forgotten(struct store *store, struct mc_series *forgotten)
{
	struct mc_series *next;

	for (; forgotten != NULL; forgotten = next) {
		next = forgotten->next_retired;
		free_series(store, forgotten);
	}
	pthread_mutex_lock(&store->lock);
	store->freeing--;
	pthread_cond_broadcast(&store->freed);
	pthread_mutex_unlock(&store->lock);
}

void store_release(struct store *store, struct mc_batch *batch)
{
	struct table_rows *rows = NULL;
	struct mc_series *forgotten = NULL;
	struct mc_batch *keeps;
	bool kept;

	if (atomic_fetch_sub_explicit(&batch->references, 1, memory_order_acq_rel) > 1)
		return;
	keeps = batch->keeps;
	pthread_mutex_lock(&store->lock);
	unlink_batch(store, batch);
	kept = batch_pool_put(&store->batch_pool, batch);
	if (store->retired != NULL && store->clearing == 0)
		forgotten = take_forgotten(store);
	store->freeing += forgotten != NULL;
	if (store->table.old_rows != NULL)
		rows = table_forget(&store->table, oldest_known(store));
	pthread_mutex_unlock(&store->lock);
	table_free(rows);
	if (!kept) {
		batch_done(batch);
		free(batch);
	}
	if (forgotten != NULL)
		free_forgotten(store, forgotten);
	if (keeps != NULL)
		store_release(store, keeps);
}

/* --- Series -------------------------------------------------------------- */

struct mc_series *store_find(struct store *store, const char *name, size_t size)
{
	uint64_t hash = table_hash(name, size);
	struct mc_series *series;

	pthread_mutex_lock(&store->lock);
	series = table_find(&store->table, hash, name, size);
	pthread_mutex_unlock(&store->lock);
	return series;
}

/* Senders repeat the order of their series.  So a series remembers the place in the table of the
 * one that was asked for BATCH_ASKED look-ups later: the series there is most often the next one
 * asked for, and is found without a lock or a hash.  It is a hint, and so is the address that is
 * fetched with it: nothing is believed that the name does not prove.
 *
 * Without the lock a series may be retired while it is looked at.  It is not freed, because it was
 * in the table after 'batch' was begun; nor are the rows of the table. */
static struct mc_series *predicted(const struct store *store, const struct mc_series *earlier,
				   const char *name, size_t size)
{
	struct mc_series *series;

	if (earlier == NULL)
		return NULL;
	series = table_at(&store->table,
			  atomic_load_explicit(&earlier->next_hint, memory_order_relaxed));
	if (series == NULL || series->name_size != size || memcmp(series->name, name, size) != 0)
		return NULL;
	return series;
}

/* Finds it by its hash, and lets the earlier one remember where. */
static struct mc_series *search(struct store *store, struct mc_series *earlier, const char *name,
				size_t size)
{
	uint64_t hash = table_hash(name, size);
	struct mc_series *series;
	uint32_t place;

	pthread_mutex_lock(&store->lock);
	place = table_seek(&store->table, hash, name, size);
	series = table_at(&store->table, place);
	pthread_mutex_unlock(&store->lock);
	if (series != NULL && earlier != NULL) {
		atomic_store_explicit(&earlier->next_hint, place, memory_order_relaxed);
		atomic_store_explicit(&earlier->soon, (uintptr_t)series, memory_order_relaxed);
	}
	return series;
}

/* Fetches what will be asked for soon. */
static void fetch_soon(const struct store *store, const struct mc_series *series)
{
	uintptr_t soon = atomic_load_explicit(&series->soon, memory_order_relaxed);

	table_prefetch(&store->table,
		       atomic_load_explicit(&series->next_hint, memory_order_relaxed));
	for (unsigned i = 0; i < 3; i++)
		__builtin_prefetch((void *)(soon + i * CACHE_LINE));
}

/* It lived before a restart, so it counts even beyond the limit. */
static void charge(struct store *store, struct mc_series *series, struct mc_quota *quota)
{
	pthread_mutex_lock(&store->lock);
	if (series->retired == 0) {
		if (series->quota == NULL) {
			series->quota = quota;
			quota_charge(quota);
		}
		series->uncharged = false;
	}
	pthread_mutex_unlock(&store->lock);
}

struct mc_series *store_find_for(struct store *store, struct mc_batch *batch, const char *name,
				 size_t size)
{
	struct mc_series **asked = &batch->asked[batch->asked_len % BATCH_ASKED];
	struct mc_series *series = predicted(store, *asked, name, size);

	if (series == NULL)
		series = search(store, *asked, name, size);
	if (series == NULL)
		return NULL;
	if (atomic_load_explicit(&series->uncharged, memory_order_relaxed) && batch->quota != NULL)
		charge(store, series, batch->quota);
	*asked = series;
	batch->asked_len++;
	fetch_soon(store, series);
	return series;
}

/* Whether one more may be made, which then counts: as store_make(). */
static int take_room(struct store *store, struct mc_quota *quota) MC_REQUIRES(store->lock)
{
	if (store->table.len >= store->settings.limit) {
		store->refused++;
		return -ENOSPC;
	}
	if (quota == NULL)
		return 0;
	return quota_take(quota, quota_share(quota, store->table.len, store->settings.limit),
			  clock_now());
}

int store_make(struct store *store, const struct mc_name_parts *parts, const struct mc_type *type,
	       struct mc_quota *quota, struct mc_series **out)
{
	size_t size = series_name_size(parts);
	uint64_t hash = table_hash(parts->name, size);
	struct mc_series *series;
	int rc = 0;

	pthread_mutex_lock(&store->lock);
	series = table_find(&store->table, hash, parts->name, size);
	if (series == NULL)
		rc = take_room(store, quota);
	if (series == NULL && rc == 0) {
		series = series_new(type, parts, store->settings.slots_len);
		series->store = store;
		series->seen = store_awake_now(store);
		series->interval = STORE_UNUSED;
		series->quota = quota;
		series->remembered = recent_keeps(store->recent, series);
		table_add(&store->table, hash, series, store->serial);
	}
	pthread_mutex_unlock(&store->lock);
	if (rc == 0)
		*out = series;
	return rc;
}

/* Needs the lock.  A revived series is charged to no quota: it was made long ago. */
static void leave_quota(struct mc_series *series)
{
	if (series->quota != NULL)
		quota_drop(series->quota);
	series->quota = NULL;
}

void store_note_begun(struct store *store, struct mc_series *series)
{
	bool added = notes_add(&store->notes, series, NOTE_BEGUN, NULL);

	series->metric_noted =
		added && atomic_load_explicit(&series->metric, memory_order_relaxed) != NULL;
}

static uint64_t hash_of(const struct mc_series *series)
{
	return table_hash(series->name, series->name_size);
}

void store_list_retired(struct store *store, struct mc_series *series) MC_REQUIRES(store->lock)
{
	series->retired = store->serial;
	series->next_retired = NULL;
	*store->retired_end = series;
	store->retired_end = &series->next_retired;
}

/* Only pages that are written to use memory: few where few series end. */
static _Atomic uint32_t *retirements_of(const struct store *store, const char *host, size_t size)
{
	return &store->retirements[table_hash(host, size) % STORE_HOSTS];
}

/* Without the lock: whoever gets the new count finds the series no more, because that left the
 * table before. */
uint32_t store_count_retirements(const struct store *store, const char *host, size_t size)
{
	return atomic_load_explicit(retirements_of(store, host, size), memory_order_acquire);
}

void store_retire(struct store *store, struct mc_series *series)
{
	table_remove(&store->table, hash_of(series), series);
	atomic_fetch_add_explicit(retirements_of(store, mc_host(series), series->host_size), 1,
				  memory_order_release);
	leave_quota(series);
	if (series->remembered)
		recent_remove(store->recent, series);
	store_list_retired(store, series);
}

struct mc_series *store_revive(struct store *store, struct mc_series *series)
{
	struct mc_series *other, **at = &store->retired;
	uint64_t hash = hash_of(series);

	other = table_find(&store->table, hash, series->name, series->name_size);
	if (other != NULL)
		return other;
	while (*at != series)
		at = &(*at)->next_retired;
	*at = series->next_retired;
	if (*at == NULL)
		store->retired_end = at;
	series->retired = 0;
	series->quota = NULL;
	series->remembered = recent_keeps(store->recent, series);
	table_add(&store->table, hash, series, store->serial);
	store_note_begun(store, series);
	return series;
}

struct mc_series *mc_hold(struct mc_series *series)
{
	struct store *store;

	if (series == NULL)
		return NULL;
	store = series->store;
	pthread_mutex_lock(&store->lock);
	if (series->retired != 0)
		series = store_revive(store, series);
	series->holds++;
	pthread_mutex_unlock(&store->lock);
	return series;
}

void mc_release(struct mc_series *series)
{
	struct store *store;

	if (series == NULL)
		return;
	store = series->store;
	pthread_mutex_lock(&store->lock);
	assert(series->holds > 0);
	series->holds--;
	pthread_mutex_unlock(&store->lock);
}

/* --- Time ----------------------------------------------------------------- */

void store_slept(struct store *store, mc_time duration)
{
	pthread_mutex_lock(&store->lock);
	store->slept += duration;
	pthread_mutex_unlock(&store->lock);
}

size_t store_all(struct store *store, struct mc_series ***out)
{
	struct table_copy copy = { 0 };
	bool more;

	do {
		pthread_mutex_lock(&store->lock);
		more = table_copy_some(&store->table, &copy);
		pthread_mutex_unlock(&store->lock);
	} while (more);
	*out = copy.series;
	return copy.len;
}

/* --- What is remembered -------------------------------------------------- */

void store_recall(struct store *store, struct mc_series *series, struct recent_copy *copy)
{
	pthread_mutex_lock(&store->lock);
	*copy = (struct recent_copy){ 0 };
	if (series->retired == 0)
		recent_look(store->recent, series, clock_now(), copy);
	pthread_mutex_unlock(&store->lock);
}

void store_glance(struct store *store, struct mc_series *series, struct recent_copy *copy)
{
	pthread_mutex_lock(&store->lock);
	recent_glance(store->recent, series, copy);
	pthread_mutex_unlock(&store->lock);
}

static void keep_some(struct store *store, struct mc_series *const *some, size_t len)
{
	pthread_mutex_lock(&store->lock);
	for (size_t i = 0; i < len; i++)
		if (some[i]->retired == 0 && recent_keeps(store->recent, some[i]))
			some[i]->remembered = true;
	pthread_mutex_unlock(&store->lock);
}

void store_keep(struct store *store, struct mc_batch *batch, const char *host, const char *plugin)
{
	struct mc_series **all;
	size_t len;

	assert(batch != NULL);
	pthread_mutex_lock(&store->lock);
	recent_keep(store->recent, host, plugin);
	pthread_mutex_unlock(&store->lock);
	len = store_all(store, &all);
	for (size_t i = 0; i < len; i += KEPT_AT_ONCE)
		keep_some(store, all + i, len - i < KEPT_AT_ONCE ? len - i : KEPT_AT_ONCE);
	free(all);
}

void store_set_history(struct store *store, size_t bytes)
{
	pthread_mutex_lock(&store->lock);
	recent_set_limit(store->recent, bytes);
	pthread_mutex_unlock(&store->lock);
}

/* --- Changes ------------------------------------------------------------- */

double store_timeout(struct store *store)
{
	double timeout;

	pthread_mutex_lock(&store->lock);
	timeout = store->settings.timeout;
	pthread_mutex_unlock(&store->lock);
	return timeout;
}

void store_set_limits(struct store *store, size_t limit, double timeout)
{
	pthread_mutex_lock(&store->lock);
	store->settings.limit = limit;
	store->settings.timeout = timeout;
	pthread_mutex_unlock(&store->lock);
}

bool store_remembers(struct store *store, uint64_t serial)
{
	bool remembered;

	pthread_mutex_lock(&store->lock);
	remembered = oldest_known(store) <= serial;
	pthread_mutex_unlock(&store->lock);
	return remembered;
}

void store_count(struct store *store, struct store_counts *counts)
{
	pthread_mutex_lock(&store->lock);
	counts->series = store->table.len;
	counts->limit = store->settings.limit;
	counts->refused = store->refused;
	pthread_mutex_unlock(&store->lock);
}

void store_free(struct store *store) MC_NO_LOCK
{
	struct mc_series *next;

	if (store == NULL)
		return;
	assert(store->oldest == NULL);
	recent_free(store->recent);
	for (size_t i = 0; i < table_size(&store->table); i++) {
		next = table_at(&store->table, i);
		if (next != NULL) {
			leave_quota(next);
			free_series(store, next);
		}
	}
	for (struct mc_series *s = store->retired; s != NULL; s = next) {
		next = s->next_retired;
		free_series(store, s);
	}
	notes_free(&store->notes);
	notes_free(&store->metric_notes);
	batch_pool_done(&store->batch_pool);
	if (store->listing != NULL)
		free(store->listing->series);
	free(store->listing);
	table_done(&store->table);
	free(store->retirements);
	metadata_free(store->metadata);
	metric_free(store->metrics);
	quota_done(&store->quotas);
	pthread_cond_destroy(&store->freed);
	pthread_mutex_destroy(&store->lock);
	free(store);
}
