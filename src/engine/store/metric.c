/* SPDX-License-Identifier: MIT */
/* Two trees, of families and of sets of labels, in which what is equal is one. */
#include "engine/store/metric.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/lock.h>

#include "base/alloc.h"
#include "base/text.h"
#include "engine/store/metadata.h"
#include "engine/store/store_internal.h"
#include "model/label_set.h"

struct family { /* The common part of all points of a metric. */
	struct label_shared shared;
	struct metric_table *table;
	uint8_t kind;
	bool delta;
	struct label_set *scope_labels;
	const char *scope, *scope_version; /* After the name. */
	char name[];
};

struct kept { /* The metric of a series. */
	struct family *family;
	struct label_set *labels, *resource;
	struct mc_quota *quota;
	unsigned references; /* By the series, and by readers. */
	uint8_t part;
	bool integer;
	double bound;
	mc_time start;
};

struct metric_table {
	pthread_mutex_t lock;
	void *families MC_GUARDED_BY(lock);
	void *label_sets MC_GUARDED_BY(lock);
	struct room room MC_GUARDED_BY(lock);
};

struct metric_table *metric_new(void) MC_NO_LOCK
{
	struct metric_table *table = alloc_zero(sizeof(*table));

	pthread_mutex_init(&table->lock, NULL);
	table->room.which = METADATA_METRICS;
	return table;
}

void metric_free(struct metric_table *table)
{
	pthread_mutex_destroy(&table->lock);
	free(table);
}

/* --- What is kept once ------------------------------------------------------ */

/* A reference to the one that is equal to 'copy', or to 'copy' itself, which is kept from now on;
 * NULL without room.  A copy that is not returned is the caller's.  All begin with a struct
 * label_shared. */
static void *share(struct metric_table *table, void **tree,
		   int (*order)(const void *, const void *), void *copy, struct mc_quota *quota)
	MC_REQUIRES(table->lock)
{
	struct label_shared **found = tfind(copy, tree, order), *one = copy;

	if (found != NULL) {
		one = *found;
	} else {
		if (!room_has_bytes(&table->room, quota, one->size) ||
		    tsearch(copy, tree, order) == NULL)
			return NULL;
		one->quota = quota;
		room_take_bytes(&table->room, quota, one->size);
	}
	one->references++;
	return one;
}

/* Gives a reference back.  True if it was the last: then it is not kept any more, and the caller
 * frees it. */
static bool give_back(struct metric_table *table, void **tree,
		      int (*order)(const void *, const void *), void *kept) MC_REQUIRES(table->lock)
{
	struct label_shared *one = kept;

	if (--one->references > 0)
		return false;
	tdelete(kept, tree, order);
	room_give_bytes(&table->room, one->quota, one->size);
	return true;
}

/* --- Sets of labels ------------------------------------------------------- */

static int compare_sets(const void *a, const void *b)
{
	return label_set_compare(a, b);
}

/* A reference to a copy of the labels, or NULL without room. */
static struct label_set *share_labels(struct metric_table *table,
				      const struct mc_metric_labels *labels, struct mc_quota *quota,
				      bool *cut) MC_REQUIRES(table->lock)
{
	struct label_set *copy = label_set_copy(labels, cut);
	struct label_set *set = share(table, &table->label_sets, compare_sets, copy, quota);

	if (set != copy)
		free(copy);
	return set;
}

static void release_labels(struct metric_table *table, struct label_set *set)
	MC_REQUIRES(table->lock)
{
	if (set != NULL && give_back(table, &table->label_sets, compare_sets, set))
		free(set);
}

/* --- Families ------------------------------------------------------------- */

static int compare_families(const void *a, const void *b)
{
	const struct family *left = a, *right = b;
	int order = strcmp(left->name, right->name);

	if (order == 0)
		order = strcmp(left->scope, right->scope);
	if (order == 0)
		order = strcmp(left->scope_version, right->scope_version);
	if (order == 0)
		order = left->kind - right->kind;
	if (order == 0)
		order = left->delta - right->delta;
	if (order == 0)
		order = (left->scope_labels > right->scope_labels) -
			(left->scope_labels < right->scope_labels);
	return order;
}

static size_t kept_size(const char *text)
{
	return text != NULL ? text_fit(text, MC_METRIC_NAME_SIZE - 1) : 0;
}

static const char *add_text(char **at, const char *text)
{
	size_t size = kept_size(text);
	char *copy = *at;

	if (size > 0)
		memcpy(copy, text, size);
	copy[size] = '\0';
	text_make_printable(copy);
	*at += size + 1;
	return copy;
}

/* Takes over the reference to the labels. */
static struct family *copy_family(struct metric_table *table, const struct mc_metric *metric,
				  struct label_set *scope_labels)
{
	size_t size = sizeof(struct family) + kept_size(metric->name) + kept_size(metric->scope) +
		      kept_size(metric->scope_version) + 3;
	struct family *family = alloc_zero(size);
	char *at = family->name;

	family->table = table;
	family->shared.size = size;
	family->kind = (uint8_t)metric->kind;
	family->delta = metric->delta;
	family->scope_labels = scope_labels;
	add_text(&at, metric->name);
	family->scope = add_text(&at, metric->scope);
	family->scope_version = add_text(&at, metric->scope_version);
	return family;
}

static void free_family(struct metric_table *table, struct family *family) MC_REQUIRES(table->lock)
{
	release_labels(table, family->scope_labels);
	free(family);
}

