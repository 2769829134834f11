/* SPDX-License-Identifier: MIT */
/* A history as CSV: RFC 4180. */
#pragma once

#include <collector/kit/buffer.h>

#include "combine.h"

/* Adds a row of names, then one for each time at which points end, in UTC; a column for each source
 * of each group that has the points of the first, and one for its maxima if they differ.  Unknown
 * values are empty.  Thread: any. */
void history_csv_print(struct mc_buffer *out, const struct combine *combine);
