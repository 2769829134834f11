/* SPDX-License-Identifier: MIT */
/* Rules for graphs: how they are read, which of them draws a source, and what it is called. */
#include "engine/graphs/graph_rules.h"

#include <math.h>

#include "base/arena.h"
#include "engine/graphs/graph_match.h"
#include "problems.h"

static struct problems problems;
static struct graph_rules *rules;

static int start(void **state)
{
	(void)state;
	problem_init(&problems);
	rules = graph_rules_new();
	return 0;
}

static int stop(void **state)
{
	(void)state;
	graph_rules_free(rules);
	problem_done(&problems);
	return 0;
}

static void read_rules(const char *text)
{
	graph_rules_add_text(rules, text, strlen(text), "graphs", &problems);
}

static struct graph_subject subject(const char *plugin, const char *instance, const char *type,
				    const char *type_instance)
{
	return (struct graph_subject){
		.host = "h",
		.plugin = plugin,
		.plugin_instance = instance,
		.type = type,
		.type_instance = type_instance,
		.unit = "B",
		.field = type_instance,
		.field_part = MC_PART_TYPE_INSTANCE,
	};
}

/* The name of the rule and how it draws the source: "memory stack 0". */
static void expect_match(const struct graph_subject *of, const char *expected)
{
	static const char *const draws[] = { "line", "area", "stack", "rest", "limit", "hidden" };
	struct graph_place place;
	const struct graph_rule *rule = graph_match(rules, of, &place);
	char text[200] = "none";

	if (rule != NULL)
		snprintf(text, sizeof(text), "%s %s%s%s %u", rule->name, draws[place.draw],
			 place.below ? " below" : "", place.heads ? " now" : "", place.rank);
	assert_string_equal(text, expected);
}

static void mistakes_have_a_place(void **state)
{
	(void)state;
	read_rules("<Graph a>\n Plugin x\n Per host\n</Graph>\n"
		   "<Graph b>\n Plugin x\n Label one\n</Graph>\n"
		   "<Graph c>\n Plugin x\n Combine sum\n</Graph>\n"
		   "<Graph d>\n Plugin x\n Drow line\n</Graph>\n"
		   "<Graph d>\n Plugin x\n</Graph>\n"
		   "<Graph f>\n Plugin x\n ScaleOf rx\n</Graph>\n"
		   "<Graph g>\n Plugin x\n ScaleOf rx much\n</Graph>\n"
		   "<Graph e>\n</Graph>\n"
		   "<Graph>\n Plugin x\n</Graph>\n");
	expect_problems(
		&problems,
		"graphs:15:2: error: no option 'Drow' in <Graph>, did you mean 'Draw'?\n"
		"graphs:28:1: error: 'Plugin' is missing in <Graph>\n"
		"graphs:30:1: error: the argument of <Graph> is missing\n"
		"graphs:3:6: error: 'host' is not one of plugin, plugin_instance, type, "
		"type_instance, unit\n"
		"graphs:7:8: error: 'Label' takes pairs of values: a source or type instance, and "
		"its name\n"
		"graphs:9:8: error: 'Combine' needs 'By': the parts that a line's series have in "
		"common\n"
		"graphs:17:8: error: there is a <Graph \"d\"> before\n"
		"graphs:22:10: error: 'ScaleOf' takes pairs of values: a source or type instance, "
		"and its factor\n"
		"graphs:26:13: error: 'much' is not a number\n");
	assert_int_equal(rules->len, 1); /* "d", the first one. */
}

static void the_first_pattern_that_fits_decides(void **state)
{
	struct graph_subject of = subject("interface", "vnet0", "if_octets", "rx");

	(void)state;
	read_rules("<Graph outer>\n Plugin interface\n PluginInstance \"!lo\" \"!vnet*\" "
		   "\"*\"\n</Graph>\n"
		   "<Graph any>\n Plugin \"*\"\n</Graph>\n");
	expect_problems(&problems, "");
	expect_match(&of, "any line 0");
	of.plugin_instance = "eth0";
	expect_match(&of, "outer line 0");
	of.plugin_instance = "lo";
	expect_match(&of, "any line 0");
}

/* A site's rule with a glob stands before those of the plugins, which name them. */
static void the_first_rule_that_takes_the_plugin_draws_it(void **state)
{
	const struct {
		const char *plugin, *expected;
	} rows[] = {
		{ "cpu", "own line 0" },      { "cpufreq", "own line 0" },
		{ "cpus", "all line 0" },     { "df", "most line 0" },
		{ "disk", "most line 0" },    { "exec", "rest line 0" },
		{ "unheard", "most line 0" }, { "", "most line 0" },
	};

	(void)state;
	read_rules("<Graph own>\n Plugin \"!cpus\" \"cpu*\"\n</Graph>\n"
		   "<Graph most>\n Plugin \"!exec\" \"!cpus\" \"*\"\n</Graph>\n");
	read_rules("<Graph df>\n Plugin df disk\n</Graph>\n"
		   "<Graph rest>\n Plugin exec\n</Graph>\n");
	read_rules("<Graph all>\n Plugin \"*\"\n</Graph>\n");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct graph_subject of = subject(rows[i].plugin, "", "gauge", "x");

		expect_match(&of, rows[i].expected);
	}
}

