/* SPDX-License-Identifier: MIT */
/* collector/kit/regex.h - regular expressions, as collectd's users write them.
 *
 * They are extended ones of POSIX (regex(7)), with case and not anchored. PCRE2
 * reads those the same way, but for what POSIX leaves open (\d, \b); '$' and
 * '.' mean what they mean there, and so do "\<" and "\>", with which glibc
 * begins and ends a word.  Of several alternatives the first that matches is
 * taken, not the longest.  An expression that would take for ever is given up:
 * on a line after some milliseconds, on a text of a MiB and more after some
 * seconds. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(default)

struct mc_regex;

/* NULL, and why in 'reason', if 'text' is invalid.  Freed with mc_regex_free().  Thread: any. */
struct mc_regex *mc_regex_new(const char *text, char *reason, size_t reason_size);
void mc_regex_free(struct mc_regex *); /* NULL is fine. */

/* Whether 'text' is "/expression/", as options have it that take names, too;
 * and the expression between the slashes. */
bool mc_regex_in_slashes(const char *text);
struct mc_regex *mc_regex_new_in_slashes(const char *text, char *reason, size_t reason_size);

/* Whether a part of the text matches: 1, 0, or -1: it was given up.  One thread
 * at a time for each expression. */
int mc_regex_match(struct mc_regex *, const char *text, size_t size);

/* Where in the text of the last match, which it was, the group lies: 1 is that of the first
 * parenthesis, 0 is all that matched.  False: the group is not there, or took no part in the
 * match.  Thread: the one that matched. */
bool mc_regex_group(const struct mc_regex *, unsigned group, size_t *start, size_t *size);

#pragma GCC visibility pop
