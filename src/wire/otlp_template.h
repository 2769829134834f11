/* SPDX-License-Identifier: MIT */
/* The form of a request: its bytes, but for times and values.  Made while a
 * request is read. */
#ifndef COLLECTOR_WIRE_OTLP_TEMPLATE_H
#define COLLECTOR_WIRE_OTLP_TEMPLATE_H

#include "wire/otlp.h"

/* A form of these bytes, without samples. */
struct mc_otlp_template *otlp_template_new(const void *bytes, size_t size);

/* Adds the sample that was just read of these bytes, and its series.  False:
 * there is no form of it. */
bool otlp_template_add(struct mc_otlp_template *, const struct mc_otlp *,
		       const struct mc_series *, const unsigned char *bytes);

#endif
