/* SPDX-License-Identifier: MIT */
#include <collector/kit/regex.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct mc_regex *make(const char *text)
{
	char reason[200] = "";
	struct mc_regex *regex = mc_regex_new(text, reason, sizeof(reason));

	assert_string_equal(reason, "");
	assert_non_null(regex);
	return regex;
}

static void expect(const char *expression, const char *text, int result)
{
	struct mc_regex *regex = make(expression);

	assert_int_equal(mc_regex_match(regex, text, strlen(text)), result);
	mc_regex_free(regex);
}

static void matches(void **state)
{
	(void)state;
	expect("b+", "abbc", 1);
	expect("^b", "abbc", 0);
	expect("B", "abbc", 0);
	expect("", "", 1);
	expect("a.c", "a\nc", 1);
	expect("a$", "a\n", 0);
	expect("a\\.c", "abc", 0);
	expect("[[:digit:]]{2}", "a12", 1);
	mc_regex_free(NULL);
}

static void ends_of_words(void **state)
{
	(void)state;
	expect("\\<cat", "a cat", 1);
	expect("\\<cat", "bobcat", 0);
	expect("cat\\>", "bobcat", 1);
	expect("cat\\>", "cats", 0);
	expect("\\<\\>", "word", 0);
	expect("\\\\<a>", "\\<a>", 1); /* An escaped '\', and no word. */
	expect("\\<[0-9]+\\> ms", "took 12 ms", 1);
}

/* Bytes after the size are not looked at, and one of them may be '\0'. */
static void sizes(void **state)
{
	struct mc_regex *regex = make("b$");

	(void)state;
	assert_int_equal(mc_regex_match(regex, "a\0b", 3), 1);
	assert_int_equal(mc_regex_match(regex, "abc", 2), 1);
	assert_int_equal(mc_regex_match(regex, "abc", 3), 0);
	mc_regex_free(regex);
}

static void groups(void **state)
{
	static const char text[] = "size=120 kB";
	struct mc_regex *regex = make("=([0-9]+)( MB)?( kB)?");
	size_t start = 99, size = 99;

	(void)state;
	assert_int_equal(mc_regex_match(regex, text, strlen(text)), 1);
	assert_true(mc_regex_group(regex, 0, &start, &size));
	assert_int_equal(start, 4);
	assert_int_equal(size, 7);
	assert_true(mc_regex_group(regex, 1, &start, &size));
	assert_int_equal(start, 5);
	assert_int_equal(size, 3);
	assert_false(mc_regex_group(regex, 2, &start, &size));
	assert_true(mc_regex_group(regex, 3, &start, &size));
	assert_int_equal(start, 8);
	assert_int_equal(size, 3);
	assert_false(mc_regex_group(regex, 4, &start, &size));
	assert_int_equal(size, 3);
	mc_regex_free(regex);
}

/* "\K" in a lookahead sets the start of a match after its end. */
static void start_behind_end(void **state)
{
	char reason[200];
	struct mc_regex *regex = mc_regex_new("(?=ab\\K)", reason, sizeof(reason));
	size_t start, size;

	(void)state;
	if (regex == NULL)
		return; /* Newer versions of PCRE2 refuse it. */
	assert_int_equal(mc_regex_match(regex, "ab", 2), 1);
	assert_false(mc_regex_group(regex, 0, &start, &size));
	mc_regex_free(regex);
}

static void bad_expressions(void **state)
{
	char reason[200] = "";

	(void)state;
	assert_null(mc_regex_new("a(b", reason, sizeof(reason)));
	assert_string_equal(reason, "missing closing parenthesis at character 3");
	/* PCRE2 counts characters that the user has not written. */
	assert_null(mc_regex_new("\\<a(b", reason, sizeof(reason)));
	assert_string_equal(reason, "missing closing parenthesis");
	assert_null(mc_regex_new("a\\", reason, sizeof(reason)));
	assert_string_equal(reason, "\\ at end of pattern at character 2");
	assert_null(mc_regex_new("\\C", reason, sizeof(reason)));
}

/* Without limits this takes 2^30 steps. */
static void endless_expression(void **state)
{
	(void)state;
	expect("^(a+)+$", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!", -1);
	expect("^(a+)+$", "aaaa", 1);
}

#define MIB (1 << 20)

/* A text of that size, with these at its ends. */
static char *make_text(size_t size, const char *start, const char *end)
{
	char *text = malloc(size + 1);

	assert_non_null(text);
	memset(text, 'a', size);
	memcpy(text, start, strlen(start));
	memcpy(text + size - strlen(end), end, strlen(end) + 1);
	return text;
}

/* To go back as far as a text is long is not yet to go on for ever. */
static void far_apart(void **state)
{
	char *text = make_text(MIB, "first b=12 ", " c=34 d");
	struct mc_regex *regex = make("^fi.*[=]([0-9]+) a");
	size_t start, size;

	(void)state;
	expect("b=([0-9]+).*c=([0-9]+)", text, 1);
	assert_int_equal(mc_regex_match(regex, text, strlen(text)), 1);
	assert_true(mc_regex_group(regex, 1, &start, &size));
	assert_int_equal(start, 8);
	assert_int_equal(size, 2);
	mc_regex_free(regex);
	free(text);
}

/* Each place of a long text is looked at, and '^' is only the first. */
static void long_text(void **state)
{
	/* Long enough to be looked at in parts, but not for the limit of CPU
	 * time on a slow machine. */
	char *text = make_text(MIB / 4, "", " c=34 d");

	(void)state;
	expect("4 d$", text, 1);
	expect("5 d$", text, 0);
	expect("^c=", text, 0);
	expect("(?<=a) c", text, 1);
	expect("a c", text, 1);
	expect("(?!a)$", text, 1);
	free(text);
}

/* From each of its places this looks at all that follow: 2^39 steps. */
static void quadratic_expression(void **state)
{
	char *text = make_text(MIB, "", "!");

	(void)state;
	expect("a[^bc]*[bc]", text, -1);
	expect("a.*[bc]", text, -1);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(matches),
		cmocka_unit_test(ends_of_words),
		cmocka_unit_test(sizes),
		cmocka_unit_test(groups),
		cmocka_unit_test(start_behind_end),
		cmocka_unit_test(bad_expressions),
		cmocka_unit_test(endless_expression),
		cmocka_unit_test(far_apart),
		cmocka_unit_test(long_text),
		cmocka_unit_test(quadratic_expression),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
