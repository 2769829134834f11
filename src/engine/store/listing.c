/* SPDX-License-Identifier: MIT */
#include "engine/store/listing.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "engine/store/store_internal.h"

#define DIGIT_BITS 11
#define DIGIT (1 << DIGIT_BITS)
#define LEAST 4096 /* Series: fewer are listed at once. */

/* --- In the order of addresses -------------------------------------------- */

/* Where series lie, in DIGIT * DIGIT pieces of 1 << shift bytes. */
struct area {
	uintptr_t start;
	unsigned shift;
};

static struct area area_of(struct mc_series **series, size_t len)
{
	uintptr_t least = UINTPTR_MAX, most = 0;
	struct area area = { .shift = 0 };

	for (size_t i = 0; i < len; i++) {
		uintptr_t at = (uintptr_t)series[i];

		least = at < least ? at : least;
		most = at > most ? at : most;
	}
	area.start = least;
	while (len > 0 && (most - least) >> area.shift >= (uintptr_t)DIGIT * DIGIT)
		area.shift++;
	return area;
}

/* A pass of a radix sort (LSD): by the digit that begins at that bit. */
static void sort_by_digit(struct mc_series **from, struct mc_series **to, size_t len,
			  struct area area)
{
	size_t *ends = alloc_array(DIGIT, sizeof(*ends));
	size_t at = 0;

	for (size_t i = 0; i < len; i++)
		ends[((uintptr_t)from[i] - area.start) >> area.shift & (DIGIT - 1)]++;
	for (size_t i = 0; i < DIGIT; i++) {
		at += ends[i];
		ends[i] = at - ends[i];
	}
	for (size_t i = 0; i < len; i++)
		to[ends[((uintptr_t)from[i] - area.start) >> area.shift & (DIGIT - 1)]++] = from[i];
	free(ends);
}

/* All of the store: in the order of the table each look would be at another page of memory. */
static size_t all_by_address(struct store *store, struct mc_series ***out)
{
	struct mc_series **series, **sorted;
	size_t len = store_all(store, &series);
	struct area area = area_of(series, len);

	sorted = alloc_array(len + 1, sizeof(*sorted));
	sort_by_digit(series, sorted, len, area);
	area.shift += DIGIT_BITS;
	sort_by_digit(sorted, series, len, area);
	free(sorted);
	*out = series;
	return len;
}

/* --- What is kept ----------------------------------------------------------- */

static void free_listing(struct listing *listing)
{
	if (listing == NULL)
		return;
	free(listing->series);
	free(listing);
}

/* To be freed without the lock: one that nobody uses any more; or NULL. */
static struct listing *leave(struct listing *listing)
{
	return listing != NULL && --listing->users == 0 ? listing : NULL;
}

static struct listing *make(struct store *store)
{
	struct listing *listing = alloc_zero(sizeof(*listing));

	pthread_mutex_lock(&store->lock);
	listing->changes = store->table.changes;
	pthread_mutex_unlock(&store->lock);
	listing->len = all_by_address(store, &listing->series);
	listing->users = 1;
	return listing;
}

struct listing *listing_take(struct store *store)
{
	struct listing *listing, *before = NULL;

	pthread_mutex_lock(&store->lock);
	listing = store->listing;
	if (listing != NULL && listing->changes == store->table.changes) {
		listing->users++;
		listing->used = clock_now();
		pthread_mutex_unlock(&store->lock);
		return listing;
	}
	pthread_mutex_unlock(&store->lock);
	listing = make(store);
	pthread_mutex_lock(&store->lock);
	if (listing->len >= LEAST && listing->changes == store->table.changes) {
		before = leave(store->listing);
		listing->users++;
		listing->used = clock_now();
		store->listing = listing;
	}
	pthread_mutex_unlock(&store->lock);
	free_listing(before);
	return listing;
}

void listing_leave(struct store *store, struct listing *listing)
{
	pthread_mutex_lock(&store->lock);
	listing = leave(listing);
	pthread_mutex_unlock(&store->lock);
	free_listing(listing);
}

void listing_drop(struct store *store, mc_time since)
{
	struct listing *listing = NULL;

	pthread_mutex_lock(&store->lock);
	if (store->listing != NULL && store->listing->used <= since) {
		listing = leave(store->listing);
		store->listing = NULL;
	}
	pthread_mutex_unlock(&store->lock);
	free_listing(listing);
}
