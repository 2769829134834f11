/* SPDX-License-Identifier: MIT */
/* The words of the configuration language: what parse.c is made with. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/problem.h"
#include "conf/parse.h"

struct scan {
	const char *next, *end; /* The rest of the text. */
	const char *line_start;
	unsigned line;
	const char *file;
	struct problems *problems;
	struct arena *arena; /* Memory of all texts. */

	struct conf_value *values; /* Result of the last scan_values(). */
	size_t values_len, values_room;
};

/* Reads the text from its start; ends with scan_done(). */
void scan_init(struct scan *, const char *text, size_t size, const char *file, struct problems *,
	       struct arena *);
void scan_done(struct scan *);

/* Whether all of it is text, that is, has no control characters.  If not, that is a problem. */
bool scan_is_text(const struct scan *);

struct place scan_place(const struct scan *, const char *where);

/* To the start of the next line, whatever stands before it. */
void scan_skip_line(struct scan *);

/* Over blanks, continued lines and a comment.  Returns whether something follows on this line. */
bool scan_blanks(struct scan *);

/* The characters up to the next that cannot be in a word; may be empty. */
const char *scan_word(struct scan *);

/* Letters, digits and '_'. */
bool scan_is_name(const char *word);

/* All values up to the end of the line or, of a block, to its '>'.  False if one is wrong, which
 * is a problem; the rest of the line is then not read.  'name' appears in messages. */
bool scan_values(struct scan *, const char *name, bool block);
