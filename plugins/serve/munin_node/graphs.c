/* SPDX-License-Identifier: MIT */
#include "graphs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/control.h>
#include <collector/kit/alloc.h>
#include <collector/writer.h>

#include "formats/munin/munin.h"

enum { NAME_SIZE = 512 };

/* --- Names --------------------------------------------------------------- */

/* "cpu_0_cpu"; of what comes from a node of Munin its service. */
static void name_service(const struct mc_series *series, char out[NAME_SIZE])
{
	const char *instance = mc_plugin_instance(series);
	char *at = out;

	if (graphs_is_of_munin(series)) {
		snprintf(out, NAME_SIZE, "%s", instance);
	} else {
		snprintf(out, NAME_SIZE, "%s%s%s_%s", mc_plugin(series),
			 *instance != '\0' ? "_" : "", instance, mc_type(series)->name);
		mc_munin_clean(out, false);
		return;
	}
	for (; *at != '\0'; at += strcspn(at, ".")) { /* Between the dots. */
		char *dot;

		at += *at == '.';
		dot = strchr(at, '.');
		if (dot != NULL)
			*dot = '\0';
		mc_munin_clean(at, false);
		if (dot != NULL)
			*dot = '.';
	}
}

static void name_field(const struct mc_series *series, unsigned source, char out[NAME_SIZE])
{
	const struct mc_type *type = mc_type(series);
	const char *instance = mc_type_instance(series);
	bool only = type->sources_len == 1;

	if (*instance == '\0')
		snprintf(out, NAME_SIZE, "%s", type->sources[source].name);
	else
		snprintf(out, NAME_SIZE, "%s%s%s", instance, only ? "" : "_",
			 only ? "" : type->sources[source].name);
	mc_munin_clean(out, true);
	if (strcmp(out, "root") == 0) /* It has a meaning in Munin. */
		snprintf(out, NAME_SIZE, "_root");
}

/* --- Making -------------------------------------------------------------- */

static struct graphs_plugin *plugin_of(struct graphs *graphs, const char *service)
{
	size_t size = strcspn(service, ".");
	struct graphs_plugin *plugin =
		(struct graphs_plugin *)mc_map_find(&graphs->plugins, service, size);

	if (plugin != NULL)
		return plugin;
	plugin = mc_alloc_zero(sizeof(*plugin) + size + 1);
	memcpy(plugin->name, service, size);
	plugin->node.key = plugin->name;
	plugin->node.key_size = size;
	mc_map_add(&graphs->plugins, &plugin->node);
	return plugin;
}

/* Series come in the order of their names, so the graph is the last, or new. */
static struct graph *graph_of(struct graphs_plugin *plugin, const char *service)
{
	size_t len = plugin->items_len;
	struct graph *graph;

	for (size_t i = len; i > 0; i--)
		if (strcmp(plugin->items[i - 1].service, service) == 0)
			return &plugin->items[i - 1];
	plugin->items = mc_alloc_resize(plugin->items, len + 1, sizeof(*plugin->items));
	graph = &plugin->items[plugin->items_len++];
	*graph = (struct graph){ .service = mc_alloc_copy(service) };
	return graph;
}

struct name { /* Of a field. */
	struct mc_map_node node;
	unsigned next; /* The number of the next field of that name. */
	char text[];
};

static struct name *find_name(const struct graph *graph, const char *text)
{
	return (struct name *)mc_map_find(&graph->names, text, strlen(text));
}

/* Two that have one name as fields are distinguished by a number. */
static const char *take_name(struct graph *graph, const char *text)
{
	struct name *taken = find_name(graph, text), *name;
	char numbered[NAME_SIZE + 16];

	snprintf(numbered, sizeof(numbered), "%s", text);
	while (taken != NULL && find_name(graph, numbered) != NULL)
		snprintf(numbered, sizeof(numbered), "%s_%u", text, taken->next++);
	name = mc_alloc_zero(sizeof(*name) + strlen(numbered) + 1);
	memcpy(name->text, numbered, strlen(numbered) + 1);
	name->next = 2;
	name->node.key = name->text;
	name->node.key_size = strlen(name->text);
	mc_map_add(&graph->names, &name->node);
	return name->text;
}

