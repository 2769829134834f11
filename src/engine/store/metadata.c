/* SPDX-License-Identifier: MIT */
/* A tree by series and source, and one of their metadata, in which equal metadata are one.  The
 * series itself records, by the number of the last change, whether it is in the former, so that
 * the others are never looked for.
 *
 * A source is charged to the quota that has described it first, in the room where its metadata
 * are; metadata are charged to their first user. */
#include "engine/store/metadata.h"

#include <math.h>
#include <search.h>
#include <stdlib.h>

#include <collector/kit/lock.h>

#include "base/alloc.h"
#include "engine/store/quota/quota.h"
#include "engine/store/store_internal.h"
#include "model/metadata.h"

struct item {
	const struct mc_series *series;
	uint32_t source;
	enum metadata_room room;
	struct mc_quota *quota; /* NULL: none. */
	struct metadata *metadata;
};

struct metadata_table {
	pthread_mutex_t lock;
	void *items MC_GUARDED_BY(lock);
	void *shared MC_GUARDED_BY(lock); /* Of struct metadata. */
	struct room rooms[METADATA_ROOMS] MC_GUARDED_BY(lock);
	uint16_t change MC_GUARDED_BY(lock); /* The last one, never 0. */
};

/* The metadata to keep: their owner and their room. */
struct charge {
	struct mc_quota *quota;
	enum metadata_room room;
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

	return metadata_compare(&left->content, &right->content);
}

struct metadata_limit metadata_limit(struct metadata_table *table, const struct mc_quota *quota)
{
	struct metadata_limit limit;

	pthread_mutex_lock(&table->lock);
	limit = room_limit(&table->rooms[METADATA_TEXTS], quota);
	pthread_mutex_unlock(&table->lock);
	return limit;
}

/* --- Metadata --------------------------------------------------------- */

