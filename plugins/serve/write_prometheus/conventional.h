/* SPDX-License-Identifier: MIT */
/* Series of ours under the names that OpenTelemetry's conventions have for them.  The name of a
 * series, its labels and its place in the order are found once, and kept from one scrape to the
 * next while the series has values: then a scrape only puts in the numbers.  One thread at a
 * time. */
#pragma once

#include "point.h"

/* Series that are kept; of more, all are found anew by each scrape. */
#define CONVENTIONAL_MAX 65536

struct conventional;

struct conventional_series {
	const struct mc_series *series;
	const struct mc_latest *latest;
	mc_time time;                  /* Of its numbers; 0: the moment of the scrape. */
	const struct mc_field *labels; /* Of its host. */
	unsigned labels_len;
	uint64_t labels_sum; /* Is another one if these are others. */
};

struct conventional *conventional_new(void);
void conventional_free(struct conventional *); /* NULL is fine. */

/* A scrape begins: no point has a number. */
void conventional_begin(struct conventional *);

/* Puts the values of a series into its points.  False if there are no other names for it. */
bool conventional_add(struct conventional *, const struct conventional_series *);

/* When all series were added, forgets the others.  Returns the points in the order of
 * point_order.h, with their texts and 'kept_relation'; valid until the next scrape or
 * conventional_end(). */
struct point *const *conventional_sort(struct conventional *, size_t *len);

/* The scrape has been printed. */
void conventional_end(struct conventional *);
