/* SPDX-License-Identifier: MIT */
/* Patterns are globs of which the first that fits decides, as netdata's simple patterns. */
#include "engine/graphs/graph_rules.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "conf/given.h"
#include "conf/value.h"

static const char *const draw_words[] = { "line", "area", "stack", NULL };
static const char *const combine_words[] = { "none", "sum", "average", NULL };
static const char *const names_words[] = { "plain", "mount", "labels", NULL };

#define PATTERNS(field) MC_OPT_STRINGS(struct graph_rule, given[field])

const struct mc_option graph_rules_options[] = {
	{ "", MC_OPT_STRING(struct graph_rule, name), .required = true,
	  .help = "Name of the rule; it takes the place of another rule of this name." },
	{ "Family", MC_OPT_STRING(struct graph_rule, family), .default_value = "%{plugin}",
	  .help = "Heading under which its graphs are shown; placeholders as in Title." },
	{ "Title", MC_OPT_STRING(struct graph_rule, title),
	  .default_value = "%{plugin} %{plugin_instance} %{type}",
	  .help = "Title of a graph, with %{host}, %{plugin}, %{plugin_instance}, %{type}, "
		  "%{type_instance}, %{unit}, and %{label} and %{attribute:NAME} of metadata." },
	{ "Info", MC_OPT_STRING(struct graph_rule, info),
	  .help = "Sentence about what is measured; by default that of the type." },
	{ "Order", MC_OPT_NUMBER(struct graph_rule, order), .default_value = "500",
	  .help = "Graphs with a smaller number are shown first.", .min = -1e9, .max = 1e9 },
	{ "Plugin", PATTERNS(GRAPH_FIELD_PLUGIN), .required = true,
	  .help = "Patterns of plugins whose series it draws: globs, of which the first that "
		  "fits decides; one that begins with '!' excludes." },
	{ "PluginInstance", PATTERNS(GRAPH_FIELD_PLUGIN_INSTANCE),
	  .help = "Patterns of plugin instances; all without." },
	{ "Type", PATTERNS(GRAPH_FIELD_TYPE), .help = "Patterns of types; all without." },
	{ "TypeInstance", PATTERNS(GRAPH_FIELD_TYPE_INSTANCE),
	  .help = "Patterns of type instances; all without." },
	{ "Attribute", MC_OPT_STRING(struct graph_rule, attribute),
	  .help = "Draws only series whose metadata has this attribute, as their metadata "
		  "say." },
	{ "Per", MC_OPT_STRINGS(struct graph_rule, per_given),
	  .help = "One graph for each of these: plugin, plugin_instance, type, type_instance, "
		  "unit. One for all series of a host without." },
	{ "By", MC_OPT_STRINGS(struct graph_rule, by_given),
	  .help = "One line for each of these parts, which are its name; without, for each "
		  "series." },
	{ "Combine", MC_OPT_WORD(struct graph_rule, combine), .default_value = "none",
	  .help = "A line is the sum or the average of all its series.", .words = combine_words },
	{ "Draw", MC_OPT_WORD(struct graph_rule, draw), .default_value = "line",
	  .help = "How its lines are drawn.", .words = draw_words },
	{ "Line", PATTERNS(GRAPH_FIELD_LINE),
	  .help = "Patterns of drawn sources, in this order, where a type has several sources, or "
		  "else of type instances. Without any such option all are drawn." },
	{ "Rest", PATTERNS(GRAPH_FIELD_REST),
	  .help = "The same for an area on top of the stack, drawn pale: free space." },
	{ "Above", PATTERNS(GRAPH_FIELD_ABOVE), .help = "The same for lines above zero: In." },
	{ "Below", PATTERNS(GRAPH_FIELD_BELOW),
	  .help = "The same for lines that are drawn downwards, below zero: Out." },
	{ "Limit", PATTERNS(GRAPH_FIELD_LIMIT),
	  .help = "The same for limits that the others may reach; they do not stretch the axis." },
	{ "Hide", PATTERNS(GRAPH_FIELD_HIDE),
	  .help = "The same for parts of the whole that are not drawn." },
	{ "Now", PATTERNS(GRAPH_FIELD_NOW),
	  .help = "The same for the values whose sum now stands beside the title; of a stack, as "
		  "a share of the whole." },
	{ "Label", MC_OPT_STRINGS(struct graph_rule, labels),
	  .help = "A source or a part of a name, and what it is called in the graph; repeatable." },
	{ "Names", MC_OPT_WORD(struct graph_rule, names), .default_value = "plain",
	  .help = "How lines are called: as they are, as paths of file systems, or by labels "
		  "of OTLP and the like in which they differ.",
	  .words = names_words },
	{ "Share", MC_OPT_BOOL(struct graph_rule, share), .default_value = "false",
	  .help = "Draws each value as its share of all values of its instance, in percent." },
	{ "Scale", MC_OPT_NUMBER(struct graph_rule, scale), .default_value = "1",
	  .help = "Factor of all values: 8 makes bits of octets." },
	{ "ScaleOf", MC_OPT_STRINGS(struct graph_rule, scales_given),
	  .help = "A source, type instance or type, and its factor, where it is not that of Scale; "
		  "repeatable." },
	{ "Unit", MC_OPT_STRING(struct graph_rule, unit),
	  .help = "Unit of the values; by default that of the metadata or the type." },
	{ "Top", MC_OPT_NUMBER(struct graph_rule, top), .default_value = "nan",
	  .help = "The largest value there can be: 100 percent.", .min = -1e300, .max = 1e300 },
	{ "LimitAt", MC_OPT_NUMBER(struct graph_rule, limit), .default_value = "nan",
	  .help = "A value that the others may reach, such as the speed of a line, in the unit of "
		  "the graph; it does not stretch the axis.",
	  .min = -1e300, .max = 1e300 },
	{ "Most", MC_OPT_INT(struct graph_rule, most), .default_value = "8",
	  .help = "Number of lines that are shown; of more, the largest.", .min = 1, .max = 64 },
	{ 0 },
};

