/* SPDX-License-Identifier: MIT */
/* Goes through a chain without a sample: once for all that the matches which
 * look at samples may say. */
#include "outcome.h"

#define PASSES_MAX 256

struct finding {
	struct outcome outcome;
	bool some; /* One was not stopped so far. */
	bool several_names;
};

static void add(struct finding *finding, const struct subject *subject, bool stopped)
{
	struct outcome *outcome = &finding->outcome;
	struct name *name = subject->name;

	outcome->each |= subject->each;
	if (subject->split)
		outcome->split = name;
	if (stopped && !subject->behind)
		return;
	outcome->stopped = false;
	outcome->renamed |= !name_equal(name, name->root);
	if (!finding->some) {
		outcome->name = name;
		outcome->to_all = subject->to_all;
		outcome->writers = subject->writers;
	}
	finding->several_names |= !name_equal(name, outcome->name);
	outcome->alike &= subject->to_all == outcome->to_all &&
			  (subject->to_all || subject->writers == outcome->writers);
	finding->some = true;
}

/* The next of all combinations; false after the last. */
static bool advance(struct choices *choices)
{
	while (choices->len > 0 && choices->taken[choices->len - 1])
		choices->len--;
	if (choices->len > 0)
		choices->taken[choices->len - 1] = true;
	choices->at = 0;
	return choices->len > 0;
}

struct outcome outcome_find(struct flow *flow, bool behind, struct mc_ctx *ctx, struct name *name)
{
	const struct chain *chain = behind ? flow->behind : flow->before;
	struct finding finding = { .outcome = { .stopped = true, .alike = true } };
	struct choices choices = { .len = 0 };
	unsigned passes = 0;
	bool more = true;

	for (; more && !choices.lost && passes < PASSES_MAX; passes++) {
		struct subject subject = {
			.ctx = ctx,
			.shared = &flow->shared,
			.name = name,
			.behind = behind,
			.choices = &choices,
		};
		bool stopped = flow_run(chain, &subject);

		add(&finding, &subject, stopped);
		more = advance(&choices);
	}
	if (more) { /* Not all that may be is known. */
		finding.outcome.each = true;
		finding.outcome.stopped = false;
		finding.outcome.alike = false;
		finding.outcome.renamed = finding.several_names = true;
	}
	if (finding.several_names)
		finding.outcome.name = NULL;
	return finding.outcome;
}
