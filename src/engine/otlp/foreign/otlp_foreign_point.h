/* SPDX-License-Identifier: MIT */
/* Data points of foreign metrics, from the samples that are their numbers.  Pure functions; they
 * write before 'at', as protobuf.h. */
#pragma once

#include "engine/otlp/foreign/otlp_foreign.h"

/* Whether the samples, sorted by part and bound, are all numbers of a point. */
bool otlp_foreign_point_is_complete(const struct otlp_foreign *, size_t len);

/* The field of a metric that has its points: its form. */
unsigned otlp_foreign_point_field(const struct mc_metric *);

/* A point that is complete. */
unsigned char *otlp_foreign_point_put(unsigned char *at, const struct otlp_foreign *, size_t len);

/* Labels as attributes in a field, and their size at most. */
size_t otlp_foreign_labels_size(const struct mc_metric_labels *);
unsigned char *otlp_foreign_labels_put(unsigned char *at, unsigned field,
				       const struct mc_metric_labels *);
