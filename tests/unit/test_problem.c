/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/problem.h"

static void assert_format(struct place place, const char *expected)
{
	struct problems problems;
	char text[200];

	problem_init(&problems);
	problem_error(&problems, place, "no option '%s'", "Dsik");
	problem_format(&problems.items[0], text, sizeof(text));
	assert_string_equal(text, expected);
	problem_done(&problems);
}

static void the_place_is_shown_as_far_as_it_is_known(void **state)
{
	(void)state;
	assert_format((struct place){ "a.conf", 3, 7 }, "a.conf:3:7: error: no option 'Dsik'");
	assert_format((struct place){ "a.conf", 3, 0 }, "a.conf:3: error: no option 'Dsik'");
	assert_format((struct place){ "a.conf", 0, 0 }, "a.conf: error: no option 'Dsik'");
	assert_format((struct place){ NULL, 0, 0 }, "error: no option 'Dsik'");
}

static void all_are_counted_and_a_bounded_number_kept(void **state)
{
	struct problems problems;

	(void)state;
	problem_init(&problems);
	for (unsigned i = 0; i < PROBLEMS_MAX + 5; i++)
		problem_warn(&problems, (struct place){ "f", i, 1 }, "x");
	problem_error(&problems, (struct place){ "f", 1, 1 }, "y");
	assert_int_equal(problems.len, PROBLEMS_MAX);
	assert_int_equal(problems.warnings, PROBLEMS_MAX + 5);
	assert_int_equal(problems.errors, 1);
	problem_done(&problems);
}

static void a_warning_is_an_error_where_it_is_strict(void **state)
{
	struct problems problems;

	(void)state;
	problem_init(&problems);
	problems.strict = true;
	problem_warn(&problems, (struct place){ "f", 1, 1 }, "x");
	assert_int_equal(problems.errors, 1);
	assert_int_equal(problems.warnings, 0);
	assert_int_equal(problems.items[0].level, MC_ERROR);
	problem_done(&problems);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_place_is_shown_as_far_as_it_is_known),
		cmocka_unit_test(all_are_counted_and_a_bounded_number_kept),
		cmocka_unit_test(a_warning_is_an_error_where_it_is_strict),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
