/* SPDX-License-Identifier: MIT */
/* Two trees, of families and of sets of labels, in which what is equal is one. */
#include "engine/store/metric_internal.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "engine/store/metadata.h"
#include "engine/store/store_internal.h"
#include "model/label_set.h"

struct metric_table *metric_new(void) MC_NO_LOCK
{
	struct metric_table *table = alloc_zero(sizeof(*table));

	pthread_mutex_init(&table->lock, NULL);
	table->room.which = METADATA_METRICS;
	table->past.kind = MC_QUOTA_SOURCE;
	return table;
}

void metric_free(struct metric_table *table)
{
	pthread_mutex_destroy(&table->lock);
	free(table);
}

/* --- What is kept once ------------------------------------------------------ */

/* Charges it to another quota, if that has room. */
static void move(struct metric_table *table, struct label_shared *one, struct mc_quota *quota)
	MC_REQUIRES(table->lock)
{
	if (one->quota == quota || !room_has_bytes(&table->room, quota, one->size))
		return;
	room_give_bytes(&table->room, one->quota, one->size);
	one->quota = quota;
	room_take_bytes(&table->room, quota, one->size);
}

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
		if (one->quota == &table->past && quota != &table->past)
			move(table, one, quota); /* It lives again. */
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

	if (--one->references > 0) {
		if (one->references == one->past_references)
			move(table, one, &table->past);
		return false;
	}
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
	const struct metric_family *left = a, *right = b;
	int order = strcmp(left->name, right->name);

	if (order == 0)
		order = strcmp(left->scope, right->scope);
	if (order == 0)
		order = strcmp(left->scope_version, right->scope_version);
	if (order == 0)
		order = strcmp(left->help, right->help);
	if (order == 0)
		order = left->kind - right->kind;
	if (order == 0)
		order = left->delta - right->delta;
	if (order == 0)
		order = (left->scope_labels > right->scope_labels) -
			(left->scope_labels < right->scope_labels);
	return order;
}

static size_t kept_size(const char *text, size_t max)
{
	return text != NULL ? text_fit(text, max - 1) : 0;
}

static const char *add_text(char **at, const char *text, size_t max)
{
	size_t size = kept_size(text, max);
	char *copy = *at;

	if (size > 0)
		memcpy(copy, text, size);
	copy[size] = '\0';
	text_make_printable(copy);
	*at += size + 1;
	return copy;
}

/* Takes over the reference to the labels. */
static struct metric_family *copy_family(struct metric_table *table, const struct mc_metric *metric,
					 struct label_set *scope_labels)
{
	size_t size = sizeof(struct metric_family) + kept_size(metric->name, MC_METRIC_NAME_SIZE) +
		      kept_size(metric->scope, MC_METRIC_NAME_SIZE) +
		      kept_size(metric->scope_version, MC_METRIC_NAME_SIZE) +
		      kept_size(metric->help, MC_METRIC_HELP_SIZE) + 4;
	struct metric_family *family = alloc_zero(size);
	char *at = family->name;

	family->table = table;
	family->shared.size = (uint32_t)size;
	family->kind = (uint8_t)metric->kind;
	family->delta = metric->delta;
	family->scope_labels = scope_labels;
	add_text(&at, metric->name, MC_METRIC_NAME_SIZE);
	family->scope = add_text(&at, metric->scope, MC_METRIC_NAME_SIZE);
	family->scope_version = add_text(&at, metric->scope_version, MC_METRIC_NAME_SIZE);
	family->help = add_text(&at, metric->help, MC_METRIC_HELP_SIZE);
	return family;
}

static void free_family(struct metric_table *table, struct metric_family *family)
	MC_REQUIRES(table->lock)
{
	release_labels(table, family->scope_labels);
	free(family);
}

static struct metric_family *share_family(struct metric_table *table,
					  const struct mc_metric *metric, struct mc_quota *quota,
					  bool *cut) MC_REQUIRES(table->lock)
{
	struct label_set *scope_labels = share_labels(table, &metric->scope_labels, quota, cut);
	struct metric_family *copy, *family;

	if (scope_labels == NULL)
		return NULL;
	copy = copy_family(table, metric, scope_labels);
	family = share(table, &table->families, compare_families, copy, quota);
	if (family != copy)
		free_family(table, copy);
	return family;
}

static void release_family(struct metric_table *table, struct metric_family *family)
	MC_REQUIRES(table->lock)
{
	if (family == NULL)
		return;
	if (give_back(table, &table->families, compare_families, family))
		free_family(table, family);
	else if (family->shared.quota == &table->past)
		move(table, &family->scope_labels->shared, &table->past);
}

/* --- The metric of a series ----------------------------------------------- */

