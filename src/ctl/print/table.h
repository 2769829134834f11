/* SPDX-License-Identifier: MIT */
/* A table of text whose columns line up. */
#pragma once

#include <stddef.h>
#include <stdio.h>

#include <collector/plugin.h>

#define TABLE_COLUMNS_MAX 16

enum table_align { TABLE_LEFT, TABLE_RIGHT };

struct table {
	size_t columns_len;
	const char *titles[TABLE_COLUMNS_MAX];
	enum table_align aligns[TABLE_COLUMNS_MAX];
	size_t widths[TABLE_COLUMNS_MAX]; /* Width of the widest text so far. */
	char **cells;                     /* Row by row. */
	size_t cells_len;
};

void table_init(struct table *);
void table_done(struct table *);

/* All columns before the first cell; 'title' is not copied. */
void table_column(struct table *, const char *title, enum table_align);

/* The next cell, left to right, then the next row. */
void table_cell(struct table *, const char *fmt, ...) MC_PRINTF(2, 3);

size_t table_rows(const struct table *);

/* Columns, on a screen, of 'text', which is UTF-8. */
size_t table_text_width(const char *text);

/* Shortens a line to 'width' columns (0: not at all); at its end then stands a '>'. */
void table_cut(char *line, size_t width);

/* Line 'row' of the table without a newline, freed by the caller; row -1 is the line of titles.
 * Cut to 'width' columns (0: as long as it is); no blanks at its end. */
char *table_line(const struct table *, long row, size_t width);

/* Columns, on a screen, of its longest line. */
size_t table_width(const struct table *);

/* All of it; 'head' and 'plain' go around the titles (colour, or ""). */
void table_print(const struct table *, FILE *, const char *head, const char *plain);
