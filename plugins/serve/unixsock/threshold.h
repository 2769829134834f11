/* SPDX-License-Identifier: MIT */
/* GETTHRESHOLD: the bounds of a series.  Only run(). */
#ifndef UNIXSOCK_THRESHOLD_H
#define UNIXSOCK_THRESHOLD_H

#include <collector/serve.h>

#include "reply.h"

/* Of several thresholds the first, as collectd. */
void threshold_report(struct mc_ctx *, struct reply *, const struct mc_name_parts *);

#endif
