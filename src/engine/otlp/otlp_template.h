/* SPDX-License-Identifier: MIT */
/* The template of a request: the sum of its bytes without times and values, and where these are.
 * It is recorded while a request is read. */
#pragma once

#include "formats/otlp/otlp_message.h"

/* A template of a request of that size, without samples. */
struct mc_otlp_template *otlp_template_new(size_t size);

/* Adds the sample that was just read from 'bytes', and its series.  False: the
 * request cannot have a template. */
bool otlp_template_add(struct mc_otlp_template *, const struct mc_otlp *, const struct mc_series *,
		       const unsigned char *bytes);

/* After the last of them, with the whole request.  False: it cannot have one. */
bool otlp_template_end(struct mc_otlp_template *, const unsigned char *bytes);
