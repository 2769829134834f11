/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The arguments of rrdgraph(1): what the legend says is what it is called. */
#include "unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static void the_maximum_is_that_of_the_maxima(void **state)
{
	(void)state;
	for (int fine = 0; fine < 2; fine++) {
		struct command command = make(fine ? 10 * MC_SECOND : 60 * MC_SECOND, NULL);

		assert_string_equal(word_with(&command, ":maximum"),
				    "GPRINT:m0:MAX:maximum %6.2lf%s\\l");
		assert_string_equal(word_with(&command, "DEF:m0"),
				    "DEF:m0=/p:m0:AVERAGE:reduce=MAX");
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

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_maximum_is_that_of_the_maxima),
		cmocka_unit_test(now_is_the_last_value),
		cmocka_unit_test(its_range_stands_below),
	};

	setenv("TZ", "UTC", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
