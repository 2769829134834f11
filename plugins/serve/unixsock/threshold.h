/* SPDX-License-Identifier: MIT */
/* GETTHRESHOLD: the bounds of a series.  Only run(). */
#pragma once

#include <collector/serve.h>

#include "reply.h"

/* Reports the first of several thresholds, as collectd does. */
void threshold_report(struct mc_ctx *, struct mc_buffer *, const struct mc_name_parts *);
