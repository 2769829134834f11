/* SPDX-License-Identifier: MIT */
/* One read of all guests. */
#ifndef VIRT_CYCLE_H
#define VIRT_CYCLE_H

#include <collector/plugin.h>

int cycle_read(struct mc_ctx *ctx, struct mc_batch *out);

#endif
