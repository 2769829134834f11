/* SPDX-License-Identifier: MIT */
/* The path of a metric that came with a name of its sender's: "NAME;TAG=VALUE;TAG=VALUE", as
 * Graphite 1.1 has tags.  A pure function.
 *
 * Source: the documentation of Graphite, "Graphite Tag Support". */
#pragma once

#include <collector/metric.h>
#include <collector/writer.h>

#include "formats/graphite/graphite_path.h"

/* Appends it: the name, with "_bucket" and so on of a part of a histogram; then its labels, and
 * what identifies its resource, as far as no label has the same name. */
void foreign_path(struct mc_buffer *, const struct mc_graphite_options *, const struct mc_series *,
		  const struct mc_metric *);
