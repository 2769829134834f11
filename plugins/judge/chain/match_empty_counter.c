/* SPDX-License-Identifier: MIT */
/* The match "empty_counter": all counters of a value are 0. */
#include "match_kinds.h"

static enum match_result look(const struct match_block *block, void *state,
			      const struct subject *subject)
{
	const struct mc_type *type = subject->name->type;
	const struct mc_sample *sample = subject->sample;
	const union mc_value *values = subject_values(subject);
	bool some = false;

	(void)block;
	(void)state;
	for (unsigned i = 0; i < sample->values_len; i++) {
		enum mc_kind kind = type->sources[i].kind;

		if (kind != MC_COUNTER && kind != MC_DERIVE)
			continue;
		if (values[i].counter != 0)
			return MATCH_NO;
		some = true;
	}
	return some ? MATCH_YES : MATCH_NO;
}

const struct match_kind match_empty_counter = {
	.options = (const char *const[]){ NULL },
	.look = look,
};
