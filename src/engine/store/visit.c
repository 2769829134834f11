/* SPDX-License-Identifier: MIT */
/* Series and their last values, for those who look at many.
 *
 * With a million series the names alone are a quarter of a gigabyte away from
 * each other: so series are looked at in the order of their addresses, the
 * memory of those that come next is fetched ahead, the lock is taken once for
 * some of them, and of a page of a list no more are sorted than are shown. */
#include <collector/control.h>
#include <collector/private/catalogue.h>

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "engine/context.h"
#include "engine/glob.h"
#include "engine/store/listing.h"
#include "engine/store/metric_search.h"
#include "engine/store/registry.h"
#include "engine/store/store_internal.h"

#define BLOCK 32 /* Series for which the lock is taken once. */
#define AHEAD                                                                                      \
	16 /* Series whose memory is fetched before they are looked at.                            \
	    */
#define CACHE_LINE 64
#define LINES 3 /* Most often a series with its name. */

struct visit {
	bool (*show)(void *argument, struct mc_series *, const struct mc_latest *);
	void *argument;
};

/* Needs the lock. */
static void copy_latest(struct mc_series *series, struct mc_latest *latest)
{
	unsigned n = series->type->sources_len;

	latest->time = series->time;
	latest->interval = series->interval;
	latest->missing = series->presence == SERIES_MISSING;
	latest->state = mc_state(series);
	latest->values_len = n;
	memcpy(latest->values, series->values, n * sizeof(*latest->values));
	memcpy(latest->rates, series_rates(series), n * sizeof(double));
	latest->made_by = series->maker != NULL ? series->maker : "";
}

void store_latest(struct store *store, struct mc_series *series, struct mc_latest *latest)
{
	pthread_mutex_lock(&store->lock);
	copy_latest(series, latest);
	pthread_mutex_unlock(&store->lock);
}

/* --- Which ones ---------------------------------------------------------- */

static void fetch(const struct mc_series *series)
{
	for (unsigned i = 0; i < LINES; i++)
		__builtin_prefetch((const char *)series + i * CACHE_LINE);
}

/* Those of a block that have a value; there is room for them at 'out'. */
static size_t keep_valued(struct store *store, struct mc_series **block, size_t len,
			  struct mc_series **out)
{
	size_t kept = 0;

	pthread_mutex_lock(&store->lock);
	for (size_t i = 0; i < len; i++)
		if (block[i]->time != 0)
			out[kept++] = block[i];
	pthread_mutex_unlock(&store->lock);
	return kept;
}

struct filter {
	struct store *store;
	struct glob *glob;
	struct metric_search *search; /* NULL: by no label. */
};

static struct filter filter_of(struct store *store, const char *pattern, const char *label)
{
	return (struct filter){
		.store = store,
		.glob = glob_new(pattern),
		.search = label != NULL ? metric_search_new(store->metrics, label) : NULL,
	};
}

static void filter_done(const struct filter *filter)
{
	glob_free(filter->glob);
	if (filter->search != NULL)
		metric_search_free(filter->search);
}

static size_t keep_block(const struct filter *filter, struct mc_series **block, size_t len,
			 struct mc_series **out)
{
	if (filter->search != NULL)
		len = metric_search_keep(filter->search, block, len);
	return len > 0 ? keep_valued(filter->store, block, len, out) : 0;
}

/* Keeps those that match and have a value at 'out', where there is room for all; returns how many.
 */
static size_t keep_matching(const struct filter *filter, const struct listing *listing,
			    struct mc_series **out)
{
	struct mc_series *const *series = listing->series;
	struct mc_series *block[BLOCK];
	size_t len = listing->len;
	size_t kept = 0, waiting = 0;

	for (size_t i = 0; i < len; i++) {
		if (i + AHEAD < len)
			fetch(series[i + AHEAD]);
		if (glob_matches(filter->glob, series[i]->name, series[i]->name_size))
			block[waiting++] = series[i];
		if (waiting == BLOCK) {
			kept += keep_block(filter, block, waiting, out + kept);
			waiting = 0;
		}
	}
	return kept + keep_block(filter, block, waiting, out + kept);
}

/* Those of the store; a batch keeps them alive. */
static size_t find_matching(struct store *store, const char *glob, const char *label,
			    struct mc_series ***out)
{
	const struct filter filter = filter_of(store, glob, label);
	struct listing *listing = listing_take(store);
	size_t len;

	*out = alloc_array(listing->len + 1, sizeof(**out));
	len = keep_matching(&filter, listing, *out);
	listing_leave(store, listing);
	filter_done(&filter);
	return len;
}

/* --- In which order ------------------------------------------------------ */

static int by_name(const void *a, const void *b)
{
	const struct mc_series *const *left = a, *const *right = b;

	return strcmp((*left)->name, (*right)->name);
}

/* The last name of a heap is in front: moves the first one down to where it belongs. */
static void sink(struct mc_series **heap, size_t len, size_t at)
{
	struct mc_series *moved = heap[at];

	for (;;) {
		size_t below = 2 * at + 1;

		if (below + 1 < len && strcmp(heap[below + 1]->name, heap[below]->name) > 0)
			below++;
		if (below >= len || strcmp(heap[below]->name, moved->name) <= 0)
			break;
		heap[at] = heap[below];
		at = below;
	}
	heap[at] = moved;
}

