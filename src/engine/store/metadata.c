/* SPDX-License-Identifier: MIT */
/* A tree by series and source.  Whether a series is in it says a bit of the
 * series, so that the others are never looked for. */
#include "engine/store/metadata.h"

#include <math.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/lock.h>

#include "base/alloc.h"
#include "base/text.h"
#include "engine/store/store_internal.h"

struct item {
	const struct mc_series *series;
	unsigned source;
	struct mc_metadata metadata;
};

struct metadata_table {
	pthread_mutex_t lock;
	void *tree MC_GUARDED_BY(lock);
	size_t len MC_GUARDED_BY(lock);
};

static int compare(const void *a, const void *b)
{
	const struct item *left = a, *right = b;

	if (left->series != right->series)
		return left->series < right->series ? -1 : 1;
	return (left->source > right->source) - (left->source < right->source);
}

struct metadata_table *metadata_new(void)
{
	struct metadata_table *table = alloc_zero(sizeof(*table));

	pthread_mutex_init(&table->lock, NULL);
	return table;
}

void metadata_free(struct metadata_table *table) MC_NO_LOCK
{
	while (table->tree != NULL) {
		struct item *item = *(struct item **)table->tree;

		tdelete(item, &table->tree, compare);
		free(item);
	}
	pthread_mutex_destroy(&table->lock);
	free(table);
}

static struct item *find(struct metadata_table *table,
			 const struct mc_series *series, unsigned source)
	MC_REQUIRES(table->lock)
{
	struct item key = { .series = series, .source = source };
	struct item **found = tfind(&key, &table->tree, compare);

	return found != NULL ? *found : NULL;
}

void metadata_leave(struct metadata_table *table,
		    const struct mc_series *series)
{
	pthread_mutex_lock(&table->lock);
	for (unsigned i = 0; i < series->type->sources_len; i++) {
		struct item *item = find(table, series, i);

		if (item == NULL)
			continue;
		tdelete(item, &table->tree, compare);
		free(item);
		table->len--;
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
	if (tsearch(item, &table->tree, compare) == NULL) {
		free(item);
		return NULL;
	}
	table->len++;
	return item;
}

/* What is kept: texts are ended, and fit for a terminal. */
static void keep(struct mc_metadata *out, const struct mc_metadata *in)
{
	*out = *in;
	out->label[sizeof(out->label) - 1] = '\0';
	out->unit[sizeof(out->unit) - 1] = '\0';
	text_make_printable(out->label);
	text_make_printable(out->unit);
}

static bool equal_numbers(double a, double b)
{
	return a == b || (isnan(a) && isnan(b));
}

static bool equal_bounds(const struct mc_bounds *a, const struct mc_bounds *b)
{
	return equal_numbers(a->min, b->min) && equal_numbers(a->max, b->max);
}

static bool equal(const struct mc_metadata *a, const struct mc_metadata *b)
{
	return strcmp(a->label, b->label) == 0 &&
	       strcmp(a->unit, b->unit) == 0 &&
	       equal_bounds(&a->warning, &b->warning) &&
	       equal_bounds(&a->failure, &b->failure) &&
	       a->warning_inverted == b->warning_inverted &&
	       a->failure_inverted == b->failure_inverted &&
	       a->unknown_after == b->unknown_after;
}

static enum metadata_outcome set(struct metadata_table *table,
				 const struct mc_series *series,
				 unsigned source,
				 const struct mc_metadata *metadata)
	MC_REQUIRES(table->lock)
{
	struct item *item = find(table, series, source);
	struct mc_metadata kept;

	keep(&kept, metadata);
	if (item != NULL && equal(&item->metadata, &kept))
		return METADATA_SAME;
	if (item == NULL)
		item = add(table, series, source);
	if (item == NULL)
		return METADATA_FULL;
	item->metadata = kept;
	return METADATA_CHANGED;
}

enum metadata_outcome metadata_set(struct mc_series *series, unsigned source,
				   const struct mc_metadata *metadata)
{
	struct metadata_table *table = series->store->metadata;
	enum metadata_outcome outcome;

	pthread_mutex_lock(&table->lock);
	outcome = set(table, series, source, metadata);
	pthread_mutex_unlock(&table->lock);
	if (outcome != METADATA_CHANGED)
		return outcome;
	pthread_mutex_lock(&series->store->lock);
	series->described = true;
	pthread_mutex_unlock(&series->store->lock);
	return outcome;
}

bool metadata_copy(const struct mc_series *from, struct mc_series *to)
{
	struct mc_metadata metadata;
	bool changed = false;

	for (unsigned i = 0; i < from->type->sources_len; i++)
		changed |= mc_get_metadata(from, i, &metadata) &&
			   metadata_set(to, i, &metadata) == METADATA_CHANGED;
	return changed;
}

/* --- The plugin API ---------------------------------------------------- */

bool mc_get_metadata(const struct mc_series *series, unsigned source,
		     struct mc_metadata *out)
{
	struct metadata_table *table = series->store->metadata;
	const struct item *item;

	pthread_mutex_lock(&table->lock);
	item = find(table, series, source);
	if (item != NULL)
		*out = item->metadata;
	else
		*out = (struct mc_metadata){ .warning = { NAN, NAN },
					     .failure = { NAN, NAN } };
	pthread_mutex_unlock(&table->lock);
	return item != NULL;
}
