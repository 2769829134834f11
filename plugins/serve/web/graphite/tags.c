/* SPDX-License-Identifier: MIT */
/* Facts: Graphite's manual, "Graphite Tag Support", and answers of graphite-web 1.1.10. */
#include "tags.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/control.h>
#include <collector/kit/regex.h>
#include <collector/metric.h>

#include "expression.h"

#define TAGS_MAX (2 * MC_METRIC_LABELS_MAX + 8) /* Of one series. */

/* --- Queries --------------------------------------------------------------- */

/* The expression matches from the begin on. */
static struct mc_regex *regex_of(const char *text, char why[TAGS_WHY])
{
	struct mc_buffer whole = { 0 };
	struct mc_regex *regex;

	mc_buffer_add(&whole, "^(", 2);
	mc_buffer_add(&whole, text, strlen(text));
	mc_buffer_add(&whole, ")", 1);
	regex = mc_regex_new(whole.at, why, TAGS_WHY);
	mc_buffer_free(&whole);
	return regex;
}

bool tags_query_add(struct tags_query *query, const char *text, char why[TAGS_WHY])
{
	size_t size = strcspn(text, ";!=");
	const char *at = text + size;
	struct tags_matcher *matcher = &query->matchers[query->len];
	bool negated = *at == '!', is_regex;

	at += negated;
	snprintf(why, TAGS_WHY, "invalid expression of a tag '%.100s'", text);
	if (size == 0 || *at != '=' || strchr(at, ';') != NULL)
		return false;
	snprintf(why, TAGS_WHY, "too many expressions of tags");
	if (query->len == TAGS_MATCHERS)
		return false;
	is_regex = *++at == '~';
	at += is_regex;
	*matcher = (struct tags_matcher){ .tag = mc_alloc_printf("%.*s", (int)size, text),
					  .value = mc_alloc_copy(at),
					  .negated = negated };
	query->len++;
	if (!is_regex)
		return true;
	matcher->regex = regex_of(at, why);
	return matcher->regex != NULL;
}

void tags_query_done(struct tags_query *query)
{
	for (unsigned i = 0; i < query->len; i++) {
		free(query->matchers[i].tag);
		free(query->matchers[i].value);
		mc_regex_free(query->matchers[i].regex);
	}
	query->len = 0;
}

bool tags_query_call(struct tags_query *query, const struct expression *call, char why[TAGS_WHY])
{
	for (const struct expression *part = call->first; part != NULL; part = part->next) {
		snprintf(why, TAGS_WHY, "seriesByTag() needs expressions such as 'name=cpu'");
		if (part->kind != EXPRESSION_TEXT || !tags_query_add(query, part->text, why))
			return false;
	}
	snprintf(why, TAGS_WHY, "seriesByTag() needs an expression such as 'name=cpu'");
	return query->len > 0;
}

/* A tag that is not there has an empty value. */
static bool matches(const struct tags_query *query, const char *tags)
{
	for (unsigned i = 0; i < query->len; i++) {
		const struct tags_matcher *matcher = &query->matchers[i];
		const char *value = tags_value(tags, matcher->tag);
		bool is_it;

		value = value != NULL ? value : "";
		is_it = matcher->regex != NULL
				? mc_regex_match(matcher->regex, value, strlen(value)) == 1
				: strcmp(value, matcher->value) == 0;
		if (is_it == matcher->negated)
			return false;
	}
	return true;
}

/* --- The tags of a series --------------------------------------------------- */

struct walk {
	const struct tags_query *query;
	bool (*visit)(void *argument, const struct tags_one *);
	void *argument;
	char *tags[TAGS_MAX]; /* "TAG=VALUE". */
	unsigned len;
	struct mc_buffer sorted, path;
};

const char *tags_value(const char *tags, const char *tag)
{
	size_t size = strlen(tag);

	for (; *tags != '\0'; tags += strlen(tags) + 1)
		if (strncmp(tags, tag, size) == 0 && tags[size] == '=')
			return tags + size + 1;
	return NULL;
}

