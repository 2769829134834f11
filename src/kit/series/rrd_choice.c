/* SPDX-License-Identifier: MIT */
#include "kit/series/rrd_choice.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <collector/kit/alloc.h>
#include <collector/label.h>
#include <collector/metric.h>
#include <collector/serve.h>
#include <collector/writer.h>

#include "kit/series/rrd_choice_options.h"
#include "kit/series/rrd_files.h"

/* --- Rules of the options ------------------------------------------------- */

unsigned mc_rrd_choice_functions(const struct mc_strings *names)
{
	unsigned functions = 0;

	for (size_t i = 0; i < names->len; i++)
		for (unsigned j = 0; j < MC_RRD_FUNCTIONS; j++)
			if (strcasecmp(names->items[i], mc_rrd_archives_functions[j]) == 0)
				functions |= 1U << j;
	return functions;
}

void mc_rrd_choice_apply(int layout, const struct mc_blocks *archives, struct mc_rrd_rules *rules)
{
	const struct mc_rrd_choice_span *items = archives->items;
	struct mc_rrd_span *spans;

	rules->program = (enum mc_rrd_program)layout;
	if (archives->len == 0)
		return;
	spans = mc_alloc_array(archives->len, sizeof(*spans));
	for (size_t i = 0; i < archives->len; i++)
		spans[i] = (struct mc_rrd_span){
			.resolution = mc_rrd_second(items[i].resolution),
			.span = mc_rrd_second(items[i].timespan),
			.functions = mc_rrd_choice_functions(&items[i].functions),
		};
	rules->program = MC_RRD_OWN;
	rules->spans = spans;
	rules->spans_len = archives->len;
}

void mc_rrd_choice_init(struct mc_ctx *ctx, const struct mc_rrd_options *options,
			struct mc_rrd_rules base, struct mc_rrd_choice *choice)
{
	const struct mc_rrd_choice_match *matches = options->matches.items;

	base.step = options->step;
	base.heartbeat = options->heartbeat;
	base.rows = options->rows;
	base.xff = options->xff;
	base.source_names = options->source_names.items;
	base.source_names_len = options->source_names.len;
	for (size_t i = 0; i < options->timespans.len; i++)
		if (!mc_rrd_add_timespans(&base, options->timespans.items[i]))
			mc_log(ctx, MC_ERROR, "RRATimespan '%s' is not a number of seconds",
			       options->timespans.items[i]);
	choice->usual = base;
	mc_rrd_choice_apply(options->layout, &options->archives, &choice->usual);
	choice->matched = mc_alloc_array(options->matches.len + 1, sizeof(*choice->matched));
	for (size_t i = 0; i < options->matches.len; i++) {
		choice->matched[i] = base;
		choice->matched[i].number = (unsigned)i + 1;
		mc_rrd_choice_apply(matches[i].layout, &matches[i].archives, &choice->matched[i]);
	}
}

static void free_spans(struct mc_rrd_rules *rules)
{
	free((void *)rules->spans);
}

/* The timespans are those of all. */
void mc_rrd_choice_done(struct mc_rrd_choice *choice, const struct mc_rrd_options *options)
{
	free(choice->usual.timespans);
	free_spans(&choice->usual);
	for (size_t i = 0; choice->matched != NULL && i < options->matches.len; i++)
		free_spans(&choice->matched[i]);
	free(choice->matched);
	*choice = (struct mc_rrd_choice){ .matched = NULL };
}

/* --- Series --------------------------------------------------------------- */

/* "HOST/PLUGIN-INSTANCE/...": with its instance, or without. */
static bool plugin_matches(const struct mc_strings *globs, const char *name)
{
	const char *start = strchr(name, '/');
	char text[256], plain[256];

	if (globs->len == 0)
		return true;
	if (start == NULL)
		return false;
	snprintf(text, sizeof(text), "%.*s", (int)strcspn(start + 1, "/"), start + 1);
	snprintf(plain, sizeof(plain), "%.*s", (int)strcspn(text, "-"), text);
	for (size_t i = 0; i < globs->len; i++)
		if (fnmatch(globs->items[i], plain, 0) == 0 ||
		    fnmatch(globs->items[i], text, 0) == 0)
			return true;
	return false;
}

struct label_wanted {
	const char *text; /* "NAME=GLOB" */
	bool found;
};

static void look_at(void *argument, const struct mc_field *label)
{
	struct label_wanted *wanted = argument;
	size_t size = strlen(label->name);

	if (!wanted->found && strncmp(label->name, wanted->text, size) == 0 &&
	    wanted->text[size] == '=')
		wanted->found = fnmatch(wanted->text + size + 1, label->value, 0) == 0;
}

static bool host_has(struct mc_ctx *ctx, const char *name, const char *text)
{
	struct label_wanted wanted = { text, false };
	char host[256];

	snprintf(host, sizeof(host), "%.*s", (int)strcspn(name, "/"), name);
	mc_each_label(ctx, host, look_at, &wanted);
	return wanted.found;
}

static bool labels_match(struct mc_ctx *ctx, const struct mc_strings *texts,
			 const struct mc_series *series)
{
	struct mc_metric metric = { 0 };
	bool has_metric, found = texts->len == 0;

	if (found)
		return true;
	has_metric = mc_get_metric(series, &metric);
	for (size_t i = 0; i < texts->len && !found; i++)
		found = host_has(ctx, mc_name(series), texts->items[i]) ||
			(has_metric && mc_metric_matches(&metric, texts->items[i]));
	mc_release_metric(&metric);
	return found;
}

const struct mc_rrd_rules *mc_rrd_choice_of(struct mc_ctx *ctx, const struct mc_rrd_choice *choice,
					    const struct mc_rrd_options *options,
					    const struct mc_series *series)
{
	const struct mc_rrd_choice_match *matches = options->matches.items;

	for (size_t i = 0; i < options->matches.len; i++)
		if (plugin_matches(&matches[i].plugins, mc_name(series)) &&
		    labels_match(ctx, &matches[i].labels, series))
			return &choice->matched[i];
	return &choice->usual;
}
