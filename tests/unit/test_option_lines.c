/* SPDX-License-Identifier: MIT */
/* Lines of several options in one field: they are in the order of the file. */
#include "conf/option.h"

#include <stdio.h>

#include "problems.h"

struct state {
	struct mc_configs blocks, lines;
};

static const struct mc_option options[] = {
	{ "Module", MC_OPT_CONFIGS(struct state, blocks), .help = "A block." },
	{ "Base", MC_OPT_CONFIGS(struct state, lines), .help = "A line.", .is_line = true },
	{ "Load", MC_OPT_CONFIGS(struct state, lines), .help = "Another.", .is_line = true },
	{ 0 },
};

static struct problems problems;
static struct arena arena;
static struct conf_keep keep;
static struct state self;

static int start(void **state)
{
	(void)state;
	problem_init(&problems);
	arena_init(&arena, 1024);
	option_init(&keep);
	self = (struct state){ 0 };
	return 0;
}

static int stop(void **state)
{
	(void)state;
	option_release(&keep);
	problem_done(&problems);
	arena_done(&arena);
	return 0;
}

static bool fill(const char *text)
{
	const struct conf_node *parent =
		conf_parse(text, strlen(text), "x.conf", &problems, &arena);
	const struct option_source source = { .owner = "x", .parents = &parent, .parents_len = 1 };

	return option_fill(options, &source, &self, &keep, &problems);
}

static void lines_are_in_order(void **state)
{
	static const char *const expected[] = { "Load z", "Base a", "Load b", "Load c", "base d" };
	char text[80];

	(void)state;
	assert_true(fill("Load z\nBase a\nLoad b\nModule x\nLoad c\nbase \"d\"\n"));
	assert_int_equal(self.blocks.len, 1);
	assert_int_equal(self.lines.len, 5);
	for (size_t i = 0; i < 5; i++) {
		const struct mc_config *line = &self.lines.items[i];

		snprintf(text, sizeof(text), "%s %s", line->key, line->values[0].text);
		assert_string_equal(text, expected[i]);
	}
}

static void what_is_no_line(void **state)
{
	(void)state;
	assert_false(fill("Load a b\n<Base c>\n</Base>\n"));
	expect_problems(&problems, "x.conf:1:1: error: x: 'Load' takes one value, not 2\n"
				   "x.conf:2:1: error: x: 'Base' is an option, not a block\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(lines_are_in_order, start, stop),
		cmocka_unit_test_setup_teardown(what_is_no_line, start, stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
