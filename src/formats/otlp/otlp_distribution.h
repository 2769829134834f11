/* SPDX-License-Identifier: MIT */
/* Points of histograms, exponential histograms and summaries, each of which is
 * several samples: collector/private/otlp.h says which.  Pure functions. */
#pragma once

#include "formats/otlp/otlp_message.h"

/* A request makes a sample of this many bytes at most: a bucket of an
 * exponential histogram may have one byte, and a sample takes a hundred. */
#define OTLP_BYTES_PER_SAMPLE 4

/* Whether the metric being read is one of these. */
static inline bool otlp_distribution_is(const struct mc_otlp *otlp)
{
	return otlp->own.metric.template >= OTLP_METRIC_HISTOGRAM;
}

/* Reads a point.  NULL, and otlp_distribution_next() has its samples; or why it is rejected. */
const char *otlp_distribution_read(struct mc_otlp *, struct mc_otlp_span);

/* The next sample, of which there is one.  True if it has the metric's unit. */
bool otlp_distribution_next(struct mc_otlp *, struct mc_otlp_point *);

/* Whether there is one more. */
bool otlp_distribution_left(const struct mc_otlp *);
