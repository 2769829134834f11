/* SPDX-License-Identifier: MIT */
/* The slot of a series: the number of its shard, and whether it was refused.  It is no memory.  The
 * writer's thread. */
#pragma once

#include "forward.h"

unsigned slot_shard(const struct mc_ctx *, const struct mc_series *);

/* Whether a sample of it was refused, and none was taken since. */
bool slot_is_suspect(const struct mc_ctx *, const struct mc_series *);
void slot_suspect(struct mc_ctx *, const struct mc_series *, bool refused);

/* For forget(). */
void slot_forget(struct mc_ctx *, void *slot);