/* A metric of what has ended counts as such in the parts that it shares. */
static void count_past(struct metric_table *table, struct metric_kept *kept, int change)
	MC_REQUIRES(table->lock)
{
	if (kept->quota != &table->past || kept->resource == NULL)
		return;
	kept->family->shared.past_references += (unsigned)change;
	kept->labels->shared.past_references += (unsigned)change;
	kept->resource->shared.past_references += (unsigned)change;
}

static void release(struct metric_table *table, struct metric_kept *kept) MC_REQUIRES(table->lock)
{
	if (kept == NULL || --kept->references > 0)
		return;
	count_past(table, kept, -1);
	release_family(table, kept->family);
	release_labels(table, kept->labels);
	release_labels(table, kept->resource);
	room_give_bytes(&table->room, kept->quota, sizeof(*kept));
	room_give_source(&table->room, kept->quota);
	free(kept);
}

/* One that lacks the parts that it shares; NULL without room. */
static struct metric_kept *keep_bare(struct metric_table *table, const struct mc_metric *metric,
				     struct mc_quota *quota) MC_REQUIRES(table->lock)
{
	struct metric_kept *kept;

	if (!room_has_source(&table->room, quota) ||
	    !room_has_bytes(&table->room, quota, sizeof(*kept)))
		return NULL;
	kept = alloc_zero(sizeof(*kept));
	*kept = (struct metric_kept){
		.quota = quota,
		.references = 1,
		.part = (uint8_t)metric->part,
		.integer = metric->integer,
		.bound = metric->bound,
		.start = metric->start,
	};
	room_take_source(&table->room, quota);
	room_take_bytes(&table->room, quota, sizeof(*kept));
	return kept;
}

/* NULL without room. */
static struct metric_kept *keep(struct metric_table *table, const struct mc_metric *metric,
				struct mc_quota *quota, bool *cut) MC_REQUIRES(table->lock)
{
	struct metric_kept *kept = keep_bare(table, metric, quota);

	if (kept == NULL)
		return NULL;
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

static bool are_same(const struct metric_kept *a, const struct metric_kept *b)
{
	return a->family == b->family && a->labels == b->labels && a->resource == b->resource &&
	       a->part == b->part && a->integer == b->integer && a->start == b->start &&
	       memcmp(&a->bound, &b->bound, sizeof(a->bound)) == 0;
}

bool metric_is_same(const struct metric_kept *a, const struct metric_kept *b)
{
	return a == b || (a != NULL && b != NULL && are_same(a, b));
}

/* Puts one metric in the place of another, either of which may be NULL.  The same metric of what
 * had ended is now charged to its sender. */
static void replace(struct metric_table *table, struct mc_series *series, struct metric_kept *kept)
	MC_REQUIRES(table->lock)
{
	release(table, atomic_exchange_explicit(&series->metric, kept, memory_order_relaxed));
}

unsigned metric_set(struct mc_series *series, const struct mc_metric *metric,
		    struct mc_quota *quota)
{
	struct metric_table *table = series->store->metrics;
	struct metric_kept *kept, *before;
	unsigned outcome = 0;
	bool cut = false, same, changed = false;

	pthread_mutex_lock(&table->lock);
	before = atomic_load_explicit(&series->metric, memory_order_relaxed);
	kept = keep(table, metric, quota, &cut);
	same = metric_is_same(kept, before);
	if (same && kept != NULL && before->quota != &table->past) {
		release(table, kept);
	} else if (kept != NULL || before != NULL) {
		replace(table, series, kept);
		changed = true;
	}
	if (kept == NULL || cut) {
		outcome |= METADATA_REFUSED;
		if (quota != NULL)
			quota->metadata_refused++;
	}
	pthread_mutex_unlock(&table->lock);
	if (changed)
		metadata_count_change(series);
	return same ? outcome : outcome | METADATA_CHANGED;
}

bool metric_make(struct metric_table *table, const struct mc_metric *metric, struct mc_metric *out)
{
	struct metric_kept *kept;
	bool cut = false;

	pthread_mutex_lock(&table->lock);
	kept = keep(table, metric, NULL, &cut);
	pthread_mutex_unlock(&table->lock);
	if (kept == NULL)
		return false;
	*out = metric_view(kept);
	return true;
}

size_t metric_bytes(struct metric_table *table)
{
	size_t bytes;

	pthread_mutex_lock(&table->lock);
	bytes = table->room.bytes;
	pthread_mutex_unlock(&table->lock);
	return bytes;
}

void metric_leave(struct metric_table *table, struct mc_series *series)
{
	pthread_mutex_lock(&table->lock);
	replace(table, series, NULL);
	pthread_mutex_unlock(&table->lock);
}

/* --- The catalogue --------------------------------------------------------- */

struct metric_kept *metric_hold(const struct mc_series *series)
{
	struct metric_table *table = series->store->metrics;
	struct metric_kept *kept;

