/* SPDX-License-Identifier: MIT */
/* A tree by series and source, and one of what is said of them, in which equal
 * metadata are one.  Whether a series is in the former says the series, with
 * the number of the last change, so that the others are never looked for. */
#include "engine/store/metadata.h"

#include <search.h>
#include <stdlib.h>

#include <collector/kit/lock.h>

#include "base/alloc.h"
#include "engine/store/store_internal.h"
#include "model/metadata.h"

struct item {
	const struct mc_series *series;
	unsigned source;
	struct metadata *metadata;
};

struct metadata_table {
	pthread_mutex_t lock;
	void *items MC_GUARDED_BY(lock);
	size_t len MC_GUARDED_BY(lock);
	void *shared MC_GUARDED_BY(lock);    /* Of struct metadata. */
	size_t bytes MC_GUARDED_BY(lock);    /* Of those. */
	uint16_t change MC_GUARDED_BY(lock); /* The last one, never 0. */
};

static int compare(const void *a, const void *b)
{
	const struct item *left = a, *right = b;

	if (left->series != right->series)
		return left->series < right->series ? -1 : 1;
	return (left->source > right->source) - (left->source < right->source);
}

static int compare_shared(const void *a, const void *b)
{
	const struct metadata *left = a, *right = b;

	return metadata_compare(&left->said, &right->said);
}

/* --- What is said ------------------------------------------------------ */

/* Takes over 'metadata', and gives a reference to what is equal to it; NULL:
 * there is too much. */
static struct metadata *share(struct metadata_table *table,
			      struct metadata *metadata)
	MC_REQUIRES(table->lock)
{
	struct metadata **found =
		tfind(metadata, &table->shared, compare_shared);
	struct metadata *shared = found != NULL ? *found : metadata;

	if (found != NULL ||
	    table->bytes + metadata->size > METADATA_BYTES_MAX ||
	    tsearch(metadata, &table->shared, compare_shared) == NULL) {
		free(metadata);
		if (found == NULL)
			return NULL;
	} else {
		metadata->table = table;
		table->bytes += metadata->size;
	}
	shared->references++;
	return shared;
}

static void release(struct metadata_table *table, struct metadata *metadata)
	MC_REQUIRES(table->lock)
{
	if (--metadata->references > 0)
		return;
	tdelete(metadata, &table->shared, compare_shared);
	table->bytes -= metadata->size;
	free(metadata);
}

/* --- Of which source --------------------------------------------------- */

struct metadata_table *metadata_new(void)
{
	struct metadata_table *table = alloc_zero(sizeof(*table));

	pthread_mutex_init(&table->lock, NULL);
	return table;
}

static struct item *find(struct metadata_table *table,
			 const struct mc_series *series, unsigned source)
	MC_REQUIRES(table->lock)
{
	struct item key = { .series = series, .source = source };
	struct item **found = tfind(&key, &table->items, compare);

	return found != NULL ? *found : NULL;
}

static void drop(struct metadata_table *table, struct item *item)
	MC_REQUIRES(table->lock)
{
	tdelete(item, &table->items, compare);
	table->len--;
	release(table, item->metadata);
	free(item);
}

void metadata_free(struct metadata_table *table) MC_NO_LOCK
{
	while (table->items != NULL)
		drop(table, *(struct item **)table->items);
	pthread_mutex_destroy(&table->lock);
	free(table);
}

void metadata_leave(struct metadata_table *table,
		    const struct mc_series *series)
{
	pthread_mutex_lock(&table->lock);
	for (unsigned i = 0; i < series->type->sources_len; i++) {
		struct item *item = find(table, series, i);

		if (item != NULL)
			drop(table, item);
	}
	pthread_mutex_unlock(&table->lock);
}

/* NULL if there are too many. */
static struct item *add(struct metadata_table *table,
			const struct mc_series *series, unsigned source)
	MC_REQUIRES(table->lock)
{
	struct item *item;

	if (table->len == METADATA_SOURCES_MAX)
		return NULL;
	item = alloc_zero(sizeof(*item));
	item->series = series;
	item->source = source;
	if (tsearch(item, &table->items, compare) == NULL) {
		free(item);
		return NULL;
	}
	table->len++;
	return item;
}

/* Takes over the reference to 'metadata'. */
static enum metadata_outcome replace(struct metadata_table *table,
				     const struct mc_series *series,
				     unsigned source, struct metadata *metadata)
	MC_REQUIRES(table->lock)
{
	struct item *item = find(table, series, source);

	if (item == NULL) {
		item = add(table, series, source);
	} else if (item->metadata == metadata) {
		release(table, metadata);
		return METADATA_SAME;
	} else {
		release(table, item->metadata);
	}
	if (item == NULL) {
		release(table, metadata);
		return METADATA_FULL;
	}
	item->metadata = metadata;
	return METADATA_CHANGED;
}

static enum metadata_outcome set(struct metadata_table *table,
				 const struct mc_series *series,
				 unsigned source,
				 const struct mc_metadata *metadata)
	MC_REQUIRES(table->lock)
{
	struct item *item = find(table, series, source);
	struct metadata *shared;

	if (item != NULL &&
	    metadata_compare(metadata, &item->metadata->said) == 0)
		return METADATA_SAME;
	shared = share(table, metadata_copy(metadata));
	return shared != NULL ? replace(table, series, source, shared)
			      : METADATA_FULL;
}

/* After the change: who sees the number sees what it is of. */
static void count_change(struct metadata_table *table, struct mc_series *series)
	MC_REQUIRES(table->lock)
{
	if (++table->change == 0)
		++table->change;
	atomic_store(&series->described, table->change);
}

enum metadata_outcome metadata_set(struct mc_series *series, unsigned source,
				   const struct mc_metadata *metadata)
{
	struct metadata_table *table = series->store->metadata;
	enum metadata_outcome outcome;

	pthread_mutex_lock(&table->lock);
	outcome = set(table, series, source, metadata);
	if (outcome == METADATA_CHANGED)
		count_change(table, series);
	pthread_mutex_unlock(&table->lock);
	return outcome;
}

/* --- The plugin API ---------------------------------------------------- */

const struct mc_metadata *mc_get_metadata(const struct mc_series *series,
					  unsigned source)
{
	struct metadata_table *table = series->store->metadata;
	const struct mc_metadata *said = NULL;
	struct item *item;

	if (atomic_load(&series->described) == 0)
		return NULL;
	pthread_mutex_lock(&table->lock);
	item = find(table, series, source);
	if (item != NULL) {
		item->metadata->references++;
		said = &item->metadata->said;
	}
	pthread_mutex_unlock(&table->lock);
	return said;
}

void mc_release_metadata(const struct mc_metadata *said)
{
	struct metadata_table *table;
	struct metadata *metadata;

	if (said == NULL)
		return;
	metadata = (struct metadata *)((char *)said -
				       offsetof(struct metadata, said));
	table = metadata->table;
	pthread_mutex_lock(&table->lock);
	release(table, metadata);
	pthread_mutex_unlock(&table->lock);
}
