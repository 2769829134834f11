/* SPDX-License-Identifier: MIT */
/* One read of all guests. */
#pragma once

#include <collector/plugin.h>

int cycle_read(struct mc_ctx *ctx, struct mc_batch *out);