/* Has the first ones by name in front, in no order. */
static void select_first(struct mc_series **series, size_t len, size_t first)
{
	for (size_t at = first / 2; at-- > 0;)
		sink(series, first, at);
	for (size_t i = first; i < len; i++) {
		struct mc_series *other = series[i];

		if (i + AHEAD < len)
			fetch(series[i + AHEAD]);
		if (strcmp(other->name, series[0]->name) >= 0)
			continue;
		series[i] = series[0];
		series[0] = other;
		sink(series, first, 0);
	}
}

/* Sorts as many as are to be shown; returns how many. */
static size_t sort(struct mc_series **series, size_t len, size_t first)
{
	if (first < len && first > 0)
		select_first(series, len, first);
	if (first > len)
		first = len;
	qsort(series, first, sizeof(struct mc_series *), by_name);
	return first;
}

/* --- What they are ------------------------------------------------------- */

/* False: there is to be no more. */
static bool show_block(struct store *store, struct mc_series **block, size_t len,
		       const struct visit *visit, struct mc_latest *latest)
{
	pthread_mutex_lock(&store->lock);
	for (size_t i = 0; i < len; i++)
		copy_latest(block[i], &latest[i]);
	pthread_mutex_unlock(&store->lock);
	for (size_t i = 0; i < len; i++)
		if (!visit->show(visit->argument, block[i], &latest[i]))
			return false;
	return true;
}

static void show_all(struct store *store, struct mc_series **series, size_t len,
		     const struct visit *visit)
{
	struct mc_latest *latest = alloc_array(BLOCK, sizeof(*latest));
	bool more = true;

	for (size_t at = 0; at < len && more; at += BLOCK) {
		size_t left = len - at, size = left < BLOCK ? left : BLOCK;

		for (size_t i = size; i < left && i < 2 * BLOCK; i++)
			fetch(series[at + i]);
		more = show_block(store, series + at, size, visit, latest);
	}
	free(latest);
}

/* --- The whole ----------------------------------------------------------- */

static struct store *store_of(struct mc_ctx *ctx)
{
	return context_of(ctx)->registry->store;
}

struct pasts { /* Series that have ended, and are added. */
	struct registry *registry;
	const struct mc_series_page *page;
	struct mc_series **series;
	size_t len, room;
};

static bool has_label(const struct mc_ended *ended, const char *label)
{
	return label == NULL || (ended->metric != NULL && mc_metric_matches(ended->metric, label));
}

static bool add_past(void *argument, const struct mc_ended *ended)
{
	struct pasts *pasts = argument;
	struct mc_series *series = NULL;

	if ((ended->lived || ended->last >= pasts->page->ended_since) &&
	    has_label(ended, pasts->page->label))
		series = registry_recreate(pasts->registry, ended);
	if (series == NULL || series->retired == 0) /* It lives again, and is there. */
		return true;
	if (pasts->len >= pasts->room) {
		pasts->room = 2 * pasts->len + 64;
		pasts->series = alloc_resize(pasts->series, pasts->room, sizeof(series));
	}
	pasts->series[pasts->len++] = series;
	return true;
}

static size_t add_pasts(struct mc_ctx *ctx, const struct mc_series_page *page,
			struct mc_series ***series, size_t len)
{
	struct registry *registry = context_of(ctx)->registry;
	struct pasts pasts = { registry, page, *series, len, len };

	if (page->ended_since == 0 || registry->past.each == NULL)
		return len;
	registry->past.each(registry->past.argument, page->glob, add_past, &pasts);
	*series = pasts.series;
	return pasts.len;
}

size_t mc_page_series(struct mc_ctx *ctx, const struct mc_series_page *page,
		      bool (*show)(void *argument, struct mc_series *, const struct mc_latest *),
		      void *argument)
{
	const struct visit visit = { show, argument };
	struct store *store = store_of(ctx);
	struct mc_batch *batch = store_begin(store, ctx); /* Keeps them alive. */
	struct mc_series **series;
	size_t len = find_matching(store, page->glob, page->label, &series), end;

	len = add_pasts(ctx, page, &series, len);
	end = page->limit < SIZE_MAX - page->offset ? page->offset + page->limit : SIZE_MAX;
	end = sort(series, len, end);
	if (page->offset < end)
		show_all(store, series + page->offset, end - page->offset, &visit);
	free(series);
	store_release(store, batch);
	return len;
}

size_t mc_each_series(struct mc_ctx *ctx, const char *glob,
		      bool (*show)(void *argument, struct mc_series *, const struct mc_latest *),
		      void *argument)
{
	return mc_page_series(ctx, &(struct mc_series_page){ .glob = glob, .limit = SIZE_MAX },
			      show, argument);
}

void mc_scan_series(struct mc_ctx *ctx, const char *glob,
		    bool (*show)(void *argument, struct mc_series *, const struct mc_latest *),
		    void *argument)
{
	const struct visit visit = { show, argument };
	struct store *store = store_of(ctx);
	struct mc_batch *batch = store_begin(store, ctx);
	struct mc_series **series;
	size_t len = find_matching(store, glob, NULL, &series);

	show_all(store, series, len, &visit);
	free(series);
	store_release(store, batch);
}
