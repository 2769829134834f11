/* SPDX-License-Identifier: MIT */
/* Pages of metrics as exporters show them: the text format of Prometheus, version 0.0.4, and
 * OpenMetrics 1.0.  Pure functions, which allocate nothing.
 *
 * Facts: prometheus.io/docs, "Exposition formats"; the OpenMetrics specification, "Text Format";
 * what Prometheus 2.42 takes of it was found by asking it. */
#pragma once

#include <collector/metric.h>

struct page_text { /* Without a '\0'. */
	const char *at;
	size_t size;
};

enum page_type { PAGE_UNTYPED, PAGE_GAUGE, PAGE_COUNTER, PAGE_HISTOGRAM, PAGE_SUMMARY };

struct page {
	/* Of the lines before the sample: a family of metrics, its help text, and its type. */
	struct page_text family, help;
	enum page_type type;

	unsigned line;     /* Number of the last line that was read. */
	const char *error; /* The fault of that line; NULL: none. */

	bool openmetrics, ended; /* page.c's own. */
	const char *at, *end;
};

struct page_sample {
	struct page_text series; /* As it is written: NAME{LABEL="VALUE",...} */
	struct page_text number;
	double value;
	mc_time time; /* Since 1970 UTC; 0: it has none. */
};

/* The text stays until the last sample is read; after it is a '\0'. */
void page_open(struct page *, const char *text, size_t size, bool openmetrics);

/* Reads the next sample; false at the end of the page, or at an error.  'guess' is a text that its
 * series may have, to be found fast; NULL: none. */
bool page_next(struct page *, const struct page_text *guess, struct page_sample *);

/* --- What a sample is of --------------------------------------------------- */

struct page_role {
	enum page_type type; /* PAGE_UNTYPED: it is not of the family. */
	enum mc_metric_part part;
	size_t name_size; /* Of the name of the metric, without the suffix of that part. */
};

/* By the name of the sample. */
struct page_role page_role_of(const struct page *, const char *name);

/* --- Series ---------------------------------------------------------------- */

#define PAGE_LABELS_MAX MC_METRIC_LABELS_MAX

struct page_labels {
	const char *name;                              /* Of the metric. */
	struct mc_metric_label items[PAGE_LABELS_MAX]; /* Sorted by name; none is empty. */
	size_t len;
};

/* Reads a series, whose text it changes, and which stays.  NULL, or what is wrong with it. */
const char *page_labels_read(struct page_labels *, char *text);

/* Reads a number as Prometheus does, with NaN and infinities. */
bool page_number_read(struct page_text, double *number);

/* Undoes the escapes of a help text; cut at 'size' bytes. */
void page_help_read(struct page_text help, char *out, size_t size);
