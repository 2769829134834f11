/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include <string.h>

#include "base/text.h"

static void copies_say_when_they_are_cut(void **state)
{
	char out[4];

	(void)state;
	assert_true(text_copy(out, sizeof(out), "abc"));
	assert_string_equal(out, "abc");
	assert_false(text_copy(out, sizeof(out), "abcd"));
	assert_string_equal(out, "abc");
}

static void printable_text_is_utf8_without_controls(void **state)
{
	static const char *const good[] = {
		"", "eth0", "a b", "caf\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80"
	};
	static const char *const bad[] = {
		"a\n",              /* A control character. */
		"\x7f",             /* DEL. */
		"\xc2\x85",         /* NEL: a C1 control. */
		"\xc2\x9b[31m",     /* CSI. */
		"\xe2\x80\xa8",     /* U+2028, a new line. */
		"\xe2\x80\xae",     /* U+202E, from right to left. */
		"\xe2\x81\xa6",     /* U+2066, another isolation. */
		"\xc0\xaf",         /* '/', too long. */
		"\xe0\x80\xaf",     /* The same. */
		"\xed\xa0\x80",     /* A surrogate. */
		"\xf4\x90\x80\x80", /* Beyond Unicode. */
		"\xff",             /* No UTF-8 at all. */
		"\xe2\x82",         /* Cut. */
		"\x80",             /* A continuation of nothing. */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
		assert_true(text_printable(good[i], strlen(good[i])));
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_false(text_printable(bad[i], strlen(bad[i])));
}

static void what_steers_a_terminal_is_made_printable(void **state)
{
	static const char *const texts[][2] = {
		{ "", "" },
		{ "a\n[error] b\tc\x1b[31m\x7f \xc3\xa9", "a [error] b c [31m  \xc3\xa9" },
		{ "c1 \xc2\x9b"
		  "31m",
		  "c1 ??31m" },
		{ "\xe2\x80\xaegnp.exe", "???gnp.exe" },
		{ "a\xe2\x80\xa8"
		  "b",
		  "a???b" },
		{ "\x9b"
		  "31m",
		  "?31m" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		char text[64] = "";

		memcpy(text, texts[i][0], strlen(texts[i][0]));
		text_make_printable(text);
		assert_string_equal(text, texts[i][1]);
		assert_true(text_printable(text, strlen(text)));
	}
}

static void what_is_no_text_is_mended(void **state)
{
	static const char *const texts[][2] = {
		{ "", "" },
		{ "a\n\x7f", "a\n\x7f" },
		{ "caf\xc3\xa9 \xf0\x9f\x98\x80", "caf\xc3\xa9 \xf0\x9f\x98\x80" },
		{ "caf\xe9 au lait", "caf? au lait" },
		{ "\xc2\x85", "??" },
		{ "\xe2\x82", "??" },
		{ "\xe2\x82z", "??z" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		char text[32] = "";

		memcpy(text, texts[i][0], strlen(texts[i][0]));
		text_mend(text, strlen(text));
		assert_string_equal(text, texts[i][1]);
	}
}

static void what_fits_ends_with_a_whole_character(void **state)
{
	(void)state;
	assert_int_equal(text_fit("abc", 3), 3);
	assert_int_equal(text_fit("abcd", 3), 3);
	assert_int_equal(text_fit("ab\xc3\xa4", 4), 4);
	assert_int_equal(text_fit("ab\xc3\xa4", 3), 2);
	assert_int_equal(text_fit("\xe2\x82\xac", 2), 0);
	assert_int_equal(text_fit("", 0), 0);
}

static void distance_counts_edits_without_case(void **state)
{
	(void)state;
	assert_int_equal(text_distance("Disk", "disk", 9), 0);
	assert_int_equal(text_distance("Dsik", "Disk", 9), 2);
	assert_int_equal(text_distance("kitten", "sitting", 9), 3);
	assert_int_equal(text_distance("", "abc", 9), 3);
	assert_int_equal(text_distance("kitten", "sitting", 2), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(copies_say_when_they_are_cut),
		cmocka_unit_test(printable_text_is_utf8_without_controls),
		cmocka_unit_test(what_is_no_text_is_mended),
		cmocka_unit_test(what_steers_a_terminal_is_made_printable),
		cmocka_unit_test(what_fits_ends_with_a_whole_character),
		cmocka_unit_test(distance_counts_edits_without_case),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
