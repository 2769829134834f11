/* SPDX-License-Identifier: MIT */
/* The template of a request: its bytes without times and values.  It is
 * recorded while a request is read. */
#pragma once

#include "formats/otlp/otlp_message.h"

/* A template of these bytes, without samples. */
struct mc_otlp_template *otlp_template_new(const void *bytes, size_t size);

/* Adds the sample that was just read from 'bytes', and its series.  False: the
 * request cannot have a template. */
bool otlp_template_add(struct mc_otlp_template *, const struct mc_otlp *, const struct mc_series *,
		       const unsigned char *bytes);
