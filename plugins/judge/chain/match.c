/* SPDX-License-Identifier: MIT */
/* Matches of all kinds. */
#include "match.h"

#include "match_kinds.h"

const struct match_kind *match_kind(int kind)
{
	static const struct match_kind *const kinds[] = {
		&match_regex, &match_hashed, &match_timediff, &match_empty_counter, &match_value,
	};

	return kinds[kind];
}

bool match_open(struct match *match, const struct match_block *block, struct shared *shared)
{
	const struct match_kind *kind = match_kind(block->kind);

	*match = (struct match){ .kind = kind, .block = block };
	if (kind->by_name)
		match->number = shared->verdicts_len++;
	if (kind->open == NULL)
		return true;
	match->state = kind->open(block);
	return match->state != NULL;
}

void match_close(struct match *match)
{
	if (match->kind != NULL && match->kind->close != NULL)
		match->kind->close(match->state);
	*match = (struct match){ 0 };
}

/* Its assumed answer in this pass. */
static enum match_result choose(struct choices *choices)
{
	if (choices->at == CHOICES_MAX) {
		choices->lost = true;
		return MATCH_NO;
	}
	if (choices->at == choices->len)
		choices->taken[choices->len++] = false;
	return choices->taken[choices->at++] ? MATCH_YES : MATCH_NO;
}

enum match_result match_look_at_name(const struct match *match, struct subject *subject)
{
	_Atomic uint8_t *verdict;
	uint8_t known;

	if (!match->kind->by_name) {
		subject->each = true;
		return choose(subject->choices);
	}
	verdict = &subject->name->verdicts[match->number];
	known = atomic_load_explicit(verdict, memory_order_relaxed);
	if (known == 0) { /* Else one more than the result. */
		known = 1 + match->kind->look(match->block, match->state, subject);
		atomic_store_explicit(verdict, known, memory_order_relaxed);
	}
	return known - 1;
}
