/* SPDX-License-Identifier: MIT */
/* A source by itself: what its rule says of it, in a graph of one type of one plugin instance. */
#include <collector/graphs.h>

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

static void fill(struct mc_source_drawing *drawing, const struct graph_rule *rule,
		 const struct graph_subject *subject, const struct graph_place *place)
{
	*drawing = (struct mc_source_drawing){
		.scale = rule->scale,
		.top = rule->share ? NAN : rule->top,
		.draw = place->draw,
		.below = place->below,
		.rank = place->rank,
	};
	if (rule->share) /* It is a whole with the other sources. */
		drawing->draw = MC_DRAW_STACK;
	else if (place->draw == MC_DRAW_HIDDEN && rule->draw == MC_DRAW_STACK)
		drawing->draw = MC_DRAW_REST;
	graph_match_fill(rule->title, subject, drawing->title);
	add_instance(drawing->title, rule, *subject);
	graph_match_fill(rule->family, subject, drawing->family);
	make_label(drawing->label, rule, subject);
	text_copy(drawing->unit, sizeof(drawing->unit),
		  rule->unit != NULL ? rule->unit : subject->unit);
}

/* A rule for any plugin is for what has no other. */
static bool is_for_any(const struct graph_rule *rule)
{
	return rule->patterns[GRAPH_FIELD_PLUGIN].len == 1 &&
	       strcmp(rule->patterns[GRAPH_FIELD_PLUGIN].items[0].text, "*") == 0;
}

bool mc_draw_source(struct mc_ctx *ctx, const struct mc_series *series, unsigned source,
		    struct mc_source_drawing *drawing)
{
	const struct graph_rules *rules = context_of(ctx)->registry->graphs;
	const struct mc_metadata *metadata = mc_get_metadata(series, source);
	struct graph_subject subject = graph_subject_of(series, source, metadata);
	const struct graph_rule *rule = NULL;
	struct graph_place place;

	if (rules != NULL)
		rule = graph_match(rules, &subject, &place);
	if (rule != NULL && is_for_any(rule))
		rule = NULL;
	if (rule != NULL)
		fill(drawing, rule, &subject, &place);
	mc_release_metadata(metadata);
	return rule != NULL;
}
