/* SPDX-License-Identifier: MIT */
/* Facts: Graphite's manual, "The Metrics API". */
#include "find.h"

#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/kit/map.h>

#include "answer.h"
#include "parameters.h"
#include "paths.h"
#include "pattern.h"
#include "web.h"

#define NODES_MAX 10000 /* Of one answer. */

struct found {
	struct mc_map_node node;
	bool leaf, branch;
	char path[];
};

struct find {
	struct pattern glob;
	struct mc_map nodes;
	bool too_many;
};

static bool look(void *argument, const struct paths_one *one)
{
	struct find *find = argument;
	struct found *found;
	size_t size;

	if (!pattern_begins(&find->glob, one->path, &size))
		return true;
	found = (struct found *)mc_map_find(&find->nodes, one->path, size);
	if (found == NULL) {
		if (find->nodes.len == NODES_MAX) {
			find->too_many = true;
			return false;
		}
		found = mc_alloc_zero(sizeof(*found) + size + 1);
		memcpy(found->path, one->path, size);
		found->node.key = found->path;
		found->node.key_size = size;
		mc_map_add(&find->nodes, &found->node);
	}
	if (one->path[size] == '\0')
		found->leaf = true;
	else
		found->branch = true;
	return true;
}

static int by_path(const void *a, const void *b)
{
	const struct found *const *left = a, *const *right = b;

	return strcmp((*left)->path, (*right)->path);
}

static struct found **sorted(const struct mc_map *nodes)
{
	struct found **all = mc_alloc((nodes->len + 1) * sizeof(*all));
	size_t len = 0;

	for (struct mc_map_node *node = mc_map_next(nodes, NULL); node != NULL;
	     node = mc_map_next(nodes, node))
		all[len++] = (struct found *)node;
	qsort(all, len, sizeof(*all), by_path);
	return all;
}

/* --- The answers --------------------------------------------------------- */

static void print_node(struct mc_json *json, const struct found *found, bool branch)
{
	const char *dot = strrchr(found->path, '.');

	mc_json_map(json, NULL);
	mc_json_text(json, "text", dot != NULL ? dot + 1 : found->path);
	mc_json_text(json, "id", found->path);
	mc_json_signed(json, "leaf", !branch);
	mc_json_signed(json, "expandable", branch);
	mc_json_signed(json, "allowChildren", branch);
	mc_json_map(json, "context");
	mc_json_map_end(json);
	mc_json_map_end(json);
}

static void print_found(struct mc_json *json, const struct found *found)
{
	if (found->branch)
		print_node(json, found, true);
	if (found->leaf)
		print_node(json, found, false);
}

static void print_path(struct mc_json *json, const struct found *found)
{
	mc_json_text(json, NULL, found->path);
}

static void print_all(const struct find *find, struct mc_json *json,
		      void (*print)(struct mc_json *, const struct found *))
{
	struct found **all = sorted(&find->nodes);

	for (size_t i = 0; i < find->nodes.len; i++)
		print(json, all[i]);
	free(all);
}

static void answer_json_text(struct mc_httpd_request *request, const struct mc_json *json)
{
	size_t size;
	const char *bytes = mc_json_bytes(json, &size);

	answer_bytes(request, "application/json", bytes, size);
}

static void free_nodes(struct mc_map *nodes)
{
	struct mc_map_node *next;

	for (struct mc_map_node *node = mc_map_next(nodes, NULL); node != NULL; node = next) {
		next = mc_map_next(nodes, node);
		free(node);
	}
	mc_map_done(nodes);
}

/* False, and refused. */
static bool search(struct mc_httpd_request *request, struct find *find)
{
	struct parameters parameters;
	const char *query, *why = NULL;

	if (!parameters_init(&parameters, request))
		return false;
	query = parameters_get(&parameters, "query", 0);
	if (query == NULL) {
		why = "'query' is lacking: a pattern of paths";
	} else if (!pattern_init(&find->glob, query)) {
		why = "the pattern has too much in it";
	} else {
		paths_each(web_ctx(request), query, look, find);
		pattern_done(&find->glob);
		if (find->too_many)
			why = "too many paths match";
	}
	parameters_done(&parameters);
	if (why != NULL)
		answer_refuse(request, 400, why);
	return why == NULL;
}

void find_answer(struct mc_httpd_request *request)
{
	struct find find = { .too_many = false };

	if (search(request, &find)) {
		struct mc_json *json = mc_json_new(false);

		mc_json_list(json, NULL);
		print_all(&find, json, print_found);
		mc_json_list_end(json);
		answer_json_text(request, json);
		mc_json_free(json);
	}
	free_nodes(&find.nodes);
}

void find_expand(struct mc_httpd_request *request)
{
	struct find find = { .too_many = false };

	if (search(request, &find)) {
		struct mc_json *json = mc_json_new(false);

		mc_json_map(json, NULL);
		mc_json_list(json, "results");
		print_all(&find, json, print_path);
		mc_json_list_end(json);
		mc_json_map_end(json);
		answer_json_text(request, json);
		mc_json_free(json);
	}
	free_nodes(&find.nodes);
}
