/* SPDX-License-Identifier: MIT */
/* A history that is being put together. */
#pragma once

#include <collector/history.h>

/* One without a known point, for a series of that interval; NULL if the span
 * has no length, or lies where no time does. */
struct mc_history *history_new(const struct mc_type *, struct mc_span, mc_time interval);

/* Makes averages of sums: all has been added. */
void history_finish(struct mc_history *);

/* Whether any point is known. */
bool history_is_known(const struct mc_history *);