static void free_names(struct mc_map *names)
{
	struct mc_map_node *node = mc_map_next(names, NULL);

	while (node != NULL) {
		struct mc_map_node *next = mc_map_next(names, node);

		free(node);
		node = next;
	}
	mc_map_done(names);
}

static void add_field(struct graph *graph, const struct mc_series *series, unsigned source)
{
	char name[NAME_SIZE];

	name_field(series, source, name);
	graph->fields =
		mc_alloc_resize(graph->fields, graph->fields_len + 1, sizeof(*graph->fields));
	graph->fields[graph->fields_len++] = (struct graphs_field){
		.series = mc_alloc_copy(mc_name(series)),
		.source = source,
		.name = take_name(graph, name),
	};
}

static bool add_series(void *argument, struct mc_series *series, const struct mc_latest *latest)
{
	struct graphs *graphs = argument;
	char service[NAME_SIZE];
	struct graph *graph;

	(void)latest;
	name_service(series, service);
	graph = graph_of(plugin_of(graphs, service), service);
	for (unsigned i = 0; i < mc_type(series)->sources_len; i++)
		add_field(graph, series, i);
	return true;
}

static void make_glob(const char *host, char out[NAME_SIZE])
{
	size_t used = 0;

	for (; *host != '\0' && used < NAME_SIZE - 4; host++) {
		if (strchr("\\*?[", *host) != NULL)
			out[used++] = '\\';
		out[used++] = *host;
	}
	memcpy(out + used, "/*", 3);
}

static int by_name(const void *a, const void *b)
{
	const struct graphs_plugin *const *one = a, *const *other = b;

	return strverscmp((*one)->name, (*other)->name);
}

static void sort(struct graphs *graphs)
{
	struct mc_map_node *node = NULL;

	graphs->sorted = mc_alloc_array(graphs->plugins.len, sizeof(struct graphs_plugin *));
	while ((node = mc_map_next(&graphs->plugins, node)) != NULL)
		graphs->sorted[graphs->len++] = (struct graphs_plugin *)node;
	qsort(graphs->sorted, graphs->len, sizeof(struct graphs_plugin *), by_name);
}

void graphs_make(struct graphs *graphs, struct mc_ctx *ctx, const char *host)
{
	char glob[NAME_SIZE], *own = mc_alloc_copy(host);

	graphs_done(graphs); /* It may have had 'host'. */
	graphs->host = own;
	make_glob(own, glob);
	mc_each_series(ctx, glob, add_series, graphs);
	sort(graphs);
}

const struct graphs_plugin *graphs_find(const struct graphs *graphs, const char *name)
{
	return (const struct graphs_plugin *)mc_map_find(&graphs->plugins, name, strlen(name));
}

bool graphs_is_multigraph(const struct graphs_plugin *plugin)
{
	return plugin->items_len > 1 || strchr(plugin->items[0].service, '.') != NULL;
}

bool graphs_is_of_munin(const struct mc_series *series)
{
	return strcmp(mc_plugin(series), "munin") == 0 && *mc_plugin_instance(series) != '\0';
}

static void free_plugin(struct graphs_plugin *plugin)
{
	for (size_t i = 0; i < plugin->items_len; i++) {
		struct graph *graph = &plugin->items[i];

		for (size_t j = 0; j < graph->fields_len; j++)
			free(graph->fields[j].series);
		free_names(&graph->names);
		free(graph->fields);
		free(graph->service);
	}
	free(plugin->items);
	free(plugin);
}

void graphs_done(struct graphs *graphs)
{
	mc_map_done(&graphs->plugins);
	for (size_t i = 0; i < graphs->len; i++)
		free_plugin(graphs->sorted[i]);
	free(graphs->sorted);
	free(graphs->host);
	*graphs = (struct graphs){ 0 };
}
