/* SPDX-License-Identifier: MIT */
/* The name in the slot of a series: see name.h.  Thread: any. */
#pragma once

#include <collector/writer.h>

#include "name.h"

/* NULL: none is kept. */
static inline struct name *kept_find(struct mc_ctx *ctx, const struct mc_series *series)
{
	return __atomic_load_n((struct name **)mc_slot(ctx, series), __ATOMIC_ACQUIRE);
}

/* The name that is kept, or a new one; see kept_drop_other(). */
struct name *kept_or_new(struct mc_ctx *, const struct mc_series *, const struct shared *);

/* Keeps 'name', if another thread has not kept one; returns what is kept. */
struct name *kept_keep(struct mc_ctx *, const struct mc_series *, struct name *);

/* Keeps a new name, if none is kept; returns what is kept. */
struct name *kept_make(struct mc_ctx *, const struct mc_series *, const struct shared *);

/* Frees 'name', unless it is the one that is kept. */
void kept_drop_other(struct mc_ctx *, const struct mc_series *, struct name *);

/* For a sample: as a rule it is kept since its series was asked about. */
static inline struct name *kept_name(struct mc_ctx *ctx, const struct mc_series *series,
				     const struct shared *shared)
{
	struct name *name = kept_find(ctx, series);

	return name != NULL ? name : kept_make(ctx, series, shared);
}
