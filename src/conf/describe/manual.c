/* SPDX-License-Identifier: MIT */
/* A plugin's manual page in roff, for groff and mandoc: man(7) macros only, see
 * groff_man(7) and, for what must be escaped, groff_char(7). */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "conf/describe/describe.h"
#include "conf/describe/words.h"

#define COLUMNS 72

/* --- Text ------------------------------------------------------------- */

/* As it is: a '-' that can be copied, no quote that becomes typographic. */
static void put(const char *text, size_t size, FILE *out)
{
	for (size_t i = 0; i < size; i++) {
		switch (text[i]) {
		case '\\':
			fputs("\\e", out);
			break;
		case '-':
			fputs("\\-", out);
			break;
		case '\'':
			fputs("\\(aq", out);
			break;
		case '"':
			fputs("\\(dq", out);
			break;
		case '`':
			fputs("\\(ga", out);
			break;
		case '^':
			fputs("\\(ha", out);
			break;
		case '~':
			fputs("\\(ti", out);
			break;
		default:
			fputc(text[i], out);
		}
	}
}

static void put_text(const char *text, FILE *out)
{
	put(text, strlen(text), out);
}

/* Running text: a new line for each sentence, as roff wants it, and where the
 * source would get too wide. */
static void put_paragraph(const char *text, size_t size, FILE *out)
{
	const char *end = text + size;
	size_t column = 0;
	bool ended = false;

	while (text < end) {
		size_t blanks = strspn(text, " \t\n");
		size_t n = strcspn(text + blanks, " \t\n");

		text += blanks;
		if (text >= end || n == 0)
			break;
		if (column > 0 && (ended || column + 1 + n > COLUMNS)) {
			fputc('\n', out);
			column = 0;
		} else if (column > 0) {
			fputc(' ', out);
		}
		/* A line that starts with '.' would be a request. */
		if (column == 0 && *text == '.')
			fputs("\\&", out);
		put(text, n, out);
		column += n + 1;
		ended = strchr(".?!", text[n - 1]) != NULL;
		text += n;
	}
	if (column > 0)
		fputc('\n', out);
}

static void put_sentences(const char *text, FILE *out)
{
	put_paragraph(text, strlen(text), out);
}

/* --- Prose ------------------------------------------------------------ */

/* Size of the lines at 'text' that are all indented, or all not. */
static size_t block_size(const char *text)
{
	bool indented = isblank((unsigned char)*text);
	const char *c = text;

	while (*c != '\0' && *c != '\n' && (isblank((unsigned char)*c) != 0) == indented) {
		c += strcspn(c, "\n");
		c += *c == '\n';
	}
	return (size_t)(c - text);
}

/* Lines as they are, but for the indentation of the first. */
static void put_verbatim(const char *text, size_t size, FILE *out)
{
	const char *end = text + size;
	size_t indentation = strspn(text, " \t");

	fputs(".RS 4\n.EX\n", out);
	while (text < end) {
		size_t n = strcspn(text, "\n");
		size_t blanks = strspn(text, " \t");

		if (blanks > indentation)
			blanks = indentation;
		if (text[blanks] == '.')
			fputs("\\&", out);
		put(text + blanks, n - blanks, out);
		fputc('\n', out);
		text += n + (text[n] == '\n');
	}
	fputs(".EE\n.RE\n", out);
}

/* Whether the paragraph is one line that is not a sentence. */
static bool is_heading(const char *text, size_t size)
{
	return isupper((unsigned char)*text) != 0 && text[size] == '\n' &&
	       memchr(text, '\n', size) == text + size - 1 &&
	       strchr(".:;,?!", text[size - 2]) == NULL;
}

void describe_manual_prose(const char *prose, FILE *out)
{
	bool separated = false; /* From what follows, as a heading is. */

	while (*prose != '\0') {
		size_t size;
		bool heading;

		if (*prose == '\n') {
			prose++;
			continue;
		}
		size = block_size(prose);
		heading = is_heading(prose, size);
		if (heading)
			fputs(".SS ", out);
		else if (!separated)
			fputs(".PP\n", out);
		if (isblank((unsigned char)*prose))
			put_verbatim(prose, size, out);
		else
			put_paragraph(prose, size, out);
		separated = heading;
		prose += size;
	}
}

/* --- Options ---------------------------------------------------------- */

/* The head of an entry: literal text in bold, placeholders in italics. */
static void put_heading(const struct mc_option *option, FILE *out)
{
	char value[256];
	bool block = describe_words_inner(option) != NULL;

	fputs(".TP\n", out);
	if (option->name[0] == '\0') {
		fputs("\\fI(argument)\\fR\n", out);
		return;
	}
	if (block)
		describe_words_arguments(option, value, sizeof(value));
	else
		describe_words_value(option, value, sizeof(value));
	fputs(block ? "\\fB<" : "\\fB", out);
	put_text(option->name, out);
	fputs(block ? "\\fI" : "\\fR \\fI", out);
	put_text(value, out);
	fputs(block ? "\\fB>\\fR\n" : "\\fR\n", out);
}

