/* SPDX-License-Identifier: MIT */
/* A source by itself: what its rule says of it, in a graph of one type of one plugin instance. */
#include <collector/graphs.h>

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "engine/context.h"
#include "engine/graphs/graph_subject.h"
#include "engine/store/registry.h"

/* "CPU 0": a graph of an instance alone says of which. */
static void add_instance(char title[static GRAPH_TEXT_SIZE], const struct graph_rule *rule,
			 struct graph_subject subject)
{
	char instance[GRAPH_TEXT_SIZE];
	size_t size = strlen(title);
	struct graph_rule own = *rule;

	if ((rule->per & MC_PART_PLUGIN_INSTANCE) != 0 || subject.plugin_instance[0] == '\0' ||
	    size + 2 >= GRAPH_TEXT_SIZE)
		return;
	own.by = MC_PART_PLUGIN_INSTANCE;
	graph_match_instance(&own, &subject, instance);
	title[size] = ' ';
	text_copy(title + size + 1, GRAPH_TEXT_SIZE - size - 1, instance);
}

/* "in", "vda read"; the source or type instance where the graph of a rule has no word for it. */
static void make_label(char out[static GRAPH_TEXT_SIZE], const struct graph_rule *rule,
		       const struct graph_subject *subject)
{
	const char *label = graph_match_label(rule, subject);
	struct graph_rule own = *rule;
	size_t size;

	own.by = MC_PART_TYPE_INSTANCE;
	own.names = GRAPH_NAMES_PLAIN;
	graph_match_instance(&own, subject, out);
	if (label[0] == '\0')
		label = subject->field;
	size = strlen(out);
	if (size > 0 && size + 2 < GRAPH_TEXT_SIZE)
		out[size++] = ' ';
	text_copy(out + size, GRAPH_TEXT_SIZE - size, label);
}

/* The label is long: nothing is zeroed. */
static void fill(struct mc_source_drawing *drawing, const struct graph_rule *rule,
		 const struct graph_subject *subject, const struct graph_place *place)
{
	drawing->scale = graph_match_scale(rule, subject);
	drawing->top = rule->share ? NAN : rule->top;
	drawing->draw = place->draw;
	drawing->below = place->below;
	drawing->rank = place->rank;
	if (rule->share) /* It is a whole with the other sources. */
		drawing->draw = MC_DRAW_STACK;
	else if (place->draw == MC_DRAW_HIDDEN && rule->draw == MC_DRAW_STACK)
		drawing->draw = MC_DRAW_REST;
	make_label(drawing->label, rule, subject);
}

/* A rule for any plugin is for what has no other. */
static bool is_for_any(const struct graph_rule *rule)
{
	return rule->patterns[GRAPH_FIELD_PLUGIN].len == 1 &&
	       strcmp(rule->patterns[GRAPH_FIELD_PLUGIN].items[0].text, "*") == 0;
}

static const struct graph_rule *find_rule(struct mc_ctx *ctx, const struct graph_subject *subject,
					  struct graph_place *place)
{
	const struct graph_rules *rules = context_of(ctx)->registry->graphs;
	const struct graph_rule *rule = rules != NULL ? graph_match(rules, subject, place) : NULL;

	return rule != NULL && !is_for_any(rule) ? rule : NULL;
}

bool mc_draw_source(struct mc_ctx *ctx, const struct mc_series *series, unsigned source,
		    struct mc_source_drawing *drawing)
{
	const struct mc_metadata *metadata = mc_get_metadata(series, source);
	struct graph_subject subject = graph_subject_of(series, source, metadata);
	struct graph_place place;
	const struct graph_rule *rule = find_rule(ctx, &subject, &place);

	if (rule != NULL)
		fill(drawing, rule, &subject, &place);
	mc_release_metadata(metadata);
	return rule != NULL;
}

bool mc_title_source(struct mc_ctx *ctx, const struct mc_series *series, unsigned source,
		     struct mc_source_title *title)
{
	const struct mc_metadata *metadata = mc_get_metadata(series, source);
	struct graph_subject subject = graph_subject_of(series, source, metadata);
	struct graph_place place;
	const struct graph_rule *rule = find_rule(ctx, &subject, &place);

	if (rule != NULL) {
		graph_match_fill(rule->title, &subject, title->title);
		add_instance(title->title, rule, subject);
		graph_match_fill(rule->family, &subject, title->family);
		text_copy(title->unit, sizeof(title->unit),
			  rule->unit != NULL ? rule->unit : subject.unit);
	}
	mc_release_metadata(metadata);
	return rule != NULL;
}
