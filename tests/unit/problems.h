/* SPDX-License-Identifier: MIT */
/* For tests: all problems as one text, in order. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/problem.h"

/* Asserts that the problems are these, one per line, and forgets them. */
static inline void expect_problems(struct problems *problems, const char *expected)
{
	char text[16384] = "", line[1024];

	for (size_t i = 0; i < problems->len; i++) {
		size_t used = strlen(text);

		problem_format(&problems->items[i], line, sizeof(line));
		snprintf(text + used, sizeof(text) - used, "%s\n", line);
	}
	assert_string_equal(text, expected);
	problem_done(problems);
	problem_init(problems);
}
