/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The arguments of rrdgraph(1): what the legend says is what it is called. */
#include "unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <collector/graphs.h>

#include "command.h"

#define START (1700000000 * MC_SECOND) /* 2023-11-14 22:13:20 */

static const struct mc_type gauge = {
	.name = "gauge",
	.sources_len = 1,
	.sources = { { "value", MC_GAUGE, NAN, NAN } },
};

static const char *word_with(const struct command *command, const char *part)
{
	for (int i = 0; i < command->len; i++)
		if (strstr(command->words[i], part) != NULL)
			return command->words[i];
	return "";
}

static struct command make(mc_time coarsest, const double *now)
{
	const struct mc_history history = {
		.type = &gauge,
		.start = START,
		.step = 60 * MC_SECOND,
		.points_len = 1440,
		.coarsest = coarsest,
	};
	const struct mc_graph graph = {
		.history = &history, .title = "title", .width = 480, .height = 120, .now = now
	};
	struct command command;

	command_make(&command, &graph, "/p");
	return command;
}

static void extremes_are_those_of_points(void **state)
{
	(void)state;
	for (int fine = 0; fine < 2; fine++) {
		struct command command = make(fine ? 10 * MC_SECOND : 60 * MC_SECOND, NULL);

		assert_string_equal(word_with(&command, ":maximum"),
				    "GPRINT:m0:MAX:maximum %6.2lf%s\\l");
		assert_string_equal(word_with(&command, "DEF:m0"),
				    "DEF:m0=/p:m0:AVERAGE:reduce=MAX");
		assert_string_equal(word_with(&command, ":minimum"),
				    "GPRINT:l0:MIN:minimum %6.2lf%s");
		assert_string_equal(word_with(&command, "DEF:l0"),
				    "DEF:l0=/p:l0:AVERAGE:reduce=MIN");
	}
}

static void now_is_the_last_value(void **state)
{
	double last = 39.25;
	struct command command = make(0, &last);

	(void)state;
	assert_string_equal(word_with(&command, "CDEF:n0"), "CDEF:n0=39.25,a0,POP");
	assert_string_equal(word_with(&command, ":now"), "GPRINT:n0:LAST:now %6.2lf%s");
	last = NAN;
	command = make(0, &last);
	assert_string_equal(word_with(&command, ":now"), "GPRINT:a0:LAST:now %6.2lf%s");
	command = make(0, NULL);
	assert_string_equal(word_with(&command, ":now"), "GPRINT:a0:LAST:now %6.2lf%s");
}

static void its_range_stands_below(void **state)
{
	struct command command = make(0, NULL);

	(void)state;
	assert_string_equal(word_with(&command, "COMMENT:"),
			    "COMMENT:2023-11-14 22\\:13 to 2023-11-15 22\\:13\\r");
}

static void lines_of_a_rule_are_drawn_as_it_says(void **state)
{
	static const struct mc_drawing_line lines[] = {
		{ .name = "used", .draw = MC_DRAW_STACK },
		{ .name = "C:\\", .draw = MC_DRAW_REST },
		{ .name = "out",
		  .draw = MC_DRAW_AREA,
		  .below = true,
		  .warning = { NAN, 10 },
		  .failure = { 0.5, 20 } },
		{ .name = "max", .draw = MC_DRAW_LIMIT },
	};
	struct mc_type *type = calloc(1, sizeof(*type) + 4 * sizeof(type->sources[0]));
	const struct mc_history history = {
		.type = type, .start = START, .step = 60 * MC_SECOND, .points_len = 1440
	};
	const struct mc_graph graph = {
		.history = &history,
		.lines = lines,
		.title = "",
		.unit = "B",
		.width = 480,
		.height = 120,
	};
	struct command command;

	(void)state;
	type->sources_len = 4;
	command_make(&command, &graph, "/p");
	free(type);
	assert_string_equal(word_with(&command, "AREA:a0"), "AREA:a0#0072B2:used");
	assert_string_equal(word_with(&command, "AREA:a1"), "AREA:a1#C3CAD3:C\\:\\\\:STACK");
	assert_string_equal(word_with(&command, "AREA:a2"), "AREA:a2#009E7340");
	assert_string_equal(word_with(&command, "CDEF:n2"), "CDEF:n2=a2,-1,*");
	assert_string_equal(word_with(&command, "DEF:m2"), "DEF:m2=/p:m2:AVERAGE:reduce=MIN");
	assert_string_equal(word_with(&command, "DEF:l2"), "DEF:l2=/p:l2:AVERAGE:reduce=MAX");
	assert_string_equal(word_with(&command, "GPRINT:y2"), "GPRINT:y2:MIN:minimum %6.2lf%s");
	assert_string_equal(word_with(&command, "LINE1:a3"),
			    "LINE1:a3#CC79A7:max:skipscale:dashes");
	assert_string_equal(word_with(&command, "--lower"), "--lower-limit=0");
	assert_string_equal(word_with(&command, "HRULE:-10"), "HRULE:-10#B26A00::dashes");
	assert_string_equal(word_with(&command, "HRULE:-0.5"), "HRULE:-0.5#B3261E::dashes");
	assert_string_equal(word_with(&command, "HRULE:-20"), "HRULE:-20#B3261E::dashes");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(extremes_are_those_of_points),
		cmocka_unit_test(now_is_the_last_value),
		cmocka_unit_test(its_range_stands_below),
		cmocka_unit_test(lines_of_a_rule_are_drawn_as_it_says),
	};

	setenv("TZ", "UTC", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
