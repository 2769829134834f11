/* SPDX-License-Identifier: MIT */
/* The series of one metric, and the values that they get next.  Only the thread of read(). */
#pragma once

#include <collector/plugin.h>

struct series_item {
	struct mc_series *held; /* NULL: not asked for yet. */
	const char *type, *suffix;
	char *name; /* Of a percentile; else NULL. */
	union mc_value value;
};

struct series {          /* All zero: none. */
	const char *key; /* The name of the metric and, after a '\0', its tags, which '\0' ends as
			    well. */
	/* As they came, or NULL: without both it keeps collectd's name. */
	const char *sent_name, *sent_tags;
	struct series_item *items;
	size_t len, room;
};

void series_done(struct series *);

/* The values of an interval begin; all texts live as long.  The same ones must be
 * added each time, in the same order.  The name is not NULL if it is not that of the key. */
void series_begin(struct series *, const char *key, const char *sent_name, const char *sent_tags);

/* A gauge; 'suffix' is of the name, and both texts are constants. */
void series_add(struct series *, const char *type, const char *suffix, double level);
void series_add_percentile(struct series *, double percent, double level);
/* Of type derive. */
void series_add_total(struct series *, int64_t total);

void series_put(struct series *, struct mc_batch *);
