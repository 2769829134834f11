/* SPDX-License-Identifier: MIT */
/* The way through chains: collectd.conf(5), "FILTER CONFIGURATION", "Flow control".
 *
 *   rule      all matches match: its targets are applied, one after the other
 *   stop      that is the end of the value, also in chains that led here
 *   return    that is the end of the chain
 *   the end   after the last rule, the default targets
 */
#include "flow.h"

#include <collector/kit/alloc.h>

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define JUMPS_MAX 1000 /* Of one value: further ones have no effect. */

/* --- From options --------------------------------------------------------- */

char *flow_writer(const char *text)
{
	char *name = mc_alloc_copy(text), *c;

	name[strcspn(name, "/")] = '\0';
	for (c = name; *c != '\0' && *c != '.'; c++)
		*c = tolower((unsigned char)*c);
	return name;
}

/* Its number; FLOW_WRITERS_MAX if there are too many. */
static unsigned number_of(struct flow *flow, const char *text)
{
	char *name = flow_writer(text);
	unsigned i = 0;

	while (i < flow->writers_len && strcmp(flow->writers[i], name) != 0)
		i++;
	if (i == flow->writers_len && i < FLOW_WRITERS_MAX)
		flow->writers[flow->writers_len++] = name;
	else
		free(name);
	return i;
}

static bool open_targets(struct flow *flow, const struct mc_blocks *blocks, struct target **targets,
			 size_t *len)
{
	const struct target_block *block = blocks->items;

	*targets = mc_alloc_resize(*targets, *len + blocks->len, sizeof(**targets));
	for (size_t i = 0; i < blocks->len; i++, block++) {
		struct target *target = &(*targets)[(*len)++];

		if (!target_open(target, block, &flow->shared))
			return false;
		flow->splits |= target->kind->splits;
		for (size_t j = 0; target->kind->writes && j < block->plugin.len; j++) {
			unsigned number = number_of(flow, block->plugin.items[j]);

			if (number == FLOW_WRITERS_MAX)
				return false;
			target->writers |= UINT32_C(1) << number;
		}
	}
	return true;
}

static bool open_rule(struct flow *flow, const struct rule_block *block, struct rule *rule)
{
	const struct match_block *match = block->matches.items;

	rule->name = block->name;
	rule->matches = mc_alloc_array(block->matches.len, sizeof(*rule->matches));
	for (size_t i = 0; i < block->matches.len; i++, match++)
		if (!match_open(&rule->matches[rule->matches_len++], match, &flow->shared))
			return false;
	return open_targets(flow, &block->targets, &rule->targets, &rule->targets_len);
}

static struct chain *find(const struct flow *flow, const char *name)
{
	for (size_t i = 0; i < flow->chains_len; i++)
		if (strcasecmp(flow->chains[i].name, name) == 0)
			return &flow->chains[i];
	return NULL;
}

const struct chain *flow_find(const struct flow *flow, const char *name)
{
	return find(flow, name);
}

/* One of the same name is appended to. */
static bool open_chain(struct flow *flow, const struct chain_block *block)
{
	const struct rule_block *rule = block->rules.items;
	struct chain *chain = find(flow, block->name);

	if (chain == NULL) {
		chain = &flow->chains[flow->chains_len++];
		chain->name = block->name;
	}
	chain->rules = mc_alloc_resize(chain->rules, chain->rules_len + block->rules.len,
				       sizeof(*chain->rules));
	for (size_t i = 0; i < block->rules.len; i++, rule++) {
		struct rule *opened = &chain->rules[chain->rules_len++];

		*opened = (struct rule){ 0 };
		if (!open_rule(flow, rule, opened))
			return false;
	}
	return open_targets(flow, &block->targets, &chain->targets, &chain->targets_len);
}

/* A target may jump to a chain that comes later. */
static void resolve(const struct flow *flow, struct target *targets, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (targets[i].kind->jumps && targets[i].block->chain != NULL)
			targets[i].chain = find(flow, targets[i].block->chain);
}

