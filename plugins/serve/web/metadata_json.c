/* SPDX-License-Identifier: MIT */
#include "metadata_json.h"

#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/metadata.h>

#include "kit/base/report.h"

#include "report_json.h"

/* The next attribute of the graph, from 'at' on; NULL: that was all. */
static const struct mc_attribute *next_of_graph(const struct mc_metadata *metadata, size_t *at)
{
	while (*at < metadata->attributes_len) {
		const struct mc_attribute *attribute = &metadata->attributes[(*at)++];

		if (mc_attribute_is_of_graph(attribute->name))
			return attribute;
	}
	return NULL;
}

static bool have_same_graph(const struct mc_metadata *a, const struct mc_metadata *b)
{
	size_t at = 0, bt = 0;

	for (;;) {
		const struct mc_attribute *left = next_of_graph(a, &at);
		const struct mc_attribute *right = next_of_graph(b, &bt);

		if (left == NULL || right == NULL)
			return left == right;
		if (strcmp(left->name, right->name) != 0 || strcmp(left->value, right->value) != 0)
			return false;
	}
}

/* The number of the graph: by their names, series of one are neighbours. */
static size_t find_graph(struct metadata_json *state, const struct mc_metadata *metadata)
{
	if (state->graphs_len == 0 ||
	    !have_same_graph(state->graphs[state->graphs_len - 1], metadata)) {
		MC_ARRAY_GROW(state->graphs, state->graphs_len, state->graphs_room);
		state->graphs[state->graphs_len++] = metadata;
	} else {
		mc_release_metadata(metadata);
	}
	return state->graphs_len - 1;
}

static void add_attributes(struct mc_json *json, const struct mc_metadata *metadata, bool of_graph)
{
	for (size_t i = 0; i < metadata->attributes_len; i++)
		if (mc_attribute_is_of_graph(metadata->attributes[i].name) == of_graph)
			mc_json_text(json, metadata->attributes[i].name,
				     metadata->attributes[i].value);
}

/* Takes over the reference to 'metadata'. */
static void add(struct metadata_json *state, const char *source, const struct mc_metadata *metadata)
{
	struct report_json report = report_json(state->json);
	size_t at = 0;

	mc_json_map(state->json, NULL);
	mc_report_metadata_of(&report.base, source, metadata);
	mc_json_map(state->json, "attributes");
	add_attributes(state->json, metadata, false);
	mc_json_map_end(state->json);
	if (next_of_graph(metadata, &at) != NULL)
		mc_json_unsigned(state->json, "graph", find_graph(state, metadata));
	else
		mc_release_metadata(metadata);
	mc_json_map_end(state->json);
}

void metadata_json_add(struct metadata_json *state, const struct mc_series *series)
{
	const struct mc_type *type = mc_type(series);
	bool any = false;

	for (unsigned i = 0; i < type->sources_len; i++) {
		const struct mc_metadata *metadata = mc_get_metadata(series, i);

		if (metadata == NULL)
			continue;
		if (!any)
			mc_json_list(state->json, "metadata");
		any = true;
		add(state, type->sources[i].name, metadata);
	}
	if (any)
		mc_json_list_end(state->json);
}

void metadata_json_graphs(struct metadata_json *state)
{
	mc_json_list(state->json, "graphs");
	for (size_t i = 0; i < state->graphs_len; i++) {
		mc_json_map(state->json, NULL);
		add_attributes(state->json, state->graphs[i], true);
		mc_json_map_end(state->json);
	}
	mc_json_list_end(state->json);
}

void metadata_json_done(struct metadata_json *state)
{
	for (size_t i = 0; i < state->graphs_len; i++)
		mc_release_metadata(state->graphs[i]);
	free(state->graphs);
}
