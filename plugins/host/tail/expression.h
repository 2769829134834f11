/* SPDX-License-Identifier: MIT */
/* collectd's regular expressions, extended ones of POSIX (regex(7)), by PCRE2:
 * one that would take for ever on a line ends. */
#ifndef TAIL_EXPRESSION_H
#define TAIL_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>

struct expression;

/* NULL, and why in 'reason', if 'text' is none. */
struct expression *expression_new(const char *text, char *reason,
				  size_t reason_size);
void expression_free(struct expression *); /* NULL is fine. */

/* Whether it matches the line: 1, 0, or -1: it was given up after
 * too many steps. */
int expression_match(struct expression *, const char *line, size_t size);

/* What its first parenthesis took in the last match, cut at 'size'; false:
 * nothing. */
bool expression_part(struct expression *, const char *line, char *out,
		     size_t size);

#endif