static void a_rule_draws_what_it_names(void **state)
{
	struct graph_subject of = subject("memory", "", "memory", "used");

	(void)state;
	read_rules("<Graph memory>\n Plugin memory\n Draw stack\n Line used \"c*\"\n"
		   " Below out\n Rest free\n Hide all\n Limit max\n Now used\n</Graph>\n");
	expect_problems(&problems, "");
	expect_match(&of, "memory stack now 0");
	of.field = "cached";
	expect_match(&of, "memory stack 1");
	of.field = "free";
	expect_match(&of, "memory rest 2");
	of.field = "out";
	expect_match(&of, "memory stack below 3");
	of.field = "max";
	expect_match(&of, "memory limit 4");
	of.field = "all";
	expect_match(&of, "memory hidden 5");
	of.field = "slab";
	expect_match(&of, "none"); /* The rules that follow may draw it. */
}

static void a_name_is_taken_once(void **state)
{
	struct graph_subject of = subject("cpu", "0", "cpu", "idle");

	(void)state;
	read_rules("<Graph cpu>\n Plugin cpu\n Draw area\n</Graph>\n");  /* That of a site. */
	read_rules("<Graph CPU>\n Plugin cpu\n Draw stack\n</Graph>\n"); /* Our own. */
	expect_problems(&problems, "");
	assert_int_equal(rules->len, 1);
	expect_match(&of, "cpu area 0");
}

static void attributes_select(void **state)
{
	const struct mc_attribute title = { "graph_title", "Uptime, in days" };
	const struct mc_metadata metadata = { .label = "days", .attributes = &title, 1 };
	struct graph_subject of = subject("munin", "uptime", "gauge", "uptime");
	struct graph_place place;
	char text[GRAPH_TEXT_SIZE];

	(void)state;
	read_rules("<Graph munin>\n Plugin munin\n Attribute graph_title\n"
		   " Title \"%{attribute:graph_title} of %{host}\"\n</Graph>\n");
	expect_match(&of, "none");
	of.metadata = &metadata;
	expect_match(&of, "munin line 0");
	graph_match_fill(graph_match(rules, &of, &place)->title, &of, text);
	assert_string_equal(text, "Uptime, in days of h");
	assert_string_equal(graph_match_label(rules->items, &of), "days");
}

static void expect_names(const struct graph_subject *of, const char *id, const char *instance,
			 const char *label)
{
	struct graph_place place;
	const struct graph_rule *rule = graph_match(rules, of, &place);
	char text[GRAPH_TEXT_SIZE];

	graph_match_id(rule, of, text);
	assert_string_equal(text, id);
	graph_match_instance(rule, of, text);
	assert_string_equal(text, instance);
	assert_string_equal(graph_match_label(rule, of), label);
}

static void names_say_what_differs(void **state)
{
	struct graph_subject df = subject("df", "var-log", "df_complex", "used");
	const struct graph_subject disk = subject("virt", "", "disk_capacity", "vda");
	const struct graph_subject unit = subject("cgroups", "a.service", "cpu", "user");
	struct graph_subject port = subject("snmp", "switch", "if_octets", "port1");

	(void)state;
	read_rules("<Graph df>\n Plugin df\n Type df_complex\n Names mount\n"
		   " Label used \"\"\n</Graph>\n"
		   "<Graph port>\n Plugin snmp\n Type \"if_*\"\n"
		   " Per plugin_instance type_instance unit\n</Graph>\n");
	read_rules("<Graph units>\n Plugin cgroups\n By plugin_instance\n Combine sum\n</Graph>\n");
	read_rules("<Graph disks>\n Plugin virt\n Label disk_capacity capacity\n</Graph>\n");
	expect_names(&disk, "disks", "capacity", "vda");
	expect_names(&unit, "units", "a.service", "");
	expect_names(&df, "df", "/var/log", "");
	df.plugin_instance = "root";
	expect_names(&df, "df", "/", "");
	port.field = "rx";
	port.field_part = 0; /* One of several sources. */
	expect_names(&port, "port/switch/port1/B", "if_octets", "rx");
	port.plugin_instance = "";
	expect_names(&port, "port/port1/B", "if_octets", "rx");
}

static void titles_have_no_holes(void **state)
{
	const struct graph_subject of = subject("load", "", "load", "");
	char text[GRAPH_TEXT_SIZE];

	(void)state;
	graph_match_fill("%{plugin} %{plugin_instance} %{type}", &of, text);
	assert_string_equal(text, "load load");
	graph_match_fill("100 % of %{nothing}%{unit", &of, text);
	assert_string_equal(text, "100 % of %{unit");
	graph_match_fill("%{plugin_instance}", &of, text);
	assert_string_equal(text, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(mistakes_have_a_place, start, stop),
		cmocka_unit_test_setup_teardown(the_first_pattern_that_fits_decides, start, stop),
		cmocka_unit_test_setup_teardown(the_first_rule_that_takes_the_plugin_draws_it,
						start, stop),
		cmocka_unit_test_setup_teardown(a_rule_draws_what_it_names, start, stop),
		cmocka_unit_test_setup_teardown(a_name_is_taken_once, start, stop),
		cmocka_unit_test_setup_teardown(attributes_select, start, stop),
		cmocka_unit_test_setup_teardown(names_say_what_differs, start, stop),
		cmocka_unit_test_setup_teardown(titles_have_no_holes, start, stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
