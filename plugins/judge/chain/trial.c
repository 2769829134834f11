/* SPDX-License-Identifier: MIT */
#include "trial.h"

#include <collector/judge.h>

#include "kept.h"

void trial_init(struct trial *trial, struct mc_ctx *ctx, struct shared *shared,
		const struct mc_arrivals *arrivals, size_t from)
{
	size_t left = arrivals->len - from;

	trial->ctx = ctx;
	trial->shared = shared;
	trial->now = arrivals->time;
	trial->samples = arrivals->samples + from;
	trial->len = left < TRIAL_MAX ? (unsigned)left : TRIAL_MAX;
	trial->all = left < TRIAL_MAX ? (UINT64_C(1) << left) - 1 : UINT64_MAX;
	trial->named = false;
}

struct name *trial_name(struct trial *trial, unsigned number)
{
	for (unsigned i = 0; !trial->named && i < trial->len; i++)
		trial->names[i] = kept_name(trial->ctx, trial->samples[i]->series, trial->shared);
	trial->named = true;
	return trial->names[number];
}

/* Asks a match about one after the other. */
static uint64_t look_at_each(struct trial *trial, const struct match *match, uint64_t those)
{
	struct subject subject = {
		.ctx = trial->ctx,
		.shared = trial->shared,
		.now = trial->now,
	};
	uint64_t found = 0;

	for (; those != 0; those &= those - 1) {
		unsigned i = (unsigned)__builtin_ctzll(those);
		struct mc_sample *sample = trial->samples[i];

		subject.name = trial_name(trial, i);
		subject.sample = sample;
		subject.values = sample->values;
		if (match_look(match, &subject) == MATCH_YES)
			found |= UINT64_C(1) << i;
	}
	return found;
}

/* Those of 'those' that match all of a rule. */
static uint64_t look(struct trial *trial, const struct rule *rule, uint64_t those)
{
	for (size_t i = 0; i < rule->matches_len && those != 0; i++) {
		const struct match *match = &rule->matches[i];

		if (match->kind->look_at_all != NULL)
			those &= match->kind->look_at_all(match->block, trial, those);
		else
			those = look_at_each(trial, match, those);
	}
	return those;
}

uint64_t trial_run(struct trial *trial, const struct chain *chain)
{
	uint64_t found = chain->targets_len > 0 ? trial->all : 0;

	for (size_t i = 0; i < chain->rules_len && found != trial->all; i++)
		found |= look(trial, &chain->rules[i], trial->all & ~found);
	return found;
}
