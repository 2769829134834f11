/* SPDX-License-Identifier: MIT */
/* The match "hashed": a share of all hosts, by a sum of their names, which is
 * collectd's: so that hosts stay where they are. */
#include "match_kinds.h"

#include <collector/check.h>

static void check(struct mc_ctx *ctx, const struct match_block *block)
{
	const struct mc_ints *shares = &block->shares;

	if (shares->len == 0)
		mc_check_error(ctx, &block->kind, "has no Match");
	if (shares->len % 2 != 0)
		mc_check_error(ctx, &block->shares,
			       "takes two numbers, the share and how many "
			       "there are");
	for (size_t i = 0; i + 1 < shares->len; i += 2)
		if (shares->items[i] >= shares->items[i + 1])
			mc_check_error(ctx, &shares->items[i],
				       "must be less than the number of "
				       "shares, %lld",
				       (long long)shares->items[i + 1]);
}

static uint32_t sum(const char *host)
{
	uint32_t sum = 0;

	for (; *host != '\0'; host++)
		sum = sum * UINT32_C(2184401929) + (uint32_t)(signed char)*host;
	return sum;
}

static enum match_result look(const struct match_block *block, void *state,
			      const struct subject *subject)
{
	const struct mc_ints *shares = &block->shares;
	uint32_t hash = sum(subject->name->id.host);

	(void)state;
	for (size_t i = 0; i + 1 < shares->len; i += 2)
		if (hash % (uint32_t)shares->items[i + 1] == (uint32_t)shares->items[i])
			return MATCH_YES;
	return MATCH_NO;
}

const struct match_kind match_hashed = {
	.options = (const char *const[]){ "Match", NULL },
	.by_name = true,
	.check = check,
	.look = look,
};
