/* SPDX-License-Identifier: MIT */
/* Prints the options of a plugin as plain text for a terminal. */
#include <stdio.h>
#include <string.h>

#include "conf/describe/describe.h"
#include "conf/describe/words.h"

#define COLUMNS 80
#define LEFT_MAX 34 /* Names wider than this stand on a line of their own. */
#define INDENT 2    /* Per level. */

/* One row: a name, and what it is beside it, wrapped. */
static void row(const char *left, unsigned indent, size_t column, const char *right, FILE *out)
{
	int at = fprintf(out, "%*s%s", (int)indent, "", left);
	const char *line;
	size_t size;

	if (at < 0 || (size_t)at + 2 > column) {
		fputc('\n', out);
		at = 0;
	}
	while ((size = describe_words_line(&right, COLUMNS - column, &line)) > 0) {
		fprintf(out, "%*s%.*s\n", (int)column - at, "", (int)size, line);
		at = 0;
	}
	if (at > 0)
		fputc('\n', out);
}

/* "Name VALUE" or "<Name ARGUMENTS>". */
static const char *heading(const struct mc_option *option, char *out, size_t size)
{
	char value[256];

	if (describe_words_inner(option) != NULL)
		snprintf(out, size, "<%s%s>", option->name,
			 describe_words_arguments(option, value, sizeof(value)));
	else
		snprintf(out, size, "%s %s", option->name,
			 describe_words_value(option, value, sizeof(value)));
	return out;
}

/* Where the right column starts for these options and all below them. */
static size_t column_of(const struct mc_option *options, unsigned indent)
{
	char left[300];
	size_t column = 0, width;

	for (; options->name != NULL; options++) {
		const struct mc_option *inner = describe_words_inner(options);

		if (options->name[0] == '\0')
			continue;
		width = indent + strlen(heading(options, left, sizeof(left)));
		if (width <= LEFT_MAX && width + 2 > column)
			column = width + 2;
		if (inner != NULL) {
			width = column_of(inner, indent + INDENT);
			if (width > column)
				column = width;
		}
	}
	return column;
}

static void show_options(const struct mc_option *all, const struct mc_option *options,
			 unsigned indent, size_t column, FILE *out)
{
	char left[300], right[1024];

	for (; options->name != NULL; options++) {
		const struct mc_option *inner = describe_words_inner(options);

		/* A block's argument has no name: it is part of "<Name>". */
		row(options->name[0] != '\0' ? heading(options, left, sizeof(left)) : "(argument)",
		    indent, column, describe_words_sentences(all, options, right, sizeof(right)),
		    out);
		if (inner != NULL && !describe_words_repeats(all, options))
			show_options(all, inner, indent + INDENT, column, out);
	}
}

void describe_text_options(const struct mc_option *options, FILE *out)
{
	show_options(options, options, INDENT, column_of(options, INDENT), out);
}

static void show_types(const char *const *names, const struct describe_types *types, FILE *out)
{
	size_t column = 0;

	for (size_t i = 0; names[i] != NULL; i++) {
		if (strlen(names[i]) + INDENT + 2 > column)
			column = strlen(names[i]) + INDENT + 2;
	}
	for (size_t i = 0; names[i] != NULL; i++) {
		const struct mc_type *type = types->find(types->argument, names[i]);
		char sources[1024], right[2048] = "";
		bool unit;

		if (type != NULL) {
			unit = type->unit != NULL && type->unit[0] != '\0';
			describe_words_sources(type, sources, sizeof(sources));
			snprintf(right, sizeof(right), "%s (%s%s%s)",
				 type->help != NULL ? type->help : "", sources, unit ? "; in " : "",
				 unit ? type->unit : "");
		}
		row(names[i], INDENT, column, right, out);
	}
}

void describe_text(const struct mc_plugin *plugin, const struct describe_types *types, FILE *out)
{
	fprintf(out, "%s: %s\n", plugin->name, plugin->help);
	if (plugin->options != NULL && plugin->options->name != NULL) {
		fprintf(out, "\nOptions in <Plugin %s>:\n", plugin->name);
		describe_text_options(plugin->options, out);
	}
	if (plugin->types != NULL && plugin->types[0] != NULL) {
		fprintf(out, "\nTypes:\n");
		show_types(plugin->types, types, out);
	}
}