static void put_options(const struct mc_option *all, const struct mc_option *options, FILE *out)
{
	char text[1024];

	for (; options->name != NULL; options++) {
		const struct mc_option *inner = describe_words_inner(options);

		put_heading(options, out);
		put_sentences(describe_words_sentences(all, options, text, sizeof(text)), out);
		if (inner == NULL || inner->name == NULL || describe_words_repeats(all, options))
			continue;
		fputs(".RS\n", out);
		put_options(all, inner, out);
		fputs(".RE\n", out);
	}
}

void describe_manual_options(const struct mc_option *options, FILE *out)
{
	put_options(options, options, out);
}

/* --- The page --------------------------------------------------------- */

static void put_title(const struct mc_plugin *plugin, FILE *out)
{
	size_t size = strlen(plugin->help);

	fputs(".TH COLLECTOR\\-", out);
	for (const char *c = plugin->name; *c != '\0'; c++)
		fputc(toupper((unsigned char)*c), out);
	fputs(" 5 \"\" collector \"Collector plugins\"\n.SH NAME\n"
	      "collector\\-",
	      out);
	put_text(plugin->name, out);
	/* whatis(1) wants a phrase: no full stop. */
	if (size > 0 && plugin->help[size - 1] == '.')
		size--;
	fputs(" \\- ", out);
	put(plugin->help, size, out);
	fputc('\n', out);
}

static void put_synopsis_options(const struct mc_option *all, const struct mc_option *options,
				 unsigned indent, FILE *out)
{
	char value[256];

	for (; options->name != NULL; options++) {
		const struct mc_option *inner = describe_words_inner(options);

		if (options->name[0] == '\0')
			continue;
		if (inner == NULL) {
			fprintf(out, "%*s%s ", (int)indent, "", options->name);
			put_text(describe_words_value(options, value, sizeof(value)), out);
			fputc('\n', out);
			continue;
		}
		fprintf(out, "%*s<%s", (int)indent, "", options->name);
		put_text(describe_words_arguments(options, value, sizeof(value)), out);
		fputs(">\n", out);
		if (describe_words_repeats(all, options))
			fprintf(out, "%*s...\n", (int)indent + 4, "");
		else
			put_synopsis_options(all, inner, indent + 4, out);
		fprintf(out, "%*s</%s>\n", (int)indent, "", options->name);
	}
}

static bool has_options(const struct mc_plugin *plugin)
{
	return plugin->options != NULL && plugin->options->name != NULL;
}

static void put_synopsis(const struct mc_plugin *plugin, FILE *out)
{
	fprintf(out, ".SH SYNOPSIS\n.EX\nLoadPlugin %s\n", plugin->name);
	if (has_options(plugin)) {
		fprintf(out, "<Plugin %s>\n", plugin->name);
		put_synopsis_options(plugin->options, plugin->options, 4, out);
		fputs("</Plugin>\n", out);
	}
	fputs(".EE\n", out);
}

static void put_type(const char *name, const struct mc_type *type, FILE *out)
{
	char sources[1024];

	fputs(".TP\n\\fB", out);
	put_text(name, out);
	fputs("\\fR", out);
	if (type == NULL) {
		fputc('\n', out);
		return;
	}
	if (type->unit != NULL && type->unit[0] != '\0') {
		fputs(" (", out);
		put_text(type->unit, out);
		fputc(')', out);
	}
	fputc('\n', out);
	if (type->help != NULL)
		put_sentences(type->help, out);
	fputs(".br\n", out);
	put_sentences(describe_words_sources(type, sources, sizeof(sources)), out);
}

void describe_manual(const struct mc_plugin *plugin, const struct describe_types *types,
		     const char *prose, FILE *out)
{
	put_title(plugin, out);
	put_synopsis(plugin, out);
	fputs(".SH DESCRIPTION\n", out);
	put_sentences(plugin->help, out);
	if (prose != NULL)
		describe_manual_prose(prose, out);
	if (has_options(plugin)) {
		fputs(".SH OPTIONS\n", out);
		describe_manual_options(plugin->options, out);
	}
	if (plugin->types != NULL && plugin->types[0] != NULL) {
		fputs(".SH TYPES\n", out);
		for (size_t i = 0; plugin->types[i] != NULL; i++)
			put_type(plugin->types[i], types->find(types->argument, plugin->types[i]),
				 out);
	}
	fputs(".SH SEE ALSO\n.BR collectorctl (1),\n.BR collector.conf (5),\n"
	      ".BR collectord (8)\n",
	      out);
}
