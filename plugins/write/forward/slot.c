/* SPDX-License-Identifier: MIT */
#include "slot.h"

#include <stdint.h>

#define REFUSED ((uintptr_t)1 << 31) /* The other bits are the shard, from 1 on. */

unsigned slot_shard(const struct mc_ctx *ctx, const struct mc_series *series)
{
	const struct forward *self = ctx->self;
	void **slot = mc_slot(ctx, series);
	uintptr_t value = (uintptr_t)*slot;

	if ((value & ~REFUSED) == 0)
		value |= 1 + spread_shard(&self->spread, mc_host(series));
	*slot = (void *)value;
	return (unsigned)((value & ~REFUSED) - 1);
}

bool slot_is_suspect(const struct mc_ctx *ctx, const struct mc_series *series)
{
	return ((uintptr_t)*mc_slot(ctx, series) & REFUSED) != 0;
}

void slot_suspect(struct mc_ctx *ctx, const struct mc_series *series, bool refused)
{
	struct forward *self = ctx->self;
	void **slot = mc_slot(ctx, series);

	if (slot_is_suspect(ctx, series) == refused)
		return;
	*slot = (void *)((uintptr_t)*slot ^ REFUSED);
	self->suspects_len += refused ? 1 : (size_t)-1;
}

void slot_forget(struct mc_ctx *ctx, void *slot)
{
	struct forward *self = ctx->self;

	if (((uintptr_t)slot & REFUSED) != 0)
		self->suspects_len--;
}
