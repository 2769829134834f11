/* SPDX-License-Identifier: MIT */
/* Regular expressions of targets, within the limits of <collector/kit/regex.h>.  Pure. */
#pragma once

#include "evaluation.h"

/* The expression of that argument; NULL, and failed, if it is invalid.  Freed by
 * mc_regex_free(). */
struct mc_regex *substitute_regex(const struct call *, unsigned argument);

/* The text in which each match is replaced by 'by', where \1 and \g<1> are the first group; the
 * caller frees it.  One that is anchored, by '^', matches once.  One that takes too long leaves the
 * text as it is. */
char *substitute(struct mc_regex *, bool anchored, const char *text, const char *by);