/* Unless it is empty, or there already.  ';', '=' and '!' have a meaning in names. */
static void add(struct walk *walk, const char *name, const char *value)
{
	size_t size = strlen(name);
	char *tag;

	if (size == 0 || value == NULL || value[0] == '\0' || walk->len == TAGS_MAX)
		return;
	tag = mc_alloc_printf("%s=%s", name, value);
	for (char *at = tag; *at != '\0'; at++)
		if (*at == ';' || (at < tag + size && strchr("!^=", *at) != NULL))
			*at = '_';
	for (unsigned i = 0; i < walk->len; i++)
		if (strncmp(walk->tags[i], tag, size + 1) == 0) {
			free(tag);
			return;
		}
	walk->tags[walk->len++] = tag;
}

static void add_labels(struct walk *walk, const struct mc_metric_labels *labels)
{
	for (size_t i = 0; i < labels->len; i++)
		add(walk, labels->items[i].name, labels->items[i].value);
}

/* The name of a metric, or "PLUGIN.TYPE" as write_graphite with UseTags has it. */
static void add_all(struct walk *walk, const struct mc_series *series, const char *source)
{
	const struct mc_type *type = mc_type(series);
	struct mc_metric metric;
	char name[1024];

	snprintf(name, sizeof(name), "%s.%s%s%s", mc_plugin(series), type->name,
		 source != NULL ? "." : "", source != NULL ? source : "");
	if (mc_get_metric(series, &metric)) {
		add(walk, "name", metric.name);
		add_labels(walk, &metric.labels);
		add_labels(walk, &metric.resource);
		mc_release_metric(&metric);
	}
	add(walk, "name", name);
	add(walk, "host", mc_host(series));
	add(walk, "plugin", mc_plugin(series));
	add(walk, "plugin_instance", mc_plugin_instance(series));
	add(walk, "type", type->name);
	add(walk, "type_instance", mc_type_instance(series));
	add(walk, "ds_name", source);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void put_together(struct walk *walk)
{
	mc_buffer_clear(&walk->sorted);
	mc_buffer_clear(&walk->path);
	qsort(walk->tags, walk->len, sizeof(*walk->tags), by_text);
	for (unsigned i = 0; i < walk->len; i++)
		mc_buffer_add(&walk->sorted, walk->tags[i], strlen(walk->tags[i]) + 1);
	mc_buffer_add(&walk->sorted, "", 1);
	for (unsigned i = 0; i < walk->len; i++)
		if (strncmp(walk->tags[i], "name=", 5) == 0)
			mc_buffer_add(&walk->path, walk->tags[i] + 5, strlen(walk->tags[i] + 5));
	for (unsigned i = 0; i < walk->len; i++) {
		if (strncmp(walk->tags[i], "name=", 5) == 0)
			continue;
		mc_buffer_add(&walk->path, ";", 1);
		mc_buffer_add(&walk->path, walk->tags[i], strlen(walk->tags[i]));
	}
}

static bool visit_source(struct walk *walk, const struct mc_series *series, unsigned source,
			 bool is_one_of_several)
{
	const char *name = is_one_of_several ? mc_type(series)->sources[source].name : NULL;
	bool goes_on = true;

	add_all(walk, series, name);
	put_together(walk);
	if (matches(walk->query, walk->sorted.at))
		goes_on = walk->visit(walk->argument, &(struct tags_one){ .path = walk->path.at,
									  .tags = walk->sorted.at,
									  .series = mc_name(series),
									  .source = source });
	while (walk->len > 0)
		free(walk->tags[--walk->len]);
	return goes_on;
}

static bool visit_series(void *argument, struct mc_series *series, const struct mc_latest *latest)
{
	bool goes_on = true;

	for (unsigned i = 0; goes_on && i < latest->values_len; i++)
		goes_on = visit_source(argument, series, i, latest->values_len > 1);
	return goes_on;
}

void tags_each(struct mc_ctx *ctx, const struct tags_query *query,
	       bool (*visit)(void *argument, const struct tags_one *), void *argument)
{
	struct walk walk = { .query = query, .visit = visit, .argument = argument };

	mc_page_series(ctx, &(struct mc_series_page){ .limit = SIZE_MAX, .ended_since = 1 },
		       visit_series, &walk);
	mc_buffer_free(&walk.sorted);
	mc_buffer_free(&walk.path);
}
