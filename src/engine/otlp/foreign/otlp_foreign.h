/* SPDX-License-Identifier: MIT */
/* Samples of foreign metrics (collector/metric.h), which are written as they came: under their own
 * name, with their own resource, scope and attributes, the series of a histogram as one point.
 * Samples of ours are written in the same way if they go by the names of OpenTelemetry's
 * conventions, each source as a point.
 *
 * Each point has, in a field that OTLP has not and others pass over, the five parts of the name of
 * its series here, so that the next collector has the same series.  A histogram or summary that is
 * incomplete, as when a judge has dropped some of its series, is written as series of ours. */
#pragma once

#include <collector/metric.h>
#include <collector/writer.h>

#include "engine/otlp/otlp_describe.h"

struct mc_otlp_writer;

struct otlp_foreign { /* A sample, or a source of it. */
	const struct mc_sample *sample;
	const struct mc_sample *before; /* The sample that was sorted in before it, or NULL. */
	struct mc_metric metric;        /* Held. */
	unsigned source;                /* Whose value it is. */
	uint32_t place;                 /* By convention: index of its value's in the places. */
	double divisor;                 /* Of the value; 1 of foreign metrics. */
	const char *unit;               /* By convention; NULL: that of its series. */
};

#define OTLP_FOREIGN_INCOMPLETE_MAX 64

/* Points that were found incomplete: their samples are not added.  All zero: none. */
struct otlp_foreign_incomplete {
	struct mc_metric items[OTLP_FOREIGN_INCOMPLETE_MAX]; /* Not held: only compared. */
	unsigned len; /* More than there is room for: all histograms and summaries. */
};

/* Whether the sample is of a foreign metric, or has a convention.  Then it is added, with the
 * largest size of its bytes; *full is true if there was no room for it, and then the first samples
 * of its point are taken back: *last becomes the one before these. */
bool otlp_foreign_add(struct mc_otlp_writer *, const struct mc_sample *,
		      const struct mc_sample **last, bool *full);

/* After the last one: sorts them.  False, and nothing sorted, if some points are incomplete: these
 * are noted, and all is to be added again. */
bool otlp_foreign_sort(struct mc_otlp_writer *);

/* Forgets the incomplete points. */
void otlp_foreign_begin(struct mc_otlp_writer *);

/* How many samples were added. */
unsigned otlp_foreign_samples(const struct mc_otlp_writer *);

/* Writes their resources before 'at', as protobuf.h. */
unsigned char *otlp_foreign_put(struct mc_otlp_writer *, unsigned char *at);

/* Releases all of them. */
void otlp_foreign_clear(struct mc_otlp_writer *);