	if (atomic_load_explicit(&series->metric, memory_order_relaxed) == NULL)
		return NULL;
	pthread_mutex_lock(&table->lock);
	kept = atomic_load_explicit(&series->metric, memory_order_relaxed);
	if (kept != NULL)
		kept->references++;
	pthread_mutex_unlock(&table->lock);
	return kept;
}

struct metric_kept *metric_hold_kept(struct metric_kept *kept)
{
	struct metric_table *table = kept->family->table;

	pthread_mutex_lock(&table->lock);
	kept->references++;
	pthread_mutex_unlock(&table->lock);
	return kept;
}

void metric_let_go(struct metric_kept *kept)
{
	struct metric_table *table;

	if (kept == NULL)
		return;
	table = kept->family->table;
	pthread_mutex_lock(&table->lock);
	release(table, kept);
	pthread_mutex_unlock(&table->lock);
}

struct metric_kept *metric_end(const struct metric_kept *kept)
{
	const struct metric_parts parts = metric_parts(kept);
	struct mc_metric metric = metric_view(kept);

	return metric_join(kept->family->table, &metric, &parts);
}

bool metric_give(struct mc_series *series, struct metric_kept *kept)
{
	struct metric_table *table = series->store->metrics;
	bool given;

	pthread_mutex_lock(&table->lock);
	given = atomic_load_explicit(&series->metric, memory_order_relaxed) == NULL;
	if (given) {
		kept->references++;
		atomic_store_explicit(&series->metric, kept, memory_order_relaxed);
	}
	pthread_mutex_unlock(&table->lock);
	return given;
}

/* --- The file of the catalogue ---------------------------------------------- */

struct label_set *metric_hold_labels(struct metric_table *table,
				     const struct mc_metric_labels *labels)
{
	struct label_set *set;
	bool cut = false;

	pthread_mutex_lock(&table->lock);
	set = share_labels(table, labels, &table->past, &cut);
	if (set != NULL)
		set->shared.past_references++;
	pthread_mutex_unlock(&table->lock);
	return set;
}

void metric_let_go_labels(struct metric_table *table, struct label_set *set)
{
	pthread_mutex_lock(&table->lock);
	set->shared.past_references--;
	release_labels(table, set);
	pthread_mutex_unlock(&table->lock);
}

struct metric_family *metric_hold_family(struct metric_table *table, const struct mc_metric *metric)
{
	struct metric_family *family;
	bool cut = false;

	pthread_mutex_lock(&table->lock);
	family = share_family(table, metric, &table->past, &cut);
	if (family != NULL)
		family->shared.past_references++;
	pthread_mutex_unlock(&table->lock);
	return family;
}

void metric_let_go_family(struct metric_table *table, struct metric_family *family)
{
	pthread_mutex_lock(&table->lock);
	family->shared.past_references--;
	release_family(table, family);
	pthread_mutex_unlock(&table->lock);
}

struct label_shared *metric_family_shared(struct metric_family *family)
{
	return &family->shared;
}

struct metric_parts metric_parts(const struct metric_kept *kept)
{
	return (struct metric_parts){ kept->family, kept->family->scope_labels, kept->labels,
				      kept->resource };
}

struct metric_kept *metric_join(struct metric_table *table, const struct mc_metric *metric,
				const struct metric_parts *parts)
{
	struct metric_kept *kept;

	pthread_mutex_lock(&table->lock);
	kept = keep_bare(table, metric, &table->past);
	if (kept != NULL) {
		kept->family = parts->family;
		kept->labels = parts->labels;
		kept->resource = parts->resource;
		kept->family->shared.references++;
		kept->labels->shared.references++;
		kept->resource->shared.references++;
		count_past(table, kept, 1);
	}
	pthread_mutex_unlock(&table->lock);
	return kept;
}

/* --- The plugin API ------------------------------------------------------- */

struct mc_metric metric_view(const struct metric_kept *kept)
{
	const struct metric_family *family = kept->family;

	return (struct mc_metric){
		.name = family->name,
		.scope = family->scope,
		.scope_version = family->scope_version,
		.help = family->help,
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
	const struct metric_kept *kept = metric_hold(series);

	if (kept == NULL)
		return false;
	*out = metric_view(kept);
	return true;
}

bool mc_metric_is_current(const struct mc_series *series, const struct mc_metric *metric)
{
	return atomic_load_explicit(&series->metric, memory_order_relaxed) == metric->held;
}

void mc_release_metric(const struct mc_metric *metric)
{
	metric_let_go((struct metric_kept *)metric->held);
}