static const struct mc_block graph_block = { sizeof(struct graph_rule), graph_rules_options };

struct file {
	struct mc_blocks graphs;
};

static const struct mc_option file_options[] = {
	{ "Graph", MC_OPT_BLOCKS(struct file, graphs), .block = &graph_block,
	  .help = "A rule for graphs." },
	{ 0 },
};

/* --- What is made of the options ----------------------------------------- */

struct reading {
	struct graph_rules *rules;
	struct problems *problems;
};

static struct place place_of(const struct reading *reading, const void *field)
{
	struct given given;

	return given_find(&reading->rules->keep, field, &given) ? given.place : (struct place){ 0 };
}

static void make_patterns(struct arena *arena, const struct mc_strings *texts,
			  struct graph_patterns *patterns)
{
	struct graph_pattern *items = arena_zero(arena, texts->len * sizeof(*items) + 1);

	for (size_t i = 0; i < texts->len; i++) {
		const char *text = texts->items[i];

		items[i].negated = text[0] == '!';
		items[i].text = text + items[i].negated;
		items[i].plain = strpbrk(items[i].text, "*?[\\") == NULL;
	}
	*patterns = (struct graph_patterns){ items, texts->len };
}

static unsigned part_of(const char *word)
{
	static const struct {
		const char *word;
		unsigned part;
	} parts[] = {
		{ "plugin", MC_PART_PLUGIN }, { "plugin_instance", MC_PART_PLUGIN_INSTANCE },
		{ "type", MC_PART_TYPE },     { "type_instance", MC_PART_TYPE_INSTANCE },
		{ "unit", MC_PART_UNIT },
	};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (strcasecmp(word, parts[i].word) == 0)
			return parts[i].part;
	return 0;
}

static bool make_parts(const struct reading *reading, const struct mc_strings *words,
		       unsigned *parts)
{
	for (size_t i = 0; i < words->len; i++) {
		unsigned part = part_of(words->items[i]);

		if (part == 0) {
			problem_error(reading->problems, place_of(reading, &words->items[i]),
				      "'%s' is not one of plugin, plugin_instance, type, "
				      "type_instance, unit",
				      words->items[i]);
			return false;
		}
		*parts |= part;
	}
	return true;
}

static bool make_scales(const struct reading *reading, struct graph_rule *rule)
{
	const struct mc_strings *given = &rule->scales_given;
	struct graph_scale *scales =
		arena_zero(&reading->rules->keep.arena, given->len / 2 * sizeof(*scales) + 1);

	for (size_t i = 0; i + 1 < given->len; i += 2) {
		scales[i / 2].field = given->items[i];
		if (!value_number(given->items[i + 1], &scales[i / 2].scale)) {
			problem_error(reading->problems, place_of(reading, &given->items[i + 1]),
				      "'%s' is not a number", given->items[i + 1]);
			return false;
		}
	}
	rule->scales = scales;
	rule->scales_len = given->len / 2;
	return true;
}

/* False, with a problem: the last one has no second. */
static bool are_pairs(const struct reading *reading, const struct mc_strings *texts,
		      const char *option, const char *second)
{
	if (texts->len % 2 == 0)
		return true;
	problem_error(reading->problems, place_of(reading, &texts->items[0]),
		      "'%s' takes pairs of values: a source or type instance, and its %s", option,
		      second);
	return false;
}

