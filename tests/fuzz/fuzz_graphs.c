/* SPDX-License-Identifier: MIT */
/* Rules for graphs with any bytes, and names that are made by them.  Invariants: a rule that is
 * kept has a name and patterns of plugins, no two have one name, and texts end within their room.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/problem.h"
#include "engine/graphs/graph_match.h"
#include "engine/graphs/graph_rules.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_size(const char *text)
{
	if (strlen(text) >= GRAPH_TEXT_SIZE)
		abort();
}

static void name_all(const struct graph_rule *rule, const struct graph_subject *subject)
{
	char text[GRAPH_TEXT_SIZE];

	graph_match_id(rule, subject, text);
	check_size(text);
	graph_match_instance(rule, subject, text);
	check_size(text);
	graph_match_group(subject, rule->by, text);
	check_size(text);
	graph_match_fill(rule->title, subject, text);
	check_size(text);
	graph_match_fill(rule->family, subject, text);
	check_size(text);
	if (graph_match_label(rule, subject) == NULL)
		abort();
}

static void check_rule(const struct graph_rules *rules, size_t number)
{
	const struct graph_rule *rule = &rules->items[number];

	if (rule->name == NULL || rule->patterns[GRAPH_FIELD_PLUGIN].len == 0 || rule->most < 1)
		abort();
	for (size_t i = 0; i < number; i++)
		if (strcasecmp(rules->items[i].name, rule->name) == 0)
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct graph_subject subject = {
		.host = "h",
		.plugin = "df",
		.plugin_instance = "var-log",
		.type = "df_complex",
		.type_instance = "used",
		.unit = "B",
		.field = "used",
		.field_part = MC_PART_TYPE_INSTANCE,
	};
	struct graph_rules *rules = graph_rules_new();
	struct graph_place place;
	struct problems problems;
	const struct graph_rule *rule;

	problem_init(&problems);
	graph_rules_add_text(rules, (const char *)data, size, "input", &problems);
	for (size_t i = 0; i < rules->len; i++) {
		check_rule(rules, i);
		name_all(&rules->items[i], &subject);
	}
	rule = graph_match(rules, &subject, &place);
	if (rule != NULL && (rule < rules->items || rule >= rules->items + rules->len))
		abort();
	graph_rules_free(rules);
	problem_done(&problems);
	return 0;
}