static struct family *share_family(struct metric_table *table, const struct mc_metric *metric,
				   struct mc_quota *quota, bool *cut) MC_REQUIRES(table->lock)
{
	struct label_set *scope_labels = share_labels(table, &metric->scope_labels, quota, cut);
	struct family *copy, *family;

	if (scope_labels == NULL)
		return NULL;
	copy = copy_family(table, metric, scope_labels);
	family = share(table, &table->families, compare_families, copy, quota);
	if (family != copy)
		free_family(table, copy);
	return family;
}

static void release_family(struct metric_table *table, struct family *family)
	MC_REQUIRES(table->lock)
{
	if (family != NULL && give_back(table, &table->families, compare_families, family))
		free_family(table, family);
}

/* --- The metric of a series ----------------------------------------------- */

static void release(struct metric_table *table, struct kept *kept) MC_REQUIRES(table->lock)
{
	if (kept == NULL || --kept->references > 0)
		return;
	release_family(table, kept->family);
	release_labels(table, kept->labels);
	release_labels(table, kept->resource);
	room_give_bytes(&table->room, kept->quota, sizeof(*kept));
	room_give_source(&table->room, kept->quota);
	free(kept);
}

/* NULL without room. */
static struct kept *keep(struct metric_table *table, const struct mc_metric *metric,
			 struct mc_quota *quota, bool *cut) MC_REQUIRES(table->lock)
{
	struct kept *kept;

	if (!room_has_source(&table->room, quota) ||
	    !room_has_bytes(&table->room, quota, sizeof(*kept)))
		return NULL;
	kept = alloc_zero(sizeof(*kept));
	*kept = (struct kept){
		.quota = quota,
		.references = 1,
		.part = (uint8_t)metric->part,
		.integer = metric->integer,
		.bound = metric->bound,
		.start = metric->start,
	};
	room_take_source(&table->room, quota);
	room_take_bytes(&table->room, quota, sizeof(*kept));
	kept->family = share_family(table, metric, quota, cut);
	if (kept->family != NULL)
		kept->labels = share_labels(table, &metric->labels, quota, cut);
	if (kept->labels != NULL)
		kept->resource = share_labels(table, &metric->resource, quota, cut);
	if (kept->resource != NULL)
		return kept;
	release(table, kept);
	return NULL;
}

static bool are_same(const struct kept *a, const struct kept *b)
{
	return a->family == b->family && a->labels == b->labels && a->resource == b->resource &&
	       a->part == b->part && a->integer == b->integer && a->start == b->start &&
	       memcmp(&a->bound, &b->bound, sizeof(a->bound)) == 0;
}

unsigned metric_set(struct mc_series *series, const struct mc_metric *metric,
		    struct mc_quota *quota)
{
	struct metric_table *table = series->store->metrics;
	struct kept *kept, *before;
	unsigned outcome = 0;
	bool cut = false;

	pthread_mutex_lock(&table->lock);
	before = atomic_load_explicit(&series->metric, memory_order_relaxed);
	kept = keep(table, metric, quota, &cut);
	if (kept != NULL && before != NULL && are_same(kept, before)) {
		release(table, kept);
	} else if (kept != NULL || before != NULL) {
		atomic_store_explicit(&series->metric, kept, memory_order_relaxed);
		release(table, before);
		outcome = METADATA_CHANGED;
	}
	if (kept == NULL || cut) {
		outcome |= METADATA_REFUSED;
		if (quota != NULL)
			quota->metadata_refused++;
	}
	pthread_mutex_unlock(&table->lock);
	if ((outcome & METADATA_CHANGED) != 0)
		metadata_count_change(series);
	return outcome;
}

void metric_leave(struct metric_table *table, struct mc_series *series)
{
	pthread_mutex_lock(&table->lock);
	release(table, atomic_exchange_explicit(&series->metric, NULL, memory_order_relaxed));
	pthread_mutex_unlock(&table->lock);
}

/* --- The plugin API ------------------------------------------------------- */

static void show(const struct kept *kept, struct mc_metric *out)
{
	const struct family *family = kept->family;

	*out = (struct mc_metric){
		.name = family->name,
		.scope = family->scope,
		.scope_version = family->scope_version,
		.kind = (enum mc_metric_kind)family->kind,
		.part = (enum mc_metric_part)kept->part,
		.delta = family->delta,
		.integer = kept->integer,
		.bound = kept->bound,
		.start = kept->start,
		.labels = label_set_view(kept->labels),
		.scope_labels = label_set_view(family->scope_labels),
		.resource = label_set_view(kept->resource),
		.held = kept,
	};
}

bool mc_get_metric(const struct mc_series *series, struct mc_metric *out)
{
	struct metric_table *table;
	struct kept *kept;

	if (atomic_load_explicit(&series->metric, memory_order_relaxed) == NULL)
		return false;
	table = series->store->metrics;
	pthread_mutex_lock(&table->lock);
	kept = atomic_load_explicit(&series->metric, memory_order_relaxed);
	if (kept != NULL) {
		kept->references++;
		show(kept, out);
	}
	pthread_mutex_unlock(&table->lock);
	return kept != NULL;
}

bool mc_metric_is_current(const struct mc_series *series, const struct mc_metric *metric)
{
	return atomic_load_explicit(&series->metric, memory_order_relaxed) == metric->held;
}

void mc_release_metric(const struct mc_metric *metric)
{
	struct kept *kept = (struct kept *)metric->held;
	struct metric_table *table;

	if (kept == NULL)
		return;
	table = kept->family->table;
	pthread_mutex_lock(&table->lock);
	release(table, kept);
	pthread_mutex_unlock(&table->lock);
}
