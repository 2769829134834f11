/* SPDX-License-Identifier: MIT */
/* Notices among samples: a file of metrics (ExportMetricsServiceRequest, or MetricsData) has
 * requests for logs in fields 1002, which every other reader passes over.  Pure functions. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "formats/otlp/otlp.h"

#define OTLP_NOTICES_HEAD_MAX 12

/* Writes what comes in front of a request for logs of 'size' bytes; returns its size. */
size_t otlp_notices_head(unsigned char out[OTLP_NOTICES_HEAD_MAX], size_t size);

/* Takes the next request for logs out of the rest of such bytes.  False at the end, or where they
 * are damaged. */
bool otlp_notices_next(struct mc_otlp_span *rest, struct mc_otlp_span *logs);
