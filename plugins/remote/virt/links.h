/* SPDX-License-Identifier: MIT */
/* Which connection a call goes over, and how long it may take. */
#pragma once

#include <stdbool.h>

#include <collector/plugin.h>

struct link;
struct virt;

/* The rest of the interval, for calls; never 0. */
mc_time links_time_left(const struct mc_ctx *ctx);

/* How long a call beside the one for statistics may take: whatever hangs, the
 * read fits into its interval. */
mc_time links_patience(const struct mc_ctx *ctx);

/* When a job of many calls is to end by itself, so that what it got by then is not lost with it. */
mc_time links_until(const struct mc_ctx *ctx);

/* How many wait to be connected. */
unsigned links_dialing(const struct virt *self);

/* Whether a call may be made on the link: nothing hangs on it, and if it must
 * be connected first, not too many wait for that already. */
bool links_may_call(struct virt *self, const struct link *link);

/* CPU time that calls over all of them have taken, since they are there. */
mc_time links_cpu(const struct virt *self);

/* A connection for which that is so, or NULL: for statistics, for calls about
 * one guest at a time, and for probes. */
struct link *links_for_all(struct virt *self);
struct link *links_for_each(struct virt *self);
struct link *links_for_probe(struct virt *self);

/* Back to one connection of each kind, and none for probes, when calls have come back. */
void links_drop_idle(struct mc_ctx *ctx);
