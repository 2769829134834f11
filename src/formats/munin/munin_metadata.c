/* SPDX-License-Identifier: MIT */
#include "formats/munin/munin_metadata.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/kit/number.h>

#include "formats/munin/munin.h"
#include "formats/munin/munin_answers.h"

struct building {
	struct mc_metadata *metadata; /* Attributes and texts are after it. */
	struct mc_attribute *attributes;
	char *texts; /* Free space of them. */
};

static const char *add_text(struct building *building, const char *text, size_t size)
{
	char *copy = building->texts;

	memcpy(copy, text, size);
	copy[size] = '\0';
	building->texts += size + 1;
	return copy;
}

static const char *add_whole(struct building *building, const char *text)
{
	return text != NULL ? add_text(building, text, strlen(text)) : NULL;
}

static const char period[] = "${graph_period}", second[] = "second";

/* "bytes per ${graph_period}": the period is a second, but for drawing. */
static const char *add_unit(struct building *building, const char *vlabel)
{
	const char *at = vlabel != NULL ? strstr(vlabel, period) : NULL;
	const char *unit;

	if (at == NULL)
		return add_whole(building, vlabel);
	unit = add_text(building, vlabel, (size_t)(at - vlabel));
	building->texts--;
	add_whole(building, second);
	building->texts--;
	add_whole(building, at + strlen(period));
	return unit;
}

static void set_limits(struct mc_metadata *metadata, const struct munin_line *field)
{
	const char *warning = munin_lines_find(field, "warning");
	const char *critical = munin_lines_find(field, "critical");
	const char *unknown = munin_lines_find(field, "unknown_limit");
	uint64_t limit;

	metadata->warning = mc_munin_range(warning != NULL ? warning : "");
	metadata->failure = mc_munin_range(critical != NULL ? critical : "");
	metadata->unknown_after = MC_MUNIN_UNKNOWN_LIMIT + 1;
	if (unknown != NULL && mc_number_unsigned(unknown, 10, UINT32_MAX - 1, &limit))
		metadata->unknown_after = (unsigned)limit + 1;
}

/* Keys that metadata have no own field for, and that do not describe the graph. */
static bool is_attribute(const struct munin_line *line)
{
	static const char *const others[] = { "label", "warning", "critical", "unknown_limit" };

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (strcmp(line->key, others[i]) == 0)
			return false;
	return !mc_attribute_is_of_graph(line->key);
}

static void add_attribute(struct building *building, const struct munin_line *line)
{
	size_t len = building->metadata->attributes_len++;

	building->attributes[len] = (struct mc_attribute){
		add_whole(building, line->key),
		add_whole(building, line->text),
	};
}

/* "graph no" of the graph is that of each of its fields. */
static void add_attributes(struct building *building, const struct munin_line *graph,
			   const struct munin_line *field)
{
	const struct munin_line *line;

	for (line = graph; line != NULL; line = line->next)
		if (strcmp(line->key, "graph") != 0 || munin_lines_find(field, line->key) == NULL)
			add_attribute(building, line);
	for (line = field; line != NULL; line = line->next)
		if (is_attribute(line))
			add_attribute(building, line);
}

/* Adds what the texts of the lines take; returns how many lines there are. */
static size_t count(const struct munin_line *line, size_t *size)
{
	size_t len = 0;

	for (; line != NULL; line = line->next, len++)
		*size += strlen(line->key) + strlen(line->text) + 2;
	return len;
}

struct mc_metadata *munin_metadata_new(const struct munin_line *graph,
				       const struct munin_line *field, size_t *size)
{
	const char *vlabel = munin_lines_find(graph, "graph_vlabel");
	size_t texts = vlabel != NULL ? strlen(vlabel) + sizeof(second) : 0;
	size_t len = count(graph, &texts) + count(field, &texts);
	struct building building = { 0 };
	struct mc_metadata *metadata;

	*size = sizeof(*metadata) + len * sizeof(struct mc_attribute) + texts;
	metadata = building.metadata = mc_alloc_zero(*size);
	building.attributes = (struct mc_attribute *)&metadata[1];
	building.texts = (char *)&building.attributes[len];
	metadata->attributes = building.attributes;
	metadata->label = add_whole(&building, munin_lines_find(field, "label"));
	metadata->unit = add_unit(&building, vlabel);
	set_limits(metadata, field);
	add_attributes(&building, graph, field);
	return metadata;
}
