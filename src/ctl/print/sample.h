/* SPDX-License-Identifier: MIT */
/* Samples of OTLP as JSON: those of a journal, and of a dump. */
#pragma once

#include <collector/kit/json.h>

#include "formats/otlp/otlp.h"

#define SAMPLE_SOURCE_SIZE 128

/* The name of a source, which is "value" if it has none. */
void sample_source(const struct mc_otlp *, unsigned source, char out[SAMPLE_SOURCE_SIZE]);

/* Adds its name, times and values to a map. */
void sample_json(struct mc_json *, const struct mc_otlp *);
