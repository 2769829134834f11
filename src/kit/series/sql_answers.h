/* SPDX-License-Identifier: MIT */
/* kit/series/sql_answers.h - answers of a database to its queries, as texts, in libseries_sql.
 *
 * One thread at a time. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <collector/kit/buffer.h>

#define SQL_ANSWERS_SIZE_MAX ((size_t)4 << 20) /* Of all of an interval. */

struct sql_answer {
	bool asked;    /* False: the query is not for this version. */
	bool answered; /* False: the connection failed before. */
	char *error;   /* Why the query fails; NULL: it does not. */
	size_t columns, rows;
	size_t first; /* Its first cell: the names of columns come before the rows. */
};

struct sql_answers { /* All zero: none. */
	struct sql_answer *items;
	size_t len;
	struct mc_buffer texts;
	size_t *cells, cells_len, cells_capacity; /* Where each text begins. */
};

void sql_answers_init(struct sql_answers *, size_t len);
void sql_answers_done(struct sql_answers *);

/* Forgets all, for the next interval. */
void sql_answers_clear(struct sql_answers *);

/* Adds the next cell; NULL: it has no value.  False: all are larger than SQL_ANSWERS_SIZE_MAX. */
bool sql_answers_add(struct sql_answers *, const char *text);

/* A text that lives until the next change; row 0 are the names.  NULL: it has no value. */
const char *sql_answers_cell(const struct sql_answers *, const struct sql_answer *, size_t row,
			     size_t column);
