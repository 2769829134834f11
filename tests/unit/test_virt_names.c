/* SPDX-License-Identifier: MIT */
/* Names of guests, and the words that make them. */
#include "names.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define WORDS(...)                                                                                 \
	(struct mc_strings)                                                                        \
	{                                                                                          \
		(const char *const[]){ __VA_ARGS__ },                                              \
			sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *)              \
	}

static const struct names_guest guest = {
	.hostname = "node", .name = "a b/c", .uuid = "0bad1dea", .metadata = NULL
};

static void join(struct mc_strings words, bool host, const char *expected)
{
	struct names_format format = { .len = 0 };
	char unknown[32], out[NAMES_SIZE];

	assert_true(names_parse(&format, words, host, unknown, sizeof(unknown)));
	names_join(&format, &guest, out);
	assert_string_equal(out, expected);
}

static void parts_have_colons_between_them(void **state)
{
	(void)state;
	join(WORDS("name"), true, "a b/c");
	join(WORDS("hostname NAME", "uuid"), true, "node:a b/c:0bad1dea");
	join(WORDS("name\t uuid "), false, "a b/c:0bad1dea");
	join(WORDS("none"), false, "");
	join(WORDS("metadata"), true, "");
	join(WORDS("uuid metadata"), true, "0bad1dea:");
}

static void words_that_are_none(void **state)
{
	struct names_format format = { .len = 7 };
	char unknown[32];

	(void)state;
	assert_false(names_parse(&format, WORDS("name", "nmae"), true, unknown, sizeof(unknown)));
	assert_string_equal(unknown, "nmae");
	assert_false(names_parse(&format, WORDS("none"), true, unknown, sizeof(unknown)));
	assert_false(names_parse(&format, WORDS("hostname"), false, unknown, sizeof(unknown)));
	assert_false(names_parse(&format, WORDS("name name name name name"), true, unknown,
				 sizeof(unknown)));
	assert_string_equal(unknown, "");
	assert_int_equal(format.len, 7);
}

static void long_names_are_cut_and_cleaned(void **state)
{
	struct names_format format = { { NAMES_NAME, NAMES_UUID }, 2 };
	struct names_guest odd = guest;
	char name[300], out[NAMES_SIZE];

	(void)state;
	memset(name, 'x', sizeof(name));
	name[0] = '\n';
	name[1] = '\x7f';
	name[sizeof(name) - 1] = '\0';
	odd.name = name;
	names_join(&format, &odd, out);
	assert_int_equal(strlen(out), NAMES_SIZE - 1);
	assert_memory_equal(out, "__xx", 4);
}

static void extra_statistics(void **state)
{
	unsigned extra = 0;
	char unknown[32], list[512];

	(void)state;
	assert_true(
		names_parse_extra(WORDS("disk pcpu", "VCPU"), &extra, unknown, sizeof(unknown)));
	assert_int_equal(extra, EXTRA_DISK | EXTRA_PCPU | EXTRA_VCPU);
	assert_false(names_parse_extra(WORDS("disk", "disks"), &extra, unknown, sizeof(unknown)));
	assert_string_equal(unknown, "disks");
	assert_int_equal(extra, EXTRA_DISK | EXTRA_PCPU | EXTRA_VCPU);
	names_extra_list(list, sizeof(list));
	assert_non_null(strstr(list, "disk pcpu cpu_util domain_state"));
	assert_true(names_parse_extra(WORDS(list), &extra, unknown, sizeof(unknown)));
	assert_string_equal(names_extra_list(list, 10), "disk pcpu");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_have_colons_between_them),
		cmocka_unit_test(words_that_are_none),
		cmocka_unit_test(long_names_are_cut_and_cleaned),
		cmocka_unit_test(extra_statistics),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
