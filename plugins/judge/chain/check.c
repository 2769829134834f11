/* SPDX-License-Identifier: MIT */
/* Finds mistakes in chains: first in each match and target by itself, then in the paths through
 * them. */
#include "check.h"

#include <collector/check.h>
#include <collector/kit/alloc.h>

#include <string.h>

#include "flow.h"

/* --- Matches and targets -------------------------------------------------- */

static void check_foreign(struct mc_ctx *ctx, const void *block, const struct mc_option *table,
			  const char *kind, const char *const *options)
{
	const struct mc_option *foreign = options_foreign(table, block, options);

	if (foreign != NULL)
		mc_check_warn(ctx, (const char *)block + foreign->offset,
			      "is ignored: '%s' has no such option", kind);
}

static void check_match(struct mc_ctx *ctx, const struct match_block *block)
{
	const struct match_kind *kind = match_kind(block->kind);

	check_foreign(ctx, block, options_of_match, options_matches[block->kind], kind->options);
	if (kind->check != NULL)
		kind->check(ctx, block);
}

static void check_writers(struct mc_ctx *ctx, const struct mc_strings *texts)
{
	if (texts->len > FLOW_WRITERS_MAX)
		mc_check_error(ctx, &texts->items[FLOW_WRITERS_MAX],
			       "is one too many: there can be %d", FLOW_WRITERS_MAX);
	for (size_t i = 0; i < texts->len; i++) {
		char *name = flow_writer(texts->items[i]);

		if (!mc_check_instance(ctx, name))
			mc_check_warn(ctx, &texts->items[i],
				      "is not loaded: nobody gets these "
				      "values");
		else if (strchr(texts->items[i], '/') != NULL)
			mc_check_warn(ctx, &texts->items[i],
				      "means all of '%s': there are no parts "
				      "of it to choose from",
				      name);
		free(name);
	}
}

static void check_targets(struct mc_ctx *ctx, const struct mc_blocks *blocks)
{
	const struct target_block *block = blocks->items;

	for (size_t i = 0; i < blocks->len; i++, block++) {
		const struct target_kind *kind = target_kind(block->kind);

		check_foreign(ctx, block, options_of_target, options_targets[block->kind],
			      kind->options);
		if (kind->check != NULL)
			kind->check(ctx, block);
		if (kind->writes)
			check_writers(ctx, &block->plugin);
	}
}

static void check_chain(struct mc_ctx *ctx, const struct chain_block *chain)
{
	const struct rule_block *rule = chain->rules.items;

	for (size_t i = 0; i < chain->rules.len; i++, rule++) {
		const struct match_block *match = rule->matches.items;

		for (size_t j = 0; j < rule->matches.len; j++)
			check_match(ctx, match + j);
		check_targets(ctx, &rule->targets);
	}
	check_targets(ctx, &chain->targets);
}

/* --- The way -------------------------------------------------------------- */

enum progress { UNSEEN, UNDER_WAY, DONE };

struct walk {
	struct mc_ctx *ctx;
	const struct flow *flow;
	bool behind;             /* The cache. */
	bool writes;             /* Something is written on the way. */
	enum progress *progress; /* Of each chain. */
	bool *used;
};

static void walk_chain(struct walk *, const struct chain *);

static void walk_jump(struct walk *walk, const struct target *target)
{
	const struct chain *chain = target->chain;
	const char *const *name = &target->block->chain;

	if (chain == NULL)
		mc_check_warn(walk->ctx, name, "does not exist: this jump has no effect");
	else if (walk->progress[chain - walk->flow->chains] == UNDER_WAY)
		mc_check_warn(walk->ctx, name,
			      "leads in a circle: this jump has no effect "
			      "when values come from there");
	else
		walk_chain(walk, chain);
}

static void walk_targets(struct walk *walk, const struct target *targets, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		const struct target_kind *kind = targets[i].kind;
		const int *place = &targets[i].block->kind;

		walk->writes |= kind->writes;
		if (kind->writes && !walk->behind)
			mc_check_warn(walk->ctx, place,
				      "has no effect before the cache: a value that is "
				      "not stopped there is written after it");
		if (kind->jumps)
			walk_jump(walk, &targets[i]);
	}
}

static void walk_chain(struct walk *walk, const struct chain *chain)
{
	size_t number = chain - walk->flow->chains;

	if (walk->progress[number] == DONE)
		return;
	walk->progress[number] = UNDER_WAY;
	walk->used[number] = true;
	for (size_t i = 0; i < chain->rules_len; i++)
		walk_targets(walk, chain->rules[i].targets, chain->rules[i].targets_len);
	walk_targets(walk, chain->targets, chain->targets_len);
	walk->progress[number] = DONE;
}

/* The first block of a chain. */
static const struct chain_block *block_of(const struct chain_options *options,
					  const struct flow *flow, const struct chain *chain)
{
	const struct chain_block *block = options->chains.items;

	while (flow_find(flow, block->name) != chain)
		block++;
	return block;
}

static void check_way(struct mc_ctx *ctx, const struct chain_options *options,
		      const struct flow *flow, bool *used)
{
	for (int behind = 0; behind < 2; behind++) {
		const struct chain *chain = behind ? flow->behind : flow->before;
		struct walk walk = { .ctx = ctx, .flow = flow, .behind = behind, .used = used };

		if (chain == NULL)
			continue;
		walk.progress = mc_alloc_array(flow->chains_len, sizeof(*walk.progress));
		walk_chain(&walk, chain);
		if (behind && !walk.writes)
			mc_check_warn(ctx, &block_of(options, flow, chain)->name,
				      "never writes: no writer gets any value");
		free(walk.progress);
	}
}

static void check_names(struct mc_ctx *ctx, const struct chain_options *options,
			const struct flow *flow)
{
	if (flow->before == NULL && strcmp(options->before, "PreCache") != 0)
		mc_check_warn(ctx, &options->before, "does not exist");
	if (flow->behind == NULL && strcmp(options->behind, "PostCache") != 0)
		mc_check_warn(ctx, &options->behind, "does not exist");
}

static void check_flow(struct mc_ctx *ctx, const struct chain_options *options,
		       const struct flow *flow)
{
	bool *used = mc_alloc_array(flow->chains_len, sizeof(*used));

	check_names(ctx, options, flow);
	check_way(ctx, options, flow, used);
	for (size_t i = 0; i < flow->chains_len; i++)
		if (!used[i])
			mc_check_warn(ctx, &block_of(options, flow, &flow->chains[i])->name,
				      "is not used: neither PreCacheChain, "
				      "PostCacheChain nor a jump leads there");
	free(used);
}

void check_chains(struct mc_ctx *ctx, const struct chain_options *options)
{
	const struct chain_block *block = options->chains.items;
	struct flow *flow;

	for (size_t i = 0; i < options->chains.len; i++)
		check_chain(ctx, block + i);
	flow = flow_new(options);
	if (flow != NULL)
		check_flow(ctx, options, flow);
	flow_free(flow);
}
