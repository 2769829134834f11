/* SPDX-License-Identifier: MIT */
/* The match "timediff": a value whose time is far from now. */
#include "match_kinds.h"

#include <collector/check.h>

static void check(struct mc_ctx *ctx, const struct match_block *block)
{
	if (block->future == 0 && block->past == 0)
		mc_check_error(ctx, &block->kind, "has neither Future nor Past");
}

static enum match_result look(const struct match_block *block, void *state,
			      const struct subject *subject)
{
	mc_time time = subject->sample->time, now = subject->now;

	(void)state;
	if (block->future != 0 && time >= now + block->future)
		return MATCH_YES;
	if (block->past != 0 && time <= now - block->past)
		return MATCH_YES;
	return MATCH_NO;
}

const struct match_kind match_timediff = {
	.options = (const char *const[]){ "Future", "Past", NULL },
	.check = check,
	.look = look,
};
