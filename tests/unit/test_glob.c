/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include <fnmatch.h>
#include <stdint.h>
#include <string.h>

#include "engine/glob.h"

static bool matches(const char *pattern, const char *text)
{
	struct glob *glob = glob_new(pattern);
	bool match = glob_matches(glob, text, strlen(text));

	glob_free(glob);
	return match;
}

static void no_pattern_matches_all(void **state)
{
	(void)state;
	assert_true(matches(NULL, ""));
	assert_true(matches(NULL, "a/b/c"));
}

static void parts_follow_each_other(void **state)
{
	(void)state;
	assert_true(matches("web*/cpu-*/*idle", "web1/cpu-0/cpu-idle"));
	assert_false(matches("web*/cpu-*/*idle", "web1/cpu-0/cpu-idles"));
	assert_true(matches("*ab*ab*", "xabab"));
	assert_false(matches("*ab*ab*", "xabb"));
	/* The end is not used twice. */
	assert_false(matches("ab*ba", "aba"));
	assert_true(matches("a\\*b*", "a*bc"));
	assert_false(matches("a\\*b*", "axbc"));
}

/* The same numbers each time. */
static size_t below(uint32_t *state, size_t limit)
{
	*state = *state * UINT32_C(1664525) + UINT32_C(1013904223);
	return (*state >> 8) % limit;
}

/* The result is that of fnmatch(), for any pattern. */
static void says_what_fnmatch_says(void **state)
{
	static const char letters[] = "ab*?[]\\-!/.";
	char pattern[9] = "", text[7] = "";
	uint32_t random = 1;

	(void)state;
	for (int i = 0; i < 200000; i++) {
		size_t p = below(&random, 8), t = below(&random, 6);

		for (size_t j = 0; j < p; j++)
			pattern[j] = letters[below(&random, strlen(letters))];
		pattern[p] = '\0';
		for (size_t j = 0; j < t; j++)
			text[j] = "ab/*.\\"[below(&random, 6)];
		text[t] = '\0';
		if (matches(pattern, text) != (fnmatch(pattern, text, 0) == 0))
			fail_msg("'%s' and '%s'", pattern, text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_pattern_matches_all),
		cmocka_unit_test(parts_follow_each_other),
		cmocka_unit_test(says_what_fnmatch_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
