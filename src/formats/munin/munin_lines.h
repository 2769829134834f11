/* SPDX-License-Identifier: MIT */
/* The "config" lines of a graph of Munin or of one of its fields, each key once, in the order in
 * which it came.  Thread: one at a time. */
#pragma once

struct munin_line { /* "KEY TEXT" */
	struct munin_line *next;
	const char *text; /* After its key. */
	char key[];
};

/* The text of that key, or NULL. */
const char *munin_lines_find(const struct munin_line *, const char *key);

/* Keeps a line, instead of one of the same key.  There are MC_ATTRIBUTES_MAX at
 * most; of a key and a text no more is kept than fills an attribute. */
void munin_lines_set(struct munin_line **, const char *key, const char *text);

void munin_lines_free(struct munin_line **);
