/* SPDX-License-Identifier: MIT */
/* A regular expression of ProcessMatch.  It is one of POSIX, which PCRE2 reads
 * the same way, with a limit to the steps of one match: one that would take
 * for ever does not match. */
#ifndef PROCESSES_PATTERN_H
#define PROCESSES_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

struct pattern;

/* NULL, and why in 'reason', if it is no expression.  Freed with
 * pattern_free(). */
struct pattern *pattern_new(const char *expression, char *reason, size_t size);
void pattern_free(struct pattern *);

/* Whether a part of the text matches.  One thread at a time. */
bool pattern_matches(const struct pattern *, const char *text, size_t size);

#endif
