/* SPDX-License-Identifier: MIT */
/* The text that Prometheus scrapes: its text format 0.0.4 and OpenMetrics 1.0,
 * with the names that collectd 5.12's write_prometheus gives.  Pure.
 *
 * Sources of the formats: prometheus.io/docs, "Exposition formats";
 * openmetrics.io, "OpenMetrics 1.0"; the names were found by running collectd.
 */
#pragma once

#include <collector/plugin.h>

#include "formats/prometheus/labelling.h"
#include "formats/prometheus/naming.h"

struct exposition_text { /* Grows. */
	char *at;
	size_t size, room;
};

enum exposition_format { EXPOSITION_TEXT, EXPOSITION_OPENMETRICS };

struct exposition_about { /* A metric. */
	const char *name, *help;
	const char *unit; /* "" or NULL: not known. */
	enum mc_kind kind;
	bool unclear; /* Of a counter: its name without "_total" is that of another metric. */
};

/* The lines about a metric, in front of its samples. */
void exposition_head(struct exposition_text *, enum exposition_format,
		     const struct exposition_about *);

enum exposition_type {
	EXPOSITION_GAUGE,
	EXPOSITION_COUNTER,
	EXPOSITION_HISTOGRAM,
	EXPOSITION_SUMMARY,
	EXPOSITION_UNTYPED,
};

struct exposition_family { /* A metric of others. */
	const char *name, *help;
	const char *unit; /* "bytes"; "": not known. */
	enum exposition_type type;
};

/* As exposition_head(). */
void exposition_family(struct exposition_text *, enum exposition_format,
		       const struct exposition_family *);

/* Adds "{cpu="0",type="idle",instance="host"}". */
void exposition_labels(struct exposition_text *, const struct labelling_of_series *);

/* Adds '{name="value"', the first to an empty text, or ',name="value"'; the '}' is left to add. */
void exposition_add_label(struct exposition_text *, const char *name, const char *value);

/* Adds a sample; 'labels' is what exposition_labels() has made.  'time' 0: the
 * moment of the scrape. */
struct exposition_sample {
	const char *name;
	const char *labels;
	size_t labels_size;
	enum mc_kind kind;
	union mc_value value;
	mc_time time;
};
void exposition_sample(struct exposition_text *, enum exposition_format,
		       const struct exposition_sample *);

/* Adds what the whole ends with. */
void exposition_end(struct exposition_text *, enum exposition_format);

void exposition_add(struct exposition_text *, const char *bytes, size_t size);
