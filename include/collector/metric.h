/* SPDX-License-Identifier: MIT */
/* collector/metric.h - a series as its sender calls it: the name of the metric, its kind and its
 * labels, as OpenTelemetry, Prometheus, Influx and Graphite have them.
 *
 * The five parts of its name identify a series in files, protocols of collectd, and rules.  The
 * sender's name and labels need not fit there; they are kept beside, so that writers which speak
 * the sender's language send the metric on as it came.  Series without it cost nothing; equal names
 * and sets of labels are kept once.
 *
 * Source of the model: the OpenTelemetry specification, "Metrics Data Model".
 */
#pragma once

#include <string.h>

#include <collector/plugin.h>

#pragma GCC visibility push(default)

enum mc_metric_kind {
	MC_METRIC_GAUGE,
	MC_METRIC_COUNTER,         /* A sum that only grows. */
	MC_METRIC_UP_DOWN_COUNTER, /* A sum that may fall. */
	MC_METRIC_HISTOGRAM,
	MC_METRIC_EXPONENTIAL_HISTOGRAM, /* With bounds at powers of two. */
	MC_METRIC_SUMMARY,
};

/* A histogram or summary is several series, one for each of its numbers. */
enum mc_metric_part {
	MC_METRIC_VALUE, /* Of all other kinds. */
	MC_METRIC_COUNT,
	MC_METRIC_SUM,
	MC_METRIC_MIN,
	MC_METRIC_MAX,
	MC_METRIC_BUCKET,   /* How many are no larger than 'bound'. */
	MC_METRIC_QUANTILE, /* That of 'bound', 0 to 1. */
};

/* Longer names are cut.  A label with a longer name or value is left out. */
#define MC_METRIC_NAME_SIZE 256   /* With '\0'. */
#define MC_METRIC_VALUE_SIZE 4096 /* The same. */
#define MC_METRIC_HELP_SIZE 1024  /* The same; a longer text is cut. */
#define MC_METRIC_LABELS_MAX 64   /* In a set; further ones are left out. */

/* Texts are valid UTF-8 without control characters; others are replaced as in metadata. */
struct mc_metric_label {
	const char *name, *value;
	/* A value that is no text, such as an integer or a list, as an AnyValue of OTLP; 'value'
	 * has it as a text, lists as JSON.  NULL: the value is a text. */
	const void *encoded;
	size_t encoded_size;
};

struct mc_metric_labels { /* Sorted by their names once they are kept. */
	const struct mc_metric_label *items;
	size_t len;
};

struct mc_metric {
	const char *name;          /* "http.requests"; "": that of collectd's parts. */
	const char *scope;         /* The library that measures, or "". */
	const char *scope_version; /* Its version, or "". */
	const char *help;          /* Text for people, or ""; metadata of the series, "info", which
				      do not outlive a restart, precede it. */
	enum mc_metric_kind kind;
	enum mc_metric_part part;
	bool delta;                     /* Counts since the point before, not since the start. */
	bool integer;                   /* Numbers were sent as integers. */
	double bound;                   /* Of a bucket or quantile. */
	mc_time start;                  /* When its count began; 0: not known. */
	struct mc_metric_labels labels; /* Of the point. */
	struct mc_metric_labels scope_labels; /* Of the library. */
	struct mc_metric_labels resource;     /* The measured service, container, ... */
	const void *held;                     /* By mc_get_metric(). */
};

/* Keeps a copy for 'series', in place of the one before; it is freed with the series, and charged
 * to the quota of the batch (quota.h).  Texts may be NULL.  Without room nothing is kept, which is
 * logged.  A series that a judge renames keeps its metric.  A 'series' of NULL is fine.  Thread:
 * the one that fills 'batch'. */
void mc_set_metric(struct mc_batch *batch, struct mc_series *series,
		   const struct mc_metric *metric);

/* The metric of a series, to be released; false if it has none.  It does not change, also when the
 * series gets another one or ends; its texts are not NULL.  Thread: any. */
bool mc_get_metric(const struct mc_series *series, struct mc_metric *out);

/* Whether the series still has the metric that was got; of one that was not got, whether it has
 * none.  Costs a comparison.  Thread: any. */
bool mc_metric_is_current(const struct mc_series *series, const struct mc_metric *metric);

/* Whether a label of the point, the resource or the scope matches "NAME=GLOB"; the name of the
 * metric is "__name__".  Thread: any. */
bool mc_metric_matches(const struct mc_metric *metric, const char *label);

/* A metric that was not got is fine.  Thread: any. */
void mc_release_metric(const struct mc_metric *metric);

#pragma GCC visibility pop

/* The value of the label of that name; NULL without one. */
static inline const char *mc_metric_label(const struct mc_metric_labels *labels, const char *name)
{
	for (size_t i = 0; i < labels->len; i++)
		if (strcmp(labels->items[i].name, name) == 0)
			return labels->items[i].value;
	return NULL;
}

/* Whether both were got and are of one point: parts of one histogram, or the same series. */
static inline bool mc_metric_is_same_point(const struct mc_metric *a, const struct mc_metric *b)
{
	return a->name == b->name && a->labels.items == b->labels.items &&
	       a->resource.items == b->resource.items;
}
