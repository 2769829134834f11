/* SPDX-License-Identifier: MIT */
/* The rules for graphs of a configuration and of the program. */
#include "daemon/config/known_graphs.h"

#include "base/arena.h"
#include "engine/graphs/graph_match.h"
#include "problems.h"

static struct problems problems;
static struct known_graphs known;
static struct arena arena;

static int start(void **state)
{
	(void)state;
	problem_init(&problems);
	arena_init(&arena, 1024);
	return 0;
}

static int stop(void **state)
{
	(void)state;
	known_graphs_done(&known);
	problem_done(&problems);
	arena_done(&arena);
	return 0;
}

/* Takes the rules of that configuration. */
static void take(const char *text)
{
	const struct conf_node *root =
		conf_parse(text, strlen(text), "collector.conf", &problems, &arena);

	known_graphs_take(&known, known_graphs_load(root, &problems));
}

/* The rule that draws what CPUs do. */
static const struct graph_rule *rule_of_cpu(void)
{
	static const struct graph_subject idle = {
		.host = "h",
		.plugin = "cpu",
		.plugin_instance = "0",
		.type = "percent",
		.type_instance = "idle",
		.unit = "percent",
		.field = "idle",
		.field_part = MC_PART_TYPE_INSTANCE,
	};
	struct graph_place place;

	return graph_match(known_graphs_now(&known), &idle, &place);
}

static void our_own_are_right(void **state)
{
	const struct graph_rules *rules;

	(void)state;
	assert_null(known_graphs_now(&known));
	take("LoadPlugin cpu\n");
	expect_problems(&problems, "");
	rules = known_graphs_now(&known);
	assert_string_equal(rule_of_cpu()->title, "CPU");
	assert_string_equal(rules->items[rules->len - 1].name, "any"); /* For all that is left. */
}

/* What plugins of Nagios measure has the graphs that PNP4Nagios draws of it. */
static void labels_of_checks_are_known(void **state)
{
	static const struct {
		const char *service, *type, *label, *unit, *rule;
	} items[] = {
		{ "load", "gauge", "load5", "", "perfdata_load" },
		{ "ping", "duration", "rta", "s", "perfdata_ping" },
		{ "ping", "percent", "pl", "percent", "perfdata_lost" },
		{ "web", "duration", "time", "s", "perfdata_answer" },
		{ "web", "duration", "time_ssl", "s", "perfdata_answer" },
		{ "web", "bytes", "size", "bytes", "perfdata" },
		{ "uplink", "derive", "traffic_out", "", "perfdata_traffic" },
		{ "disk", "bytes", "_var", "bytes", "perfdata_disk" },
		{ "disk", "bytes", "inodes", "bytes", "perfdata" },
		{ "_HOST_", "duration", "rta", "s", "perfdata_host" },
	};

	(void)state;
	take("LoadPlugin perfdata\n");
	expect_problems(&problems, "");
	for (size_t i = 0; i < sizeof(items) / sizeof(*items); i++) {
		const struct graph_subject subject = {
			.host = "h",
			.plugin = "perfdata",
			.plugin_instance = items[i].service,
			.type = items[i].type,
			.type_instance = items[i].label,
			.unit = items[i].unit,
			.field = items[i].label,
			.field_part = MC_PART_TYPE_INSTANCE,
		};
		struct graph_place place;
		const struct graph_rule *rule =
			graph_match(known_graphs_now(&known), &subject, &place);

		assert_non_null(rule);
		assert_string_equal(rule->name, items[i].rule);
	}
}

static void those_of_a_site_come_first(void **state)
{
	(void)state;
	take("<Graph mine>\n Plugin cpu\n Title Mine\n</Graph>\nLoadPlugin cpu\n");
	assert_string_equal(rule_of_cpu()->title, "Mine");
	take("<Graph cpu>\n Plugin cpu\n Title Other\n</Graph>\n"); /* In the place of ours. */
	expect_problems(&problems, "");
	assert_string_equal(rule_of_cpu()->title, "Other");
	take("");
	assert_string_equal(rule_of_cpu()->title, "CPU");
}

static void a_mistake_has_its_line(void **state)
{
	(void)state;
	take("LoadPlugin cpu\n<Graph mine>\n Plugin cpu\n Draw dots\n</Graph>\n");
	expect_problems(&problems,
			"collector.conf:4:7: error: 'Draw' must be 'line', 'area' or 'stack', not "
			"'dots'\n");
}

static void the_same_is_kept_once(void **state)
{
	const struct graph_rules *first;

	(void)state;
	take("<Graph mine>\n Plugin cpu\n</Graph>\n");
	first = known_graphs_now(&known);
	take("# A comment.\n<Graph mine>\n\n\tPlugin cpu\n</Graph>\nLoadPlugin df\n");
	assert_ptr_equal(known_graphs_now(&known), first);
	assert_int_equal(known.len, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(our_own_are_right, start, stop),
		cmocka_unit_test_setup_teardown(labels_of_checks_are_known, start, stop),
		cmocka_unit_test_setup_teardown(those_of_a_site_come_first, start, stop),
		cmocka_unit_test_setup_teardown(a_mistake_has_its_line, start, stop),
		cmocka_unit_test_setup_teardown(the_same_is_kept_once, start, stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
