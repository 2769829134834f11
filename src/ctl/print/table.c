/* SPDX-License-Identifier: MIT */
/* A table of text whose columns line up. */
#include "ctl/print/table.h"

#include <assert.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"

#define GAP 2 /* Blanks between two columns. */

void table_init(struct table *table)
{
	*table = (struct table){ 0 };
}

void table_done(struct table *table)
{
	for (size_t i = 0; i < table->cells_len; i++)
		free(table->cells[i]);
	free(table->cells);
	*table = (struct table){ 0 };
}

void table_column(struct table *table, const char *title, enum table_align align)
{
	assert(table->columns_len < TABLE_COLUMNS_MAX);
	table->titles[table->columns_len] = title;
	table->aligns[table->columns_len] = align;
	table->widths[table->columns_len++] = table_text_width(title);
}

void table_cell(struct table *table, const char *fmt, ...)
{
	va_list arguments;
	char *text;

	va_start(arguments, fmt);
	if (vasprintf(&text, fmt, arguments) < 0)
		abort();
	va_end(arguments);
	text_make_printable(text);
	table->cells = alloc_resize(table->cells, table->cells_len + 1, sizeof(*table->cells));

	size_t *widest = &table->widths[table->cells_len % table->columns_len];
	size_t width = table_text_width(text);

	if (width > *widest)
		*widest = width;
	table->cells[table->cells_len++] = text;
}

size_t table_rows(const struct table *table)
{
	return table->cells_len / table->columns_len;
}

/* Whether a byte starts a character of UTF-8; each counts as one column. */
static bool starts_character(char c)
{
	return ((unsigned char)c & 0xc0) != 0x80;
}

size_t table_text_width(const char *text)
{
	size_t width = 0;

	for (; *text != '\0'; text++)
		width += starts_character(*text);
	return width;
}

static const char *cell(const struct table *table, long row, size_t column)
{
	if (row < 0)
		return table->titles[column];
	return table->cells[(size_t)row * table->columns_len + column];
}

void table_cut(char *line, size_t width)
{
	size_t seen = 0;
	char *last = line;

	if (width == 0 || table_text_width(line) <= width)
		return;
	for (; seen < width; line++)
		if (starts_character(*line)) {
			last = line;
			seen++;
		}
	last[0] = '>';
	last[1] = '\0';
}

char *table_line(const struct table *table, long row, size_t width)
{
	char *line;
	size_t size;
	FILE *out = open_memstream(&line, &size);

	if (out == NULL)
		abort();
	for (size_t i = 0; i < table->columns_len; i++) {
		const char *text = cell(table, row, i);
		int pad = (int)(table->widths[i] - table_text_width(text));

		if (i > 0)
			fprintf(out, "%*s", GAP, "");
		if (table->aligns[i] == TABLE_RIGHT)
			fprintf(out, "%*s%s", pad, "", text);
		else
			fprintf(out, "%s%*s", text, pad, "");
	}
	fclose(out);
	while (size > 0 && line[size - 1] == ' ')
		line[--size] = '\0';
	table_cut(line, width);
	return line;
}

size_t table_width(const struct table *table)
{
	size_t widest = 0;

	for (long row = -1; row < (long)table_rows(table); row++) {
		char *line = table_line(table, row, 0);
		size_t width = table_text_width(line);

		if (width > widest)
			widest = width;
		free(line);
	}
	return widest;
}

void table_print(const struct table *table, FILE *out, const char *head, const char *plain)
{
	for (long row = -1; row < (long)table_rows(table); row++) {
		char *line = table_line(table, row, 0);

		if (row < 0)
			fprintf(out, "%s%s%s\n", head, line, plain);
		else
			fprintf(out, "%s\n", line);
		free(line);
	}
}
