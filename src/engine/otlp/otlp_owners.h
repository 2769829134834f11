/* SPDX-License-Identifier: MIT */
/* Which resource of a foreign request has put samples into which series: a second one may not. */
#pragma once

#include "formats/otlp/otlp.h"

/* Whether no other resource has put a sample into the series; then it is that of
 * the resource being read.  Thread: that of the request. */
bool otlp_owners_take(struct mc_otlp_owners *, const struct mc_otlp *, const struct mc_series *);
