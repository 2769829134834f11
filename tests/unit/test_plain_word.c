/* SPDX-License-Identifier: MIT */
/* Words: quotes, escapes, blanks; in place and copied, the result is one. */
#include "formats/plaintext/plain_word.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const struct {
	const char *line;
	enum plain_word_result result;
	const char *word, *rest;
	bool quoted;
} cases[] = {
	{ "a b", PLAIN_WORD_FOUND, "a", "b", false },
	{ " \t a\r", PLAIN_WORD_FOUND, "a", "", false },
	{ "a", PLAIN_WORD_FOUND, "a", "", false },
	{ "a\\ b", PLAIN_WORD_FOUND, "a\\", "b", false },
	{ "\"a b\" c", PLAIN_WORD_FOUND, "a b", "c", true },
	{ "\"a b\"", PLAIN_WORD_FOUND, "a b", "", true },
	{ "\"\" c", PLAIN_WORD_FOUND, "", "c", true },
	{ "a\"b c\"d e", PLAIN_WORD_FOUND, "ab cd", "e", true },
	{ "\"a\"b c", PLAIN_WORD_FOUND, "ab", "c", true },
	{ "\"a\\\"\\\\\\n\" c", PLAIN_WORD_FOUND, "a\"\\n", "c", true },
	{ "", PLAIN_WORD_NONE, NULL, NULL, false },
	{ "  ", PLAIN_WORD_NONE, NULL, NULL, false },
	{ "\"a", PLAIN_WORD_UNTERMINATED, NULL, NULL, false },
	{ "a\"", PLAIN_WORD_UNTERMINATED, NULL, NULL, false },
	{ "\"\\\"", PLAIN_WORD_UNTERMINATED, NULL, NULL, false },
	{ "\"a\\", PLAIN_WORD_BACKSLASH, NULL, NULL, false },
};
#define CASES_LEN (sizeof(cases) / sizeof(*cases))

static void test_cut(void **state)
{
	(void)state;
	for (size_t i = 0; i < CASES_LEN; i++) {
		struct plain_word word;
		char line[32];
		char *rest = line;

		snprintf(line, sizeof(line), "%s", cases[i].line);
		assert_int_equal(plain_word_cut(&rest, &word), cases[i].result);
		if (cases[i].result != PLAIN_WORD_FOUND)
			continue;
		assert_string_equal(word.text, cases[i].word);
		assert_int_equal(word.size, strlen(cases[i].word));
		assert_int_equal(word.quoted, cases[i].quoted);
		assert_string_equal(rest, cases[i].rest);
	}
}

static void test_copy(void **state)
{
	(void)state;
	for (size_t i = 0; i < CASES_LEN; i++) {
		struct plain_word word;
		char line[32], out[32];
		char *rest = line;

		snprintf(line, sizeof(line), "%s", cases[i].line);
		assert_int_equal(plain_word_copy(&rest, out, sizeof(out), &word), cases[i].result);
		assert_string_equal(line, cases[i].line);
		if (cases[i].result != PLAIN_WORD_FOUND)
			continue;
		assert_ptr_equal(word.text, out);
		assert_string_equal(out, cases[i].word);
		assert_int_equal(word.quoted, cases[i].quoted);
		assert_string_equal(rest, cases[i].rest);
	}
}

static void test_copy_without_room(void **state)
{
	struct plain_word word;
	char line[] = "abcd e", out[4];
	char *rest = line;

	(void)state;
	assert_int_equal(plain_word_copy(&rest, out, sizeof(out), &word), PLAIN_WORD_LONG);
	assert_ptr_equal(rest, line);
	line[3] = ' ';
	assert_int_equal(plain_word_copy(&rest, out, sizeof(out), &word), PLAIN_WORD_FOUND);
	assert_string_equal(out, "abc");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_copy),
		cmocka_unit_test(test_copy_without_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
