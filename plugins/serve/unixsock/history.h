/* SPDX-License-Identifier: MIT */
/* HISTORY: former values of a series, which may lie on a disk. */
#pragma once

#include <collector/history.h>

#include "errands.h"

/* The errand that answers for the series 'name', which is copied.  Where 'span' has no end, it ends
 * now, or with the last value of a series that has ended; without a begin it is an hour long. */
struct errand *history_errand(const char *name, struct mc_span span);
