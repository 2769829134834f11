/* SPDX-License-Identifier: MIT */
#include "source_limits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/metadata.h>

struct list { /* Of rules that metadata make. */
	struct rule *items;
	size_t len;
	const struct rules *config; /* NULL: it has none for the series. */
	const struct mc_type *type;
};

/* --- What the config leaves open ------------------------------------------ */

static bool concerns(const struct rule *rule, const struct mc_source *source)
{
	return rule->source == NULL || strcmp(rule->source, source->name) == 0;
}

static const struct mc_bounds none = { NAN, NAN };

/* Keeps the limits of metadata where no rule of the config says something else. */
static void leave_open(const struct rules *config, const struct mc_source *source,
		       struct mc_metadata *metadata)
{
	for (size_t i = 0; config != NULL && i < config->len; i++) {
		const struct rule *rule = config->items[i];

		if (!concerns(rule, source))
			continue;
		if (rule_has_bounds(&rule->warning) || !rule->source_limits)
			metadata->warning = none;
		if (rule_has_bounds(&rule->failure) || !rule->source_limits)
			metadata->failure = none;
		if (rule->unknown_after > 0)
			metadata->unknown_after = 0;
	}
}

/* --- Rules ---------------------------------------------------------------- */

/* The other options of the config: those of rules without bounds, which exist only for that, or
 * without such rules, of the others. */
static void inherit(struct rule *rule, const struct rules *config, const struct mc_source *source)
{
	size_t len = config != NULL ? config->len : 0;
	bool found = false;

	for (int bounds = 0; bounds <= 1 && !found; bounds++)
		for (size_t i = 0; i < len; i++) {
			const struct rule *from = config->items[i];

			if (!concerns(from, source) || rule_has_any_bounds(from) != bounds)
				continue;
			rule_inherit(rule, from);
			found = true;
		}
}

static void add(struct list *list, const struct mc_metadata *metadata,
		const struct mc_source *source, bool invert)
{
	struct rule *rule = &list->items[list->len++];

	*rule = (struct rule){
		.source = list->type->sources_len > 1 ? source->name : NULL,
		.warning = metadata->warning_inverted == invert ? metadata->warning : none,
		.failure = metadata->failure_inverted == invert ? metadata->failure : none,
		.invert = invert,
		.unknown_after = metadata->unknown_after,
		.by_source = true,
		.interesting = true,
	};
	inherit(rule, list->config, source);
	rule_start(rule);
}

static bool is_only_above(const struct mc_bounds *bounds, bool inverted)
{
	return !inverted && (isnan(bounds->min) || bounds->min == 0);
}

/* Of a value that is bad above its limits the warning is not above the failure: these are limits of
 * what is left, as check_swap of Nagios prints them, beside values that are good above them. */
static bool are_reversed(const struct mc_metadata *metadata)
{
	return is_only_above(&metadata->warning, metadata->warning_inverted) &&
	       is_only_above(&metadata->failure, metadata->failure_inverted) &&
	       metadata->warning.max > metadata->failure.max;
}

/* Bounds of both kinds, "@10:20" and "10:20", make two rules. */
static void add_source(struct list *list, const struct mc_source *source,
		       const struct mc_metadata *metadata)
{
	bool warning = rule_has_bounds(&metadata->warning);
	bool failure = rule_has_bounds(&metadata->failure);

	for (int invert = 0; invert <= 1; invert++)
		if ((warning && metadata->warning_inverted == invert) ||
		    (failure && metadata->failure_inverted == invert))
			add(list, metadata, source, invert != 0);
}

static void add_all(struct list *list, const struct mc_series *series)
{
	for (unsigned i = 0; i < list->type->sources_len; i++) {
		const struct mc_source *source = &list->type->sources[i];
		const struct mc_metadata *given = mc_get_metadata(series, i);
		struct mc_metadata metadata;

		if (given == NULL)
			continue;
		metadata = *given;
		if (are_reversed(&metadata))
			metadata.warning = metadata.failure = none;
		leave_open(list->config, source, &metadata);
		add_source(list, source, &metadata);
		mc_release_metadata(given);
	}
}

static void append(struct rules *rules, struct rule *rule)
{
	rules->items[rules->len++] = rule;
	rules->has_trends |= rule->has_trend;
	rules->needs_times |= rule->needs_times;
	rules->has_shares |= rule->is_share;
}

/* In one piece: the list, then the rules that are new. */
static struct rules *join(const struct list *list)
{
	const struct rules *config = list->config;
	size_t len = list->len + (config != NULL ? config->len : 0);
	size_t head = sizeof(struct rules) + len * sizeof(struct rule *);
	struct rules *rules = mc_alloc_zero(head + list->len * sizeof(struct rule));
	struct rule *added = (struct rule *)&rules->items[len];

	for (size_t i = 0; config != NULL && i < config->len; i++)
		if (rule_has_any_bounds(config->items[i]))
			append(rules, config->items[i]);
	for (size_t i = 0; i < list->len; i++) {
		added[i] = list->items[i];
		append(rules, &added[i]);
	}
	return rules;
}

struct rules *source_limits_new(const struct rules *config, const struct mc_series *series)
{
	struct list list = { .config = config, .type = mc_type(series) };
	struct rules *rules = NULL;

	list.items = mc_alloc_array((size_t)2 * list.type->sources_len, sizeof(*list.items));
	add_all(&list, series);
	if (list.len > 0)
		rules = join(&list);
	free(list.items);
	return rules;
}

/* --- Comparing ------------------------------------------------------------ */

static bool equal_numbers(double a, double b)
{
	return a == b || (isnan(a) && isnan(b));
}

static bool equal_bounds(const struct mc_bounds *a, const struct mc_bounds *b)
{
	return equal_numbers(a->min, b->min) && equal_numbers(a->max, b->max);
}

/* The part from metadata; the rest comes from the config. */
static bool equal_rules(const struct rule *a, const struct rule *b)
{
	return a->source == b->source && a->invert == b->invert &&
	       a->unknown_after == b->unknown_after && equal_bounds(&a->warning, &b->warning) &&
	       equal_bounds(&a->failure, &b->failure);
}

bool source_limits_equal(const struct rules *a, const struct rules *b)
{
	if (a == NULL || b == NULL)
		return a == b;
	if (a->len != b->len)
		return false;
	for (size_t i = 0; i < a->len; i++)
		if (!equal_rules(a->items[i], b->items[i]))
			return false;
	return true;
}
