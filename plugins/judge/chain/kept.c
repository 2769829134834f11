/* SPDX-License-Identifier: MIT */
#include "kept.h"

#include "subject.h"

struct name *kept_keep(struct mc_ctx *ctx, const struct mc_series *series, struct name *name)
{
	struct name *there = NULL;

	if (__atomic_compare_exchange_n((struct name **)mc_slot(ctx, series), &there, name, false,
					__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return name;
	if (there != name)
		name_free(name);
	return there;
}

struct name *kept_or_new(struct mc_ctx *ctx, const struct mc_series *series,
			 const struct shared *shared)
{
	struct name *name = kept_find(ctx, series);

	return name != NULL ? name : name_of(series, shared->verdicts_len);
}

struct name *kept_make(struct mc_ctx *ctx, const struct mc_series *series,
		       const struct shared *shared)
{
	return kept_keep(ctx, series, name_of(series, shared->verdicts_len));
}

void kept_drop_other(struct mc_ctx *ctx, const struct mc_series *series, struct name *name)
{
	if (kept_find(ctx, series) != name)
		name_free(name);
}
