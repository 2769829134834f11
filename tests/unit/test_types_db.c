/* SPDX-License-Identifier: MIT */
/* types.db: rows, descriptions, every mistake with its place; and our own file:
 * complete, described, and the same as collectd's. */
#include "model/types_db.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define COLLECTD_TYPES_DB "/usr/share/collectd/types.db"

struct fixture {
	struct type_set *set;
	struct problems problems;
};

static int setup(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	fixture->set = type_set_new();
	problem_init(&fixture->problems);
	*state = fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;

	type_set_free(fixture->set);
	problem_done(&fixture->problems);
	free(fixture);
	return 0;
}

/* Parses text in a block of its size, so that the sanitizers see a byte too far. */
static void parse(struct fixture *fixture, const char *file, const char *text)
{
	size_t size = strlen(text);
	char *block = malloc(size);

	memcpy(block, text, size);
	types_db_parse(fixture->set, block, size, file, &fixture->problems);
	free(block);
}

static const struct mc_type *find(struct fixture *fixture, const char *name)
{
	return type_set_find(fixture->set, name, strlen(name));
}

static void expect_problem(const struct fixture *fixture, size_t number, const char *expected)
{
	char text[600];

	assert_true(number < fixture->problems.len);
	problem_format(&fixture->problems.items[number], text, sizeof(text));
	assert_string_equal(text, expected);
}

static void test_rows(void **state)
{
	struct fixture *fixture = *state;
	const struct mc_type *type;

	parse(fixture, "f",
	      "# a comment\n"
	      "\n"
	      "load\tshort:GAUGE:0:5000, mid:gauge:-1.5:1e3 "
	      ",long:DERIVE:U:U\r\n"
	      " octets  rx:COUNTER:0:U tx:ABSOLUTE:0:18446744073709551615,\n"
	      "last v-_1:GAUGE:U:100.1");
	assert_int_equal(fixture->problems.len, 0);
	assert_int_equal(type_set_len(fixture->set), 3);
	type = find(fixture, "load");
	assert_int_equal(type->sources_len, 3);
	assert_string_equal(type->sources[0].name, "short");
	assert_true(type->sources[0].min == 0);
	assert_true(type->sources[0].max == 5000);
	assert_int_equal(type->sources[1].kind, MC_GAUGE);
	assert_true(type->sources[1].min == -1.5);
	assert_int_equal(type->sources[2].kind, MC_DERIVE);
	assert_true(isnan(type->sources[2].min));
	assert_true(isnan(type->sources[2].max));
	assert_string_equal(type->unit, "");
	type = find(fixture, "octets");
	assert_int_equal(type->sources_len, 2);
	assert_int_equal(type->sources[0].kind, MC_COUNTER);
	assert_int_equal(type->sources[1].kind, MC_ABSOLUTE);
	assert_true(type->sources[1].max == 0x1p64);
	type = find(fixture, "last");
	assert_string_equal(type->sources[0].name, "v-_1");
	assert_true(type->sources[0].max == 100.1);
}

