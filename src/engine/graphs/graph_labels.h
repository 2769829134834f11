/* SPDX-License-Identifier: MIT */
/* Names of lines by the labels of their metrics: "200", or "code=200 method=GET". */
#pragma once

#include <collector/graphs.h>

#include "base/arena.h"

/* Names each line after those labels of its series' metric in which the lines differ; just the
 * value, if there is one such label.  Lines keep their names if any of them has no metric, if two
 * would have the same, or if they are parts of histograms.  Names are in the arena.  Thread: that
 * of a reading. */
void graph_labels_name(struct mc_drawing_line *lines, const struct mc_series *const *series,
		       size_t len, struct arena *arena);
