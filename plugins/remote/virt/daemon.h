/* SPDX-License-Identifier: MIT */
/* The cost of a read for libvirt's daemon. */
#pragma once

#include <collector/plugin.h>

struct daemon_cost {
	unsigned pid; /* 0: not known. */
	mc_time cpu, begun;
};

void daemon_begin(struct mc_ctx *ctx, struct daemon_cost *cost);

/* Puts the CPU time that the daemon used since daemon_begin(), for whomever,
 * and the time that went by. */
void daemon_end(struct mc_ctx *ctx, const struct daemon_cost *cost, struct mc_batch *out);
