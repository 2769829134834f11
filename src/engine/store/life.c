/* SPDX-License-Identifier: MIT */
/* The begin and the end of series, for the catalogue, and series that are made again. */
#include <math.h>
#include <stdlib.h>

#include "engine/store/store.h"
#include "engine/store/store_internal.h"

static void take(struct store *store, struct notes *from, struct notes *notes)
{
	pthread_mutex_lock(&store->lock);
	*notes = *from;
	*from = (struct notes){ .size_max = notes->size_max };
	store->metrics_taken |= notes->has_metric;
	pthread_mutex_unlock(&store->lock);
}

void store_take_notes(struct store *store, struct notes *notes)
{
	take(store, &store->notes, notes);
}

void store_take_metric_notes(struct store *store, struct notes *notes)
{
	take(store, &store->metric_notes, notes);
}

bool store_awaits_metrics(struct store *store)
{
	bool awaits;

	pthread_mutex_lock(&store->lock);
	awaits = store->notes.has_metric || store->metrics_taken;
	pthread_mutex_unlock(&store->lock);
	return awaits;
}

void store_metrics_written(struct store *store)
{
	pthread_mutex_lock(&store->lock);
	store->metrics_taken = false;
	pthread_mutex_unlock(&store->lock);
}

void store_note_metric(struct mc_series *series)
{
	struct store *store = series->store;

	pthread_mutex_lock(&store->lock);
	if (!series->metric_noted && series->retired == 0)
		series->metric_noted = notes_add(&store->metric_notes, series, NOTE_METRIC, NULL);
	pthread_mutex_unlock(&store->lock);
}

struct metric_table *store_metrics(struct store *store)
{
	return store->metrics;
}

struct mc_series *store_take_metric(struct store *store, const char *name, size_t size)
{
	uint64_t hash = table_hash(name, size);
	struct mc_series *series;

	pthread_mutex_lock(&store->lock);
	series = table_find(&store->table, hash, name, size);
	if (series != NULL)
		series->metric_noted = false;
	pthread_mutex_unlock(&store->lock);
	return series;
}

void store_life(struct store *store, const struct mc_series *series, struct store_life *life)
{
	pthread_mutex_lock(&store->lock);
	*life = (struct store_life){ series->first, series->time, series->interval };
	pthread_mutex_unlock(&store->lock);
}

static void set_unknown(struct mc_series *series)
{
	for (unsigned i = 0; i < series->type->sources_len; i++) {
		if (series->type->sources[i].kind == MC_GAUGE)
			series->values[i].gauge = NAN;
		series_rates(series)[i].gauge = NAN;
	}
}

struct mc_series *store_recreate(struct store *store, const struct mc_name_parts *parts,
				 const struct mc_type *type, const struct store_life *life)
{
	size_t size = series_name_size(parts);
	uint64_t hash = table_hash(parts->name, size);
	struct mc_series *series;

	pthread_mutex_lock(&store->lock);
	series = table_find(&store->table, hash, parts->name, size);
	if (series == NULL) {
		series = series_new(type, parts, store->settings.slots_len);
		set_unknown(series);
		series->store = store;
		series->first = life->first;
		series->fresh = life->first == 0;
		series->time = life->last;
		series->interval = life->interval > 0 ? life->interval : STORE_UNUSED;
		series->presence = SERIES_MISSING;
		store_list_retired(store, series);
	}
	pthread_mutex_unlock(&store->lock);
	return series;
}

void store_set_first(struct store *store, const char *name, size_t size, mc_time first)
{
	uint64_t hash = table_hash(name, size);
	struct mc_series *series;

	pthread_mutex_lock(&store->lock);
	series = table_find(&store->table, hash, name, size);
	if (series != NULL && series->first > first)
		series->first = first;
	pthread_mutex_unlock(&store->lock);
}
