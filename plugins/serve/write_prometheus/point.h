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

	/* Since point_finish(), when the numbers are in the order in which they are shown. */
	char *name;             /* As Prometheus has it, without what is for a part. */
	char unit[NAMING_SIZE]; /* In words, or "". */
	struct labelling labels;
	bool twin; /* Another point has the same name and labels. */
};

struct points {
	struct mc_map map;
	struct point *last; /* The one that was come to. */
};

/* Adds the number of a series; 'metric' is got, and taken over.  False, and not taken over, if
 * nothing of its name is left for Prometheus. */
bool point_add(struct points *, const struct mc_series *, const struct mc_metric *metric,
	       const struct mc_latest *, mc_time time);

/* Adds a source of a series of ours; its metric is taken over. */
void point_add_convention(struct points *, const struct mc_series *, unsigned source,
			  const struct mc_convention *, const struct point_number *);

/* When all numbers are there: its name and labels. */
void point_finish(struct point *);

/* Frees all. */
void point_done(struct points *);
