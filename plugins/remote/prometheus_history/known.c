/* SPDX-License-Identifier: MIT */
/* Of {interface="eth0"} it cannot be seen whether the plugin or the type has the instance: so an
 * example decides. */
#include "known.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/control.h>
#include <collector/history.h>
#include <collector/kit/alloc.h>
#include <collector/kit/map.h>

#include "formats/prometheus/labelling.h"
#include "formats/prometheus/naming.h"

#include "matrix.h"
#include "wanted.h"

#define PATH "/api/v1/series"
#define SINCE (86400 * MC_SECOND)
#define EXAMPLES_MAX 10000
#define SILENT 10 /* Intervals since the last value, as it counts: it has ended here. */

struct example { /* Of a metric whose series have certain labels. */
	struct mc_map_node node;
	char *plugin, *type, *label; /* The label: of the plugin. */
	bool has_plugin_instance, has_type_instance;
	mc_time interval;
	char key[]; /* The name of the metric, and what is_typed() says. */
};

struct known {
	struct store *store;
	struct mc_map examples;
	mc_stored_show *show;
	void *argument;
	mc_time now;
	bool ended; /* No more are to be shown. */
};

/* --- Examples --------------------------------------------------------------- */

/* Of a metric with and without the label "type" each. */
static size_t make_key(char out[NAMING_SIZE + 2], const char *name, bool typed)
{
	return (size_t)snprintf(out, NAMING_SIZE + 2, "%s %c", name, typed ? '2' : '1');
}

struct first_label {
	char name[NAMING_SIZE];
};

static void take_first(void *argument, const char *name, const char *value)
{
	struct first_label *first = argument;
	size_t size = 0;

	(void)value;
	if (first->name[0] != '\0')
		return;
	for (; name[size] != '\0' && size < NAMING_SIZE - 1; size++)
		first->name[size] = naming_character(name[size], size == 0);
	first->name[size] = '\0';
}

static struct example *add_example(struct known *known, const struct mc_series *series,
				   const char *name)
{
	const struct labelling_of_series parts = { .plugin = mc_plugin(series),
						   .plugin_instance = mc_plugin_instance(series),
						   .type_instance = mc_type_instance(series),
						   .host = mc_host(series) };
	bool of_plugin = parts.plugin_instance[0] != '\0', of_type = parts.type_instance[0] != '\0';
	struct first_label first = { "" };
	char key[NAMING_SIZE + 2];
	size_t size = make_key(key, name, of_plugin && of_type);
	struct example *example;

	example = (struct example *)mc_map_find(&known->examples, key, size);
	if (example != NULL)
		return example;
	labelling_each(&parts, take_first, &first);
	example = mc_alloc_zero(sizeof(*example) + size + 1);
	example->plugin = mc_alloc_copy(parts.plugin);
	example->type = mc_alloc_copy(mc_type(series)->name);
	example->label = mc_alloc_copy(of_plugin || of_type ? first.name : "");
	example->has_plugin_instance = of_plugin;
	example->has_type_instance = of_type;
	memcpy(example->key, key, size);
	example->node.key = example->key;
	example->node.key_size = size;
	mc_map_add(&known->examples, &example->node);
	return example;
}

/* The first source stands for all of a type. */
static bool learn(void *argument, struct mc_series *series, const struct mc_latest *latest)
{
	struct known *known = argument;
	char name[NAMING_SIZE];

	naming_collectd(name, mc_plugin(series), mc_type(series), 0);
	add_example(known, series, name)->interval = latest->interval;
	return known->examples.len < EXAMPLES_MAX && !mc_stopping(known->store->ctx);
}

static void forget_examples(struct known *known)
{
	struct mc_map_node *node = mc_map_next(&known->examples, NULL), *next;

	for (; node != NULL; node = next) {
		struct example *example = (struct example *)node;

		next = mc_map_next(&known->examples, node);
		mc_map_remove(&known->examples, node);
		free(example->plugin);
		free(example->type);
		free(example->label);
		free(example);
	}
	mc_map_done(&known->examples);
}

/* --- Series of the store ------------------------------------------------------ */

static bool make_name(const struct example *example, const struct matrix_labels *labels, char *out,
		      size_t size)
{
	const char *host = matrix_label(labels, "instance");
	const char *of_plugin = "", *of_type = "";

	if (example->has_plugin_instance)
		of_plugin = matrix_label(labels, example->label);
	if (example->has_type_instance)
		of_type = matrix_label(labels,
				       example->has_plugin_instance ? "type" : example->label);
	if (host[0] == '\0' || (example->has_plugin_instance && of_plugin[0] == '\0') ||
	    (example->has_type_instance && of_type[0] == '\0'))
		return false;
	return snprintf(out, size, "%s/%s%s%s/%s%s%s", host, example->plugin,
			of_plugin[0] != '\0' ? "-" : "", of_plugin, example->type,
			of_type[0] != '\0' ? "-" : "", of_type) < (int)size;
}

static bool take_series(void *argument, const struct matrix_labels *labels)
{
	struct known *known = argument;
	const char *whole = matrix_label(labels, LABELLING_SERIES);
	char key[NAMING_SIZE + 2], name[1024];
	struct mc_stored stored = { .name = name, .last = known->now };
	const struct example *example;
	size_t size = make_key(key, matrix_label(labels, "__name__"),
			       matrix_label(labels, "type")[0] != '\0');

	example = (const struct example *)mc_map_find(&known->examples, key, size);
	if (example != NULL) {
		stored.interval = example->interval;
		stored.last -= SILENT * stored.interval;
	}
	if (whole[0] != '\0')
		stored.name = whole;
	else if (example == NULL || !make_name(example, labels, name, sizeof(name)))
		return false;
	if (!known->ended)
		known->ended = !known->show(known->argument, &stored);
	return false; /* There are no points. */
}

static bool take_answer(void *argument, size_t number, const struct mc_http_reply *reply, char *why)
{
	static const struct matrix_calls calls = { .series = take_series };

	(void)number;
	return matrix_read(reply->body, reply->size, &calls, argument, why);
}

static void make_form(const struct known *known, const struct mc_strings *external,
		      struct mc_buffer *form)
{
	struct mc_buffer match = { 0 };
	char text[32];
	int size;

	wanted_match(&match, "{__name__=~\"collectd_.+\"", external);
	store_add_field(form, "match[]", match.at, match.size);
	size = snprintf(text, sizeof(text), "%lld", (long long)((known->now - SINCE) / MC_SECOND));
	store_add_field(form, "start", text, (size_t)size);
	mc_buffer_free(&match);
}

void known_each(struct store *store, const struct mc_strings *external, mc_stored_show *show,
		void *argument)
{
	struct known known = { .store = store, .show = show, .argument = argument };
	struct store_question question = { .path = PATH, .len = 1 };
	char why[STORE_WHY];

	known.now = mc_wall();
	mc_scan_series(store->ctx, NULL, learn, &known);
	make_form(&known, external, &question.forms[0]);
	if (known.examples.len > 0)
		store_ask(store, &question, take_answer, &known, why);
	mc_buffer_free(&question.forms[0]);
	forget_examples(&known);
}
