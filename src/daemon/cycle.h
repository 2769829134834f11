/* SPDX-License-Identifier: MIT */
/* One read cycle, printed: collectord -T. */
#pragma once

#include <stdio.h>

#include <collector/plugin.h>

#include "engine/change/engine.h"

/* Reads everything twice, a second apart, because most of what is measured are counters, and prints
 * each series with its rates.  The engine was started with engine_start_idle(); 'ctx' is any of its
 * instances.  Returns how many instances failed; why is in the log. */
unsigned cycle_print(struct engine *, struct mc_ctx *ctx, FILE *);
