/* SPDX-License-Identifier: MIT */
/* collector/timeout.h - how long a series may be silent: for plugins that
 * remember something of series that others name. */
#pragma once

#include <collector/plugin.h>

#pragma GCC visibility push(default)

/* Timeout, as it is now: the number of intervals without a value after which a series ends.
 * Thread: any. */
double mc_timeout(const struct mc_ctx *ctx);

#pragma GCC visibility pop
