/* SPDX-License-Identifier: MIT */
/* Batches as requests, for one receiver or for several shards.  The writer's thread. */
#pragma once

#include "forward.h"

/* For write().  A batch that is not taken is offered again, before any other: it goes on after the
 * requests that are done. */
int requests_write(struct mc_ctx *, const struct mc_batch *);
