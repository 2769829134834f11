/* SPDX-License-Identifier: MIT */
/* Lines of plugins of Munin. */
#include <collector/kit/munin.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

#include "unit.h"

static const char *read_line(const char *line)
{
	static char out[256];
	char *copy = mc_alloc_copy(line);
	struct mc_munin munin;

	mc_munin_parse(&munin, copy);
	switch (munin.kind) {
	case MC_MUNIN_NOTHING:
		snprintf(out, sizeof(out), "-");
		break;
	case MC_MUNIN_BAD:
		snprintf(out, sizeof(out), "?");
		break;
	case MC_MUNIN_MULTIGRAPH:
		snprintf(out, sizeof(out), "graph %s", munin.service);
		break;
	case MC_MUNIN_GRAPH:
		snprintf(out, sizeof(out), "%s='%s'", munin.key, munin.text);
		break;
	case MC_MUNIN_FIELD:
		snprintf(out, sizeof(out), "%s %s='%s'", munin.field, munin.key,
			 munin.text);
		break;
	case MC_MUNIN_VALUE:
		snprintf(out, sizeof(out), "%s=%.10g '%s' @%ld", munin.field,
			 munin.value, munin.digits,
			 (long)(munin.time / MC_SECOND));
		break;
	}
	free(copy);
	return out;
}

static void lines_of_config(void **state)
{
	(void)state;
	assert_string_equal(read_line("graph_title Load average \r"),
			    "graph_title='Load average'");
	assert_string_equal(read_line("graph"), "graph=''");
	assert_string_equal(read_line("load.label the  load"),
			    "load label='the  load'");
	assert_string_equal(read_line("\tload.warning\t10:20"),
			    "load warning='10:20'");
	assert_string_equal(read_line("x-y.type DERIVE"), "x_y type='DERIVE'");
	assert_string_equal(read_line("1st.info a.b"), "_st info='a.b'");
	assert_string_equal(read_line("multigraph disk-io.sda_1"),
			    "graph disk-io.sda_1");
	assert_string_equal(read_line("# multigraph a"), "-");
	assert_string_equal(read_line(" \r"), "-");
	assert_string_equal(read_line(""), "-");
}

static void lines_of_fetch(void **state)
{
	(void)state;
	assert_string_equal(read_line("load.value 0.42"),
			    "load=0.42 '0.42' @0");
	assert_string_equal(read_line("a.value 12e3\r"), "a=12000 '12e3' @0");
	assert_string_equal(read_line("a.value +5"), "a=5 '5' @0");
	assert_string_equal(read_line("a.value -5"), "a=-5 '-5' @0");
	assert_string_equal(read_line("a.value U"), "a=nan '' @0");
	assert_string_equal(read_line("a.value 1700000000:7"),
			    "a=7 '7' @1700000000");
	assert_string_equal(read_line("a.value 1700000000:U"),
			    "a=nan '' @1700000000");
	/* All digits of a counter are there. */
	assert_string_equal(read_line("a.value 18446744073709551615"),
			    "a=1.844674407e+19 '18446744073709551615' @0");
}

static void wrong_lines(void **state)
{
	static const char *const wrong[] = {
		"multigraph",
		"multigraph .a",
		"multigraph a.",
		"multigraph a..b",
		"multigraph a/b",
		"multigraph a b",
		".value 1",
		"a. 1",
		"a.value",
		"a.value x",
		"a.value nan",
		"a.value 0x10",
		"a.value 1:2:3",
		"a.value :1",
		"a.value -1:1",
		"a.value 1e400",
		"multigraph multigraph",
		"a.value 99999999999:1",
		"!",
		".",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		assert_string_equal(read_line(wrong[i]), "?");
}

static void names_and_types(void **state)
{
	char service[] = "if-eth0.1/x", field[] = "9-a.b";
	enum mc_kind kind = MC_GAUGE;

	(void)state;
	mc_munin_clean(service, false);
	assert_string_equal(service, "if_eth0_1_x");
	mc_munin_clean(field, true);
	assert_string_equal(field, "__a_b");
	assert_true(mc_munin_type("derive", &kind));
	assert_int_equal(kind, MC_DERIVE);
	assert_true(mc_munin_type("ABSOLUTE", &kind));
	assert_int_equal(kind, MC_ABSOLUTE);
	assert_false(mc_munin_type("LEVEL", &kind));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_of_config),
		cmocka_unit_test(lines_of_fetch),
		cmocka_unit_test(wrong_lines),
		cmocka_unit_test(names_and_types),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
