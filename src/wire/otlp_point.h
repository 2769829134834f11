/* SPDX-License-Identifier: MIT */
/* Data points of a request, one at a time, and the names of our series that
 * they get.  Pure functions; texts stay in the request. */
#ifndef COLLECTOR_WIRE_OTLP_POINT_H
#define COLLECTOR_WIRE_OTLP_POINT_H

#include "wire/otlp.h"

/* Whether the metric being read is one that we write: by its scope and name;
 * that it says its kind is known already. */
bool otlp_point_is_native(const struct mc_otlp *);

/* Reads a point of the metric being read.  NULL, or why it is rejected. */
const char *otlp_point_read(struct mc_otlp *, struct mc_otlp_point *,
			    struct mc_otlp_span);

/* Puts the name of the point's series together. */
void otlp_point_name(struct mc_otlp *, const struct mc_otlp_point *);

#endif
