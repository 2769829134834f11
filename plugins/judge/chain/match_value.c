/* SPDX-License-Identifier: MIT */
/* The match "value": a gauge or rate that is within bounds.  An unknown value is neither above nor
 * below a bound, as in collectd. */
#include "match_kinds.h"

#include <collector/check.h>

#include <math.h>

#include "sources.h"
#include "trial.h"

static void check(struct mc_ctx *ctx, const struct match_block *block)
{
	if (isnan(block->min) && isnan(block->max))
		mc_check_error(ctx, &block->kind, "has neither Min nor Max");
	else if (block->min > block->max)
		mc_check_warn(ctx, &block->min, "is larger than Max");
}

static bool is_within(const struct match_block *block, double value)
{
	bool within = !(value < block->min) && !(value > block->max);

	return within != block->invert;
}

/* Before the cache only gauges are known. */
static inline enum match_result look_at(const struct match_block *block, const struct mc_type *type,
					const struct mc_sample *sample, bool behind)
{
	enum match_result result = MATCH_NO;

	for (unsigned i = 0; i < sample->values_len; i++) {
		double value;

		if (!sources_have(&block->data_sources, &type->sources[i]))
			continue;
		if (behind)
			value = mc_rate(sample, i);
		else if (type->sources[i].kind == MC_GAUGE)
			value = sample->values[i].gauge;
		else
			return MATCH_FAILED;
		result = is_within(block, value) ? MATCH_YES : MATCH_NO;
		if ((result == MATCH_YES) == (block->satisfy == MATCH_ANY))
			break;
	}
	return result;
}

static enum match_result look(const struct match_block *block, void *state,
			      const struct subject *subject)
{
	(void)state;
	return look_at(block, subject->name->type, subject->sample, subject->behind);
}

static uint64_t look_at_all(const struct match_block *block, const struct trial *trial,
			    uint64_t those)
{
	uint64_t found = 0;

	for (; those != 0; those &= those - 1) {
		const struct mc_sample *sample = trial->samples[__builtin_ctzll(those)];

		if (look_at(block, mc_type(sample->series), sample, false) == MATCH_YES)
			found |= those & -those;
	}
	return found;
}

const struct match_kind match_value = {
	.options = (const char *const[]){ "Min", "Max", "Invert", "DataSource", "Satisfy", NULL },
	.check = check,
	.look = look,
	.look_at_all = look_at_all,
};
