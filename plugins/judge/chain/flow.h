/* SPDX-License-Identifier: MIT */
/* Chains, prepared, and the way through them. */
#pragma once

#include "match.h"
#include "target.h"

#define FLOW_WRITERS_MAX 32

struct rule {
	const char *name; /* NULL: it has none. */
	struct match *matches;
	struct target *targets;
	size_t matches_len, targets_len;
};

struct chain {
	const char *name;
	struct rule *rules;
	struct target *targets; /* By default. */
	size_t rules_len, targets_len;
};

struct flow {
	struct shared shared;
	struct chain *chains;
	size_t chains_len;
	const struct chain *before, *behind; /* The cache; NULL: none. */
	char *writers[FLOW_WRITERS_MAX];     /* That targets name. */
	unsigned writers_len;
	bool splits; /* There is a v5upgrade. */
};

/* From options that check() has found right, and that outlive it; NULL if it cannot be prepared. */
struct flow *flow_new(const struct chain_options *);
void flow_free(struct flow *); /* NULL is fine. */

/* The chain of that name, in any case, or NULL. */
const struct chain *flow_find(const struct flow *, const char *name);

/* The name of a writer's instance as it is written in a chain: in lower case, and without a part of
 * it, which are collectd's "name/part".  Freed by the caller. */
char *flow_writer(const char *text);

/* Applies the targets of a rule, or those by default (NULL).  False: that is the end of the chain,
 * and, if '*stopped' is true, of the value.  Thread: any. */
bool flow_apply(const struct chain *, const struct rule *, struct subject *, bool *stopped);

/* Sends it through a chain.  True: it is stopped.  Inline, as that is done for each value.  Thread:
 * any. */
static inline bool flow_run(const struct chain *chain, struct subject *subject)
{
	const struct rule *rule = chain->rules, *end = rule + chain->rules_len;
	bool stopped = false;

	for (; rule < end; rule++) {
		const struct match *match = rule->matches, *last = match + rule->matches_len;

		while (match < last && match_look(match, subject) == MATCH_YES)
			match++;
		if (match == last && !flow_apply(chain, rule, subject, &stopped))
			return stopped;
	}
	if (chain->targets_len > 0)
		flow_apply(chain, NULL, subject, &stopped);
	return stopped;
}
