/* SPDX-License-Identifier: MIT */
/* Requests into batches: what the journal needs beside collector/private/otlp.h. */
#pragma once

#include "formats/otlp/otlp.h"

/* The series of the sample that was read last; one that is made has the unit of
 * the metric.  NULL as of mc_series(). */
struct mc_series *otlp_put_series(struct mc_batch *, const struct mc_otlp *);