static void resolve_all(struct flow *flow, const struct chain_options *options)
{
	for (size_t i = 0; i < flow->chains_len; i++) {
		struct chain *chain = &flow->chains[i];

		resolve(flow, chain->targets, chain->targets_len);
		for (size_t j = 0; j < chain->rules_len; j++)
			resolve(flow, chain->rules[j].targets, chain->rules[j].targets_len);
	}
	flow->before = find(flow, options->before);
	flow->behind = find(flow, options->behind);
}

struct flow *flow_new(const struct chain_options *options)
{
	const struct chain_block *block = options->chains.items;
	struct flow *flow = mc_alloc_zero(sizeof(*flow));

	pthread_mutex_init(&flow->shared.lock, NULL);
	flow->chains = mc_alloc_array(options->chains.len, sizeof(*flow->chains));
	for (size_t i = 0; i < options->chains.len; i++, block++) {
		if (open_chain(flow, block))
			continue;
		flow_free(flow);
		return NULL;
	}
	resolve_all(flow, options);
	return flow;
}

static void close_targets(struct target *targets, size_t len)
{
	for (size_t i = 0; i < len; i++)
		target_close(&targets[i]);
	free(targets);
}

static void close_rule(struct rule *rule)
{
	for (size_t i = 0; i < rule->matches_len; i++)
		match_close(&rule->matches[i]);
	free(rule->matches);
	close_targets(rule->targets, rule->targets_len);
}

void flow_free(struct flow *flow)
{
	if (flow == NULL)
		return;
	for (size_t i = 0; i < flow->chains_len; i++) {
		struct chain *chain = &flow->chains[i];

		for (size_t j = 0; j < chain->rules_len; j++)
			close_rule(&chain->rules[j]);
		free(chain->rules);
		close_targets(chain->targets, chain->targets_len);
	}
	for (unsigned i = 0; i < flow->writers_len; i++)
		free(flow->writers[i]);
	free(flow->chains);
	pthread_mutex_destroy(&flow->shared.lock);
	free(flow);
}

/* --- The way -------------------------------------------------------------- */

struct visit { /* Of a chain, from another one. */
	const struct chain *chain;
	const struct visit *from;
};

static bool is_visited(const struct visit *visit, const struct chain *chain)
{
	while (visit != NULL && visit->chain != chain)
		visit = visit->from;
	return visit != NULL;
}

static void note(const struct chain *chain, const struct rule *rule, const struct target *target,
		 const struct subject *subject)
{
	if (subject->note != NULL)
		subject->note(subject->argument, chain, rule, target);
}

static enum target_result apply(const struct chain *chain, const struct rule *rule,
				const struct target *target, struct subject *subject)
{
	struct visit visit = { chain, subject->visits };
	enum target_result result;
	bool stopped;

	if (target->kind->jumps && target->chain != NULL && !is_visited(&visit, target->chain) &&
	    subject->jumps++ < JUMPS_MAX) {
		note(chain, rule, target, subject);
		subject->visits = &visit;
		stopped = flow_run(target->chain, subject);
		subject->visits = visit.from;
		return stopped ? TARGET_STOP : TARGET_CONTINUE;
	}
	result = target->kind->apply(target, subject);
	if (result != TARGET_FAILED)
		note(chain, rule, target, subject);
	return result;
}

bool flow_apply(const struct chain *chain, const struct rule *rule, struct subject *subject,
		bool *stopped)
{
	const struct target *targets = rule != NULL ? rule->targets : chain->targets;
	size_t len = rule != NULL ? rule->targets_len : chain->targets_len;

	for (size_t i = 0; i < len; i++) {
		enum target_result result = apply(chain, rule, &targets[i], subject);

		if (result == TARGET_STOP || result == TARGET_RETURN) {
			*stopped = result == TARGET_STOP;
			return false;
		}
	}
	return true;
}
