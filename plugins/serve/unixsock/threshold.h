/* SPDX-License-Identifier: MIT */
/* GETTHRESHOLD: the bounds of a series.  Only run(). */
#pragma once

#include <collector/serve.h>

#include "reply.h"

/* Of several thresholds the first, as collectd. */
void threshold_report(struct mc_ctx *, struct mc_buffer *, const struct mc_name_parts *);