/* A part of which the rule has one value says nothing in the name of a line. */
static bool is_single(const struct graph_patterns *patterns)
{
	return patterns->len == 1 && patterns->items[0].plain && !patterns->items[0].negated;
}

static unsigned usual_parts(const struct graph_rule *rule)
{
	unsigned parts = MC_PART_PLUGIN_INSTANCE | MC_PART_TYPE_INSTANCE;

	if (!is_single(&rule->patterns[GRAPH_FIELD_PLUGIN]))
		parts |= MC_PART_PLUGIN;
	if (!is_single(&rule->patterns[GRAPH_FIELD_TYPE]))
		parts |= MC_PART_TYPE;
	return parts & ~rule->per;
}

/* False: it is to be left out. */
static bool complete(const struct reading *reading, struct graph_rule *rule)
{
	if (rule->name == NULL || rule->given[GRAPH_FIELD_PLUGIN].len == 0)
		return false;
	for (unsigned i = 0; i < GRAPH_FIELDS; i++)
		make_patterns(&reading->rules->keep.arena, &rule->given[i], &rule->patterns[i]);
	if (!are_pairs(reading, &rule->labels, "Label", "name") ||
	    !are_pairs(reading, &rule->scales_given, "ScaleOf", "factor") ||
	    !make_scales(reading, rule))
		return false;
	if (!make_parts(reading, &rule->per_given, &rule->per) ||
	    !make_parts(reading, &rule->by_given, &rule->by))
		return false;
	if (rule->combine != MC_COMBINE_NONE && rule->by == 0) {
		problem_error(
			reading->problems, place_of(reading, &rule->name),
			"'Combine' needs 'By': the parts that a line's series have in common");
		return false;
	}
	if (rule->by == 0)
		rule->by = usual_parts(rule);
	return true;
}

/* --- The set ------------------------------------------------------------- */

struct graph_rules *graph_rules_new(void)
{
	struct graph_rules *rules = alloc_zero(sizeof(*rules));

	option_init(&rules->keep);
	return rules;
}

void graph_rules_free(struct graph_rules *rules)
{
	if (rules == NULL)
		return;
	graph_index_done(&rules->index);
	option_release(&rules->keep);
	free(rules->items);
	free(rules);
}

static bool is_taken(const struct graph_rules *rules, size_t first, size_t end, const char *name)
{
	for (size_t i = first; i < end; i++)
		if (strcasecmp(rules->items[i].name, name) == 0)
			return true;
	return false;
}

static void add(const struct reading *reading, size_t before, struct graph_rule *rule)
{
	struct graph_rules *rules = reading->rules;

	if (!complete(reading, rule) || is_taken(rules, 0, before, rule->name))
		return;
	if (is_taken(rules, before, rules->len, rule->name)) {
		problem_error(reading->problems, place_of(reading, &rule->name),
			      "there is a <Graph \"%s\"> before", rule->name);
		return;
	}
	if (rules->len == rules->room) {
		rules->room = 2 * rules->len + 64;
		rules->items = alloc_resize(rules->items, rules->room, sizeof(*rules->items));
	}
	rules->items[rules->len++] = *rule;
	graph_index_add(&rules->index, &rule->patterns[GRAPH_FIELD_PLUGIN]);
}

void graph_rules_add(struct graph_rules *rules, const struct conf_node *root,
		     struct problems *problems)
{
	static const struct mc_option *const options = file_options;
	const struct reading reading = { rules, problems };
	struct conf_node **blocks = alloc_array(root->children_len + 1, sizeof(*blocks));
	struct conf_node graphs = { .name = "", .children = blocks, .block = true };
	const struct conf_node *parent = &graphs;
	const struct option_source source = { .parents = &parent, .parents_len = 1 };
	struct file file = { 0 };
	size_t before = rules->len;

	for (size_t i = 0; i < root->children_len; i++)
		if (strcasecmp(root->children[i]->name, options->name) == 0)
			blocks[graphs.children_len++] = root->children[i];
	option_fill(options, &source, &file, &rules->keep, problems);
	for (size_t i = 0; i < file.graphs.len; i++)
		add(&reading, before, (struct graph_rule *)file.graphs.items + i);
	free(blocks);
}

void graph_rules_add_text(struct graph_rules *rules, const char *text, size_t size,
			  const char *file, struct problems *problems)
{
	struct arena arena;

	arena_init(&arena, 4096);
	graph_rules_add(rules, conf_parse(text, size, file, problems, &arena), problems);
	arena_done(&arena);
}
