/* SPDX-License-Identifier: MIT */
/* Collects the mistakes in a file, so that all of them can be shown at once: "file:line:column:
 * mistake, and the probable intention".  Thread: one. */
#pragma once

#include <stdarg.h>
#include <stdbool.h>

#include <collector/plugin.h>

#include "base/arena.h"

#define PROBLEMS_MAX 1000 /* More are counted, not kept. */

struct place {
	const char *file;      /* NULL: not in a file. */
	unsigned line, column; /* From 1; 0: unknown. */
};

struct problem {
	enum mc_level level; /* MC_ERROR; MC_WARN: it works; or MC_INFO. */
	struct place place;
	const char *text; /* No full stop, no newline. */
	bool of_host;     /* Only a look at this host finds it: see problem_mark_host(). */
};

struct problems {
	struct arena arena; /* Memory of all texts and file names. */
	struct problem *items;
	size_t len;
	unsigned errors, warnings, infos; /* Also beyond PROBLEMS_MAX. */
	bool strict;                      /* Set after problem_init(): warnings are errors. */
};

void problem_init(struct problems *);
void problem_done(struct problems *);
void problem_error(struct problems *, struct place, const char *fmt, ...) MC_PRINTF(3, 4);
void problem_warn(struct problems *, struct place, const char *fmt, ...) MC_PRINTF(3, 4);
/* Nothing is wrong, but the author of the file may want to know. */
void problem_info(struct problems *, struct place, const char *fmt, ...) MC_PRINTF(3, 4);

/* Marks the problems from the index 'first' on as found by a look at this host, but for those that
 * 'others', which may be NULL, has as well: these were found without. */
void problem_mark_host(struct problems *, size_t first, const struct problems *others);

/* "file:line:column: error: text", written to 'out' without a newline. */
void problem_format(const struct problem *, char *out, size_t size);
