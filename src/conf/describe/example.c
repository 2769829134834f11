/* SPDX-License-Identifier: MIT */
/* The example file: every option once, with its help above it, but for those that are only accepted
 * for the sake of old files.  An option that is not active has a '#' in front of its name; a plugin
 * that is not loaded has another one in the first column of all its lines. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "conf/describe/describe.h"
#include "conf/describe/words.h"
#include "conf/field.h"

#define COLUMNS 78

struct example {
	FILE *out;
	const struct mc_option *all; /* Options of the plugin. */
	unsigned depth;
	bool loaded, active; /* The plugin; the option at hand. */
};

static void indent(const struct example *e)
{
	if (!e->loaded)
		fputc('#', e->out);
	for (unsigned i = 0; i < e->depth; i++)
		fputc('\t', e->out);
}

static void start_line(const struct example *e)
{
	indent(e);
	if (!e->active)
		fputc('#', e->out);
}

static void comment(const struct example *e, const char *text)
{
	size_t width = COLUMNS - 8 * e->depth - 2, size;
	const char *line;

	while ((size = describe_words_line(&text, width, &line)) > 0) {
		indent(e);
		fprintf(e->out, "# %.*s\n", (int)size, line);
	}
}

/* In quotes, as the parser takes them off. */
static void put_quoted(const char *text, FILE *out)
{
	fputc('"', out);
	for (; *text != '\0'; text++) {
		if (*text == '"' || *text == '\\')
			fputc('\\', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

/* The values of an option, or its placeholder if nothing is known. */
static void put_values(const struct mc_option *option, FILE *out)
{
	const char *given = option->sample != NULL ? option->sample : field_preset(option);
	bool text = option->type == MC_STRING || option->type == MC_STRINGS ||
		    option->type == MC_SELECT || option->type == MC_WORD ||
		    option->type == MC_CONFIGS;
	bool list =
		option->type == MC_STRINGS || option->type == MC_INTS || option->type == MC_SELECT;
	char value[256], *copy, *rest;

	if (given == NULL)
		given = describe_words_value(option, value, sizeof(value));
	copy = rest = alloc_copy(given);
	for (char *item; (item = strsep(&rest, list ? " " : "")) != NULL;) {
		fputc(' ', out);
		if (text)
			put_quoted(item, out);
		else
			fputs(item, out);
	}
	free(copy);
}

static void show_options(struct example *, const struct mc_option *);

static void show_block(struct example *e, const struct mc_option *option)
{
	const struct mc_option *options = describe_words_inner(option);

	start_line(e);
	fprintf(e->out, "<%s", option->name);
	if (option->type == MC_CONFIGS)
		put_values(option, e->out);
	for (const struct mc_option *inner = options; inner->name != NULL; inner++) {
		if (inner->name[0] == '\0' && (inner->required || inner->sample != NULL))
			put_values(inner, e->out);
	}
	fprintf(e->out, ">\n");
	e->depth++;
	if (!describe_words_repeats(e->all, option))
		show_options(e, options);
	e->depth--;
	start_line(e);
	fprintf(e->out, "</%s>\n", option->name);
}

static void show_options(struct example *e, const struct mc_option *options)
{
	char text[1024];

	for (; options->name != NULL; options++) {
		bool active = e->active;

		if (options->name[0] == '\0' || options->no_effect)
			continue;
		comment(e, describe_words_sentences(e->all, options, text, sizeof(text)));
		e->active = active && options->sample != NULL;
		if (describe_words_inner(options) != NULL) {
			show_block(e, options);
		} else {
			start_line(e);
			fprintf(e->out, "%s", options->name);
			put_values(options, e->out);
			fputc('\n', e->out);
		}
		e->active = active;
	}
}

void describe_example_options(const struct mc_option *options, FILE *out)
{
	struct example e = { .out = out, .all = options, .loaded = true, .active = true };

	show_options(&e, options);
}

void describe_example(const struct mc_plugin *plugin, bool load, FILE *out)
{
	struct example e = { .out = out, .all = plugin->options, .loaded = true, .active = true };

	comment(&e, plugin->help);
	e.loaded = load;
	start_line(&e);
	fprintf(out, "LoadPlugin %s\n", plugin->name);
	if (plugin->options == NULL || plugin->options->name == NULL)
		return;
	start_line(&e);
	fprintf(out, "<Plugin %s>\n", plugin->name);
	e.depth++;
	show_options(&e, plugin->options);
	e.depth--;
	start_line(&e);
	fprintf(out, "</Plugin>\n");
}