/* Returns a reference to a copy of the metadata; NULL without room. */
static struct metadata *share(struct metadata_table *table, const struct charge *charge,
			      const struct mc_metadata *content) MC_REQUIRES(table->lock)
{
	struct metadata *copy = metadata_copy(content);
	struct metadata **found = tfind(copy, &table->shared, compare_shared);
	struct metadata *shared = found != NULL ? *found : copy;

	if (found != NULL ||
	    !room_has_bytes(&table->rooms[charge->room], charge->quota, copy->size) ||
	    tsearch(copy, &table->shared, compare_shared) == NULL) {
		free(copy);
		if (found == NULL)
			return NULL;
	} else {
		copy->table = table;
		copy->quota = charge->quota;
		copy->room = charge->room;
		room_take_bytes(&table->rooms[charge->room], charge->quota, copy->size);
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
	room_give_bytes(&table->rooms[metadata->room], metadata->quota, metadata->size);
	free(metadata);
}

/* --- Of which source --------------------------------------------------- */

struct metadata_table *metadata_new(void) MC_NO_LOCK
{
	struct metadata_table *table = alloc_zero(sizeof(*table));

	pthread_mutex_init(&table->lock, NULL);
	for (unsigned i = 0; i < METADATA_ROOMS; i++)
		table->rooms[i].which = i;
	return table;
}

static struct item *find(struct metadata_table *table, const struct mc_series *series,
			 unsigned source) MC_REQUIRES(table->lock)
{
	struct item key = { .series = series, .source = source };
	struct item **found = tfind(&key, &table->items, compare);

	return found != NULL ? *found : NULL;
}

static void charge_source(struct metadata_table *table, struct item *item,
			  const struct charge *charge) MC_REQUIRES(table->lock)
{
	item->quota = charge->quota;
	item->room = charge->room;
	room_take_source(&table->rooms[item->room], item->quota);
}

static void discharge_source(struct metadata_table *table, struct item *item)
	MC_REQUIRES(table->lock)
{
	room_give_source(&table->rooms[item->room], item->quota);
}

static void drop(struct metadata_table *table, struct item *item) MC_REQUIRES(table->lock)
{
	tdelete(item, &table->items, compare);
	release(table, item->metadata);
	discharge_source(table, item);
	free(item);
}

void metadata_free(struct metadata_table *table) MC_NO_LOCK
{
	while (table->items != NULL)
		drop(table, *(struct item **)table->items);
	pthread_mutex_destroy(&table->lock);
	free(table);
}

void metadata_leave(struct metadata_table *table, const struct mc_series *series)
{
	pthread_mutex_lock(&table->lock);
	for (unsigned i = 0; i < series->type->sources_len; i++) {
		struct item *item = find(table, series, i);

		if (item != NULL)
			drop(table, item);
	}
	pthread_mutex_unlock(&table->lock);
}

/* NULL if there is no room. */
static struct item *add(struct metadata_table *table, const struct mc_series *series,
			unsigned source, const struct charge *charge) MC_REQUIRES(table->lock)
{
	struct item *item;

	if (!room_has_source(&table->rooms[charge->room], charge->quota))
		return NULL;
	item = alloc_zero(sizeof(*item));
	item->series = series;
	item->source = source;
	if (tsearch(item, &table->items, compare) == NULL) {
		free(item);
		return NULL;
	}
	charge_source(table, item, charge);
	return item;
}

/* Has the item in that room; false if that is full. */
static bool move(struct metadata_table *table, struct item *item, const struct charge *charge)
	MC_REQUIRES(table->lock)
{
	if (item->room == charge->room)
		return true;
	if (!room_has_source(&table->rooms[charge->room], charge->quota))
		return false;
	discharge_source(table, item);
	charge_source(table, item, charge);
	return true;
}

/* Keeps that for a source, of which 'item' is NULL if it had none.  False if
 * there is no room: nothing has changed then. */
static bool put(struct metadata_table *table, struct item *item, const struct item *of,
		const struct mc_metadata *content) MC_REQUIRES(table->lock)
{
	const struct charge charge = { of->quota, of->room };
	struct metadata *shared = share(table, &charge, content);

	if (shared == NULL)
		return false;
	if (item != NULL && !move(table, item, &charge))
		item = NULL;
	else if (item == NULL)
		item = add(table, of->series, of->source, &charge);
	else
		release(table, item->metadata);
	if (item == NULL)
		release(table, shared);
	else
		item->metadata = shared;
	return item != NULL;
}

static bool has_limits(const struct mc_metadata *content)
{
	return !isnan(content->warning.min) || !isnan(content->warning.max) ||
	       !isnan(content->failure.min) || !isnan(content->failure.max) ||
	       content->unknown_after > 0;
}

/* Keeps the limits alone, because there is no room for more.  Without limits, those from before
 * are dropped. */
static unsigned put_limits(struct metadata_table *table, struct item *item, const struct item *of,
			   const struct mc_metadata *content) MC_REQUIRES(table->lock)
{
	const struct item bare_of = { .series = of->series,
				      .source = of->source,
				      .room = METADATA_LIMITS,
				      .quota = of->quota };
	struct mc_metadata bare = *content;

	bare.label = bare.unit = NULL;
	bare.attributes = NULL;
	bare.attributes_len = 0;
	if (!has_limits(content)) {
		if (item == NULL || !has_limits(&item->metadata->content))
			return METADATA_REFUSED;
		drop(table, item);
	} else if ((item != NULL && metadata_compare(&bare, &item->metadata->content) == 0) ||
		   !put(table, item, &bare_of, &bare)) {
		return METADATA_REFUSED;
	}
	return METADATA_REFUSED | METADATA_CHANGED;
}

static unsigned set(struct metadata_table *table, const struct item *of,
		    const struct mc_metadata *content) MC_REQUIRES(table->lock)
{
	struct item *item = find(table, of->series, of->source);

	if (item != NULL && metadata_compare(content, &item->metadata->content) == 0)
		return 0;
	if (!put(table, item, of, content))
		return put_limits(table, item, of, content);
	return METADATA_CHANGED;
}

/* After the change: a reader that sees the number sees the change. */
static void count_change(struct metadata_table *table, struct mc_series *series)
	MC_REQUIRES(table->lock)
{
	if (++table->change == 0)
		++table->change;
	atomic_store(&series->described, table->change);
}

void metadata_count_change(struct mc_series *series)
{
	struct metadata_table *table = series->store->metadata;

	pthread_mutex_lock(&table->lock);
	count_change(table, series);
	pthread_mutex_unlock(&table->lock);
}

unsigned metadata_set(struct mc_series *series, unsigned source, const struct mc_metadata *metadata,
		      struct mc_quota *quota)
{
	struct metadata_table *table = series->store->metadata;
	const struct item of = {
		.series = series, .source = source, .room = METADATA_TEXTS, .quota = quota
	};
	unsigned outcome;

	pthread_mutex_lock(&table->lock);
	outcome = set(table, &of, metadata);
	if ((outcome & METADATA_CHANGED) != 0)
		count_change(table, series);
	if ((outcome & METADATA_REFUSED) != 0 && quota != NULL)
		quota->metadata_refused++;
	pthread_mutex_unlock(&table->lock);
	return outcome;
}

/* --- The plugin API ---------------------------------------------------- */

const struct mc_metadata *mc_get_metadata(const struct mc_series *series, unsigned source)
{
	struct metadata_table *table = series->store->metadata;
	const struct mc_metadata *content = NULL;
	struct item *item;

	if (atomic_load(&series->described) == 0)
		return NULL;
	pthread_mutex_lock(&table->lock);
	item = find(table, series, source);
	if (item != NULL) {
		item->metadata->references++;
		content = &item->metadata->content;
	}
	pthread_mutex_unlock(&table->lock);
	return content;
}

void mc_release_metadata(const struct mc_metadata *content)
{
	struct metadata_table *table;
	struct metadata *metadata;

	if (content == NULL)
		return;
	metadata = (struct metadata *)((char *)content - offsetof(struct metadata, content));
	table = metadata->table;
	pthread_mutex_lock(&table->lock);
	release(table, metadata);
	pthread_mutex_unlock(&table->lock);
}
