/* SPDX-License-Identifier: MIT */
/* The match "timediff": a value whose time is far from now. */
#include "match_kinds.h"

#include <collector/check.h>

#include "trial.h"

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

/* One comparison each, of the time since the first that does not match, without a sign.  From the
 * last on, so that each bit moves the others on. */
static uint64_t look_at_all(const struct match_block *block, const struct trial *trial,
			    uint64_t those)
{
	mc_time first = block->past != 0 ? trial->now - block->past + 1 : INT64_MIN;
	mc_time last = block->future != 0 ? trial->now + block->future - 1 : INT64_MAX;
	uint64_t others = (uint64_t)last - (uint64_t)first, found = 0;
	struct mc_sample *const *at = trial->samples + trial->len;

	(void)those;
	while (at > trial->samples)
		found += found + ((uint64_t)(*--at)->time - (uint64_t)first > others);
	return found;
}

const struct match_kind match_timediff = {
	.options = (const char *const[]){ "Future", "Past", NULL },
	.check = check,
	.look = look,
	.look_at_all = look_at_all,
};
