/* SPDX-License-Identifier: MIT */
/* Points of metrics that have a name of their sender's: the numbers of one, which are several
 * series for a histogram, and its labels.  One thread. */
#pragma once

#include <collector/control.h>
#include <collector/kit/map.h>
#include <collector/metadata.h>
#include <collector/metric.h>
#include <collector/private/convention.h>

#include "exposition.h"

struct point_number {
	enum mc_metric_part part;
	double bound; /* 0 but of buckets and quantiles. */
	enum mc_kind kind;
	union mc_value value;
	mc_time time; /* 0: the moment of the scrape. */
};

#define POINT_HOST_SIZE 128

/* How a point follows another one, in the order of point_order.h. */
enum point_relation {
	POINT_OF_OTHER_METRIC,
	POINT_OF_SAME_METRIC,
	POINT_TWIN, /* It has the same name and labels. */
};

struct point {
	struct mc_map_node node; /* By 'key'. */
	struct point_key {
		const void *name, *labels, *resource; /* Each kept once. */
		char host[POINT_HOST_SIZE];
	} key;
	struct mc_metric metric;            /* Is got. */
	const struct mc_metadata *metadata; /* Or NULL. */
	char sent_unit[OTLP_UNIT_SIZE];     /* As OpenTelemetry spells it, or "". */
	const char *help; /* Of a series of ours, if it holds in the unit; NULL of others. */
	char *series;     /* The name of one of its series, the least. */
	struct point_number *numbers;
	size_t len, room;
	unsigned round; /* Of the scrape that its numbers are of; see conventional.h. */

	/* Since point_finish(), when the numbers are in the order in which they are shown. */
	char *name;             /* As Prometheus has it, without what is for a part. */
	char unit[NAMING_SIZE]; /* In words, or "". */
	struct labelling labels;
	/* Of a point that is kept: its labels as they are printed, and how it follows the one
	 * before it of those that are kept. */
	char *text;
	size_t text_size;
	enum point_relation kept_relation;
	enum point_relation relation; /* To the one before it, of all. */
};

struct points {
	struct mc_map map;
	struct point *last; /* The one that was come to. */
};

/* Adds the number of a series; 'metric' is got, and taken over.  False, and not taken over, if
 * nothing of its name is left for Prometheus. */
bool point_add(struct points *, const struct mc_series *, const struct mc_metric *metric,
	       const struct mc_latest *, mc_time time);

/* The point of a source of a series of ours, which is made if it is new; the metric is taken over.
 */
struct point *point_of_convention(struct points *, const struct mc_series *,
				  const struct mc_convention *);

void point_put(struct point *, const struct point_number *);

/* When all numbers are there: their order, its name and labels. */
void point_finish(struct point *);

/* Takes it out, and frees it. */
void point_remove(struct points *, struct point *);

/* Frees all. */
void point_done(struct points *);
