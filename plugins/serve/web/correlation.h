/* SPDX-License-Identifier: MIT */
/* How much alike two rows of values move.  Pure. */
#pragma once

#include <collector/history.h>

#define CORRELATION_POINTS_MIN 6 /* Of fewer, any two would be alike. */

/* From -1, one rises as the other falls, to 1; NaN if fewer than CORRELATION_POINTS_MIN points are
 * known of both, or one of them does not move there.  Thread: any. */
double correlation(const double *values, const struct mc_history_point *points, unsigned len);