static void test_mistakes(void **state)
{
	static const struct {
		const char *line, *problem;
	} cases[] = {
		{ "a-b v:GAUGE:0:1", "f:1:2: warning: type 'a-b' has a '-', which starts the type "
				     "instance; write '_'" },
		{ "a/b v:GAUGE:0:1", "f:1:2: warning: the name of a type has letters, digits and "
				     "'_' only" },
		{ "a", "f:1:2: warning: type 'a' has no data source such as "
		       "name:KIND:min:max" },
		{ "a v:GAUGE:0", "f:1:3: warning: 'v:GAUGE:0' is not a data source such as "
				 "name:KIND:min:max" },
		{ "a v:GAUGE:0:1:2", "f:1:3: warning: 'v:GAUGE:0:1:2' is not a "
				     "data source such as "
				     "name:KIND:min:max" },
		{ "a v:GAUGE:0:1 # why", "f:1:15: warning: '#' is not a data source such as "
					 "name:KIND:min:max" },
		{ "a v:LEVEL:0:1", "f:1:5: warning: kind 'LEVEL' is not one of GAUGE, DERIVE, "
				   "COUNTER, ABSOLUTE" },
		{ "a v:GAUGE:x:1", "f:1:11: warning: 'x' is neither a number nor "
				   "U (no bound)" },
		{ "a v:GAUGE:0:1x", "f:1:13: warning: '1x' is neither a number "
				    "nor U (no bound)" },
		{ "a v:GAUGE::1", "f:1:11: warning: '' is neither a number nor U "
				  "(no bound)" },
		{ "a v:GAUGE:nan:1", "f:1:11: warning: 'nan' is neither a number "
				     "nor U (no bound)" },
		{ "a v:GAUGE:1:1", "f:1:11: warning: the minimum is not below the maximum" },
		{ "a v:GAUGE:0:1, v:GAUGE:0:1", "f:1:16: warning: data source 'v' appears twice" },
		{ "a :GAUGE:0:1", "f:1:3: warning: the name of a data source has 1 to 19 "
				  "characters, as in RRD files, this has 0" },
		{ "a x2345678901234567890:GAUGE:0:1",
		  "f:1:3: warning: the name of a data source has 1 to 19 "
		  "characters, as in RRD files, this has 20" },
		{ "a v/w:GAUGE:0:1", "f:1:4: warning: the name of a data source has letters, "
				     "digits, '_' and '-' only" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		void *own;
		struct fixture *fixture;
		char text[256];

		setup(&own);
		fixture = own;
		snprintf(text, sizeof(text), "%s\ngood v:GAUGE:0:1\n", cases[i].line);
		parse(fixture, "f", text);
		expect_problem(fixture, 0, cases[i].problem);
		assert_int_equal(fixture->problems.warnings, 1);
		assert_int_equal(type_set_len(fixture->set), 1);
		assert_non_null(find(fixture, "good"));
		teardown(&own);
	}
}

static void test_limits(void **state)
{
	struct fixture *fixture = *state;
	char text[4096];
	int size = snprintf(text, sizeof(text), "a");

	for (int i = 0; i < 64; i++)
		size += snprintf(text + size, sizeof(text) - size, " s%d:GAUGE:0:1", i);
	parse(fixture, "f", text);
	assert_int_equal(find(fixture, "a")->sources_len, 64);
	text[0] = 'b';
	snprintf(text + size, sizeof(text) - size, " one:GAUGE:0:1");
	parse(fixture, "f", text);
	assert_null(find(fixture, "b"));
	assert_int_equal(fixture->problems.warnings, 1);
	snprintf(text, sizeof(text), "%0127d v:GAUGE:0:1\n%0128d v:GAUGE:0:1", 0, 0);
	parse(fixture, "f", text);
	assert_int_equal(type_set_len(fixture->set), 2);
	expect_problem(fixture, 1,
		       "f:2:1: warning: the name of a type has at most 127 "
		       "characters, this has 128");
}

static void test_descriptions(void **state)
{
	struct fixture *fixture = *state;
	const struct mc_type *type;

	parse(fixture, "f",
	      "#: [bytes/s] Octets received\n"
	      " #:   and sent. \n"
	      "octets rx:DERIVE:0:U\n"
	      "next v:GAUGE:0:1\n"
	      "#: [ ms ] Lost.\n"
	      "\n"
	      "third v:GAUGE:0:1\n"
	      "#: no unit\n"
	      "fourth v:GAUGE:0:1\n");
	type = find(fixture, "octets");
	assert_string_equal(type->unit, "bytes/s");
	assert_string_equal(type->help, "Octets received and sent.");
	assert_string_equal(find(fixture, "next")->help, "");
	assert_string_equal(find(fixture, "third")->unit, "");
	assert_string_equal(find(fixture, "fourth")->help, "");
	assert_int_equal(fixture->problems.warnings, 2);
	assert_int_equal(fixture->problems.errors, 0);
	expect_problem(fixture, 0,
		       "f:5: warning: this describes no type: one must follow "
		       "on the next line");
	expect_problem(fixture, 1,
		       "f:8:4: warning: this is not a description such as "
		       "'#: [unit] One sentence.'");
}

static void test_own_types_are_kept(void **state)
{
	struct fixture *fixture = *state;
	const struct mc_type *type;

	parse(fixture, "own",
	      "#: [bytes/s] Octets.\noctets rx:DERIVE:0:U, tx:DERIVE:0:U\n"
	      "#: [any] A level.\nlevel v:GAUGE:0:1\n");
	type_set_seal(fixture->set);
	/* Fewer, renamed and other kinds are ignored; ranges may change. */
	parse(fixture, "user",
	      "octets rx:DERIVE:0:U\n"
	      "octets in:DERIVE:0:U, out:DERIVE:0:U\n"
	      "octets rx:COUNTER:0:U, tx:COUNTER:0:U\n"
	      "octets rx:DERIVE:0:5, tx:DERIVE:0:6\n"
	      "#: [m] Height.\nlevel v:GAUGE:0:1\n");
	assert_int_equal(fixture->problems.errors, 0);
	assert_int_equal(fixture->problems.warnings, 3);
	expect_problem(fixture, 2,
		       "user:3:1: warning: type 'octets' is one of the "
		       "collector's own and has other data sources there; this "
		       "line is ignored");
	type = find(fixture, "octets");
	assert_int_equal(type->sources_len, 2);
	assert_int_equal(type->sources[1].kind, MC_DERIVE);
	assert_true(type->sources[1].max == 6);
	assert_string_equal(type->help, "Octets.");
	type = find(fixture, "level");
	assert_string_equal(type->unit, "m");
	assert_string_equal(type->help, "Height.");
}

static void test_last_wins(void **state)
{
	struct fixture *fixture = *state;

	type_set_seal(fixture->set);
	parse(fixture, "a.db", "\nlevel v:GAUGE:0:1\nsame v:GAUGE:U:1\n");
	parse(fixture, "b.db", "same v:GAUGE:U:1\n level v:GAUGE:0:2\n");
	assert_int_equal(fixture->problems.len, 1);
	expect_problem(fixture, 0,
		       "b.db:2:2: warning: type 'level' replaces that of "
		       "a.db:2");
	assert_true(find(fixture, "level")->sources[0].max == 2);
	parse(fixture, "c.db", "level v:DERIVE:0:2, w:GAUGE:0:1\n");
	expect_problem(fixture, 1,
		       "c.db:1:1: warning: type 'level' replaces that of "
		       "b.db:2");
	assert_int_equal(find(fixture, "level")->sources_len, 2);
}

static void test_unreadable(void **state)
{
	struct fixture *fixture = *state;

	assert_int_equal(types_db_read(fixture->set, "/nonexistent/types.db", &fixture->problems),
			 -ENOENT);
	assert_int_equal(types_db_read(fixture->set, "/", &fixture->problems), -EISDIR);
	assert_int_equal(types_db_read(fixture->set, "/dev/null", &fixture->problems), -EINVAL);
	expect_problem(fixture, 0,
		       "/nonexistent/types.db: warning: cannot read the types: "
		       "No such file or directory");
	assert_int_equal(type_set_len(fixture->set), 0);
}

static void read_own(struct fixture *fixture)
{
	const char *top = getenv("top_srcdir");
	char path[1024];

	snprintf(path, sizeof(path), "%s/src/model/types.db", top == NULL ? "." : top);
	assert_int_equal(types_db_read(fixture->set, path, &fixture->problems), 0);
}

struct lint {
	const char *previous; /* Name of the type before. */
};

static void check_own(void *argument, const struct mc_type *type)
{
	struct lint *lint = argument;
	size_t help_size = strlen(type->help);

	if (type->unit[0] == '\0' || help_size < 10 || type->help[help_size - 1] != '.')
		fail_msg("'%s' has no unit, or no sentence of help", type->name);
	if (strcmp(lint->previous, type->name) >= 0)
		fail_msg("'%s' is not in order", type->name);
	lint->previous = type->name;
}

static void test_own_file(void **state)
{
	struct fixture *fixture = *state;
	struct lint lint = { .previous = "" };

	read_own(fixture);
	assert_int_equal(fixture->problems.len, 0);
	type_set_each(fixture->set, check_own, &lint);
	assert_string_equal(find(fixture, "if_octets")->help,
			    "Bytes received and sent by a network interface.");
}

static void compare_with_own(void *argument, const struct mc_type *type)
{
	struct fixture *own = argument;
	const struct mc_type *same = find(own, type->name);

	if (same == NULL || !type_same_sources(same, type))
		fail_msg("'%s' is not as in collectd", type->name);
	for (unsigned i = 0; i < type->sources_len; i++) {
		const struct mc_source *a = &same->sources[i];
		const struct mc_source *b = &type->sources[i];

		assert_true(a->min == b->min || (isnan(a->min) && isnan(b->min)));
		assert_true(a->max == b->max || (isnan(a->max) && isnan(b->max)));
	}
}

static void find_in_theirs(void *argument, const struct mc_type *type)
{
	/* What collectd does not measure needs types that it does not have. */
	static const char *const additions[] = {
		"disk_wait_from",
		"if_speed",
		"if_state",
		"ksm_profit",
		"link_share_of",
		"memory_wait_from",
		"nfs_faults",
		"nfs_latency",
		"nfs_transport",
		"pressure_stall",
		"ps_pss",
		"steal_from",
		"unit_restarts",
		"unit_state",
		"unit_sub_state",
		"virt_count",
		"virt_cpu_limit",
		"virt_cpu_shares",
		"virt_disk_fill_rate",
		"virt_disk_headroom",
		"virt_disk_octets_limit",
		"virt_disk_ops_limit",
		"virt_disk_time_to_full",
		"virt_induced_cpu",
		"virt_limit_used",
		"virt_numa_affinity",
		"virt_responsive",
		"virt_thread_time",
		"virt_time_to_full",
		"virt_value",
		"virt_vcpu_delay",
	};
	size_t i = 0;

	while (i < sizeof(additions) / sizeof(*additions) && strcmp(type->name, additions[i]) != 0)
		i++;
	if (i == sizeof(additions) / sizeof(*additions) && find(argument, type->name) == NULL)
		fail_msg("'%s' is not in collectd, nor a known addition", type->name);
}

/* Where collectd is installed, its types are ours, and ours are its. */
static void test_own_file_is_collectds(void **state)
{
	struct fixture *own = *state;
	struct fixture *theirs;
	void *other;

	if (access(COLLECTD_TYPES_DB, R_OK) != 0)
		skip();
	read_own(own);
	setup(&other);
	theirs = other;
	assert_int_equal(types_db_read(theirs->set, COLLECTD_TYPES_DB, &theirs->problems), 0);
	assert_int_equal(theirs->problems.len, 0);
	type_set_each(theirs->set, compare_with_own, own);
	type_set_each(own->set, find_in_theirs, theirs);
	teardown(&other);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_rows),
		cmocka_unit_test(test_mistakes),
		TEST(test_limits),
		TEST(test_descriptions),
		TEST(test_own_types_are_kept),
		TEST(test_last_wins),
		TEST(test_unreadable),
		TEST(test_own_file),
		TEST(test_own_file_is_collectds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
