/* SPDX-License-Identifier: MIT */
/* Sorting a batch under its metrics.  The tables keep their memory, so that it
 * is taken for the first large batch and then never again. */
#include "engine/otlp/otlp_sort.h"

#include <collector/writer.h>

#include <string.h>

#include "engine/otlp/foreign/otlp_foreign_point.h"
#include "engine/otlp/otlp_notes.h"
#include "formats/protobuf.h"
#include "model/series.h"

/* How many scopes of a resource, the newest first, are looked through. */
#define SCOPES_SEEN 16

/* Bytes that the parts take at most, without their texts. */
#define POINT_SIZE 42     /* Head, start, time, value, rate. */
#define ATTRIBUTE_SIZE 28 /* The longest key is "plugin_instance". */
#define METRIC_SIZE (96 + OTLP_UNIT_SIZE)
#define SCOPE_SIZE 40

static bool is_plugin(const struct otlp_scope *scope, const char *plugin)
{
	return strncmp(plugin, scope->plugin, scope->plugin_size + 1) == 0;
}

static uint32_t find_scope(struct mc_otlp_writer *writer, uint32_t of, const char *plugin)
{
	struct otlp_resource *resource = OTLP_AT(writer->resources, resource, of);
	uint32_t index = writer->resource == of ? writer->scope : 0;
	struct otlp_scope *scope;

	if (index != 0 && is_plugin(OTLP_AT(writer->scopes, scope, index), plugin))
		return index;
	index = resource->newest;
	for (unsigned i = 0; i < SCOPES_SEEN && index != 0; i++) {
		scope = OTLP_AT(writer->scopes, scope, index);
		if (is_plugin(scope, plugin))
			return index;
		index = scope->older;
	}
	index = otlp_sort_add(&writer->scopes, sizeof(*scope));
	scope = OTLP_AT(writer->scopes, scope, index);
	*scope = (struct otlp_scope){
		.plugin = plugin,
		.plugin_size = strlen(plugin),
		.older = resource->newest,
	};
	resource->newest = index;
	writer->size += SCOPE_SIZE + scope->plugin_size;
	return index;
}

static bool is_mixed(const struct mc_type *type)
{
	for (unsigned i = 1; i < type->sources_len; i++)
		if (type->sources[i].kind != type->sources[0].kind ||
		    otlp_sort_monotonic(&type->sources[i]) !=
			    otlp_sort_monotonic(&type->sources[0]))
			return true;
	return false;
}

/* Metadata of a source of a series; may be NULL. */
static const struct otlp_description *description_of(const struct mc_otlp_writer *writer,
						     uint32_t descriptions, unsigned source)
{
	return descriptions != 0 ? OTLP_AT(writer->descriptions, description, descriptions + source)
				 : NULL;
}

/* Whether the sources are known to be what those of another series are. */
static bool are_same(const struct mc_otlp_writer *writer, uint32_t a, uint32_t b, unsigned len)
{
	if (a == b)
		return true;
	if (a == 0 || b == 0)
		return false;
	for (unsigned i = 0; i < len; i++)
		if (!otlp_describe_is_same(description_of(writer, a, i),
					   description_of(writer, b, i)))
			return false;
	return true;
}

/* The index of what is known of the first source; 0: nothing is. */
static uint32_t describe(struct mc_otlp_writer *writer, const struct mc_series *series)
{
	struct otlp_table *table = &writer->descriptions;
	uint32_t len = mc_type(series)->sources_len, first = table->len + 1;

	for (uint32_t i = 0; i < len; i++)
		otlp_sort_add(table, sizeof(struct otlp_description));
	if (otlp_describe(OTLP_AT(*table, description, first), series))
		return first;
	table->len -= len;
	return 0;
}

static void add_descriptions(struct otlp_metric *metric, const struct mc_otlp_writer *writer)
{
	for (unsigned i = 0; i < metric->type->sources_len; i++) {
		metric->description_size +=
			otlp_describe_size(description_of(writer, metric->descriptions, i));
		if (!otlp_describe_is_same(description_of(writer, metric->descriptions, 0),
					   description_of(writer, metric->descriptions, i)))
			metric->mixed = true;
	}
}

static void init_metric(struct otlp_metric *metric, const struct mc_otlp_writer *writer,
			const struct mc_sample *sample, uint32_t descriptions)
{
	const struct mc_type *type = mc_type(sample->series);

	*metric = (struct otlp_metric){
		.type = type,
		.interval = sample->interval,
		.type_size = strlen(type->name),
		.descriptions = descriptions,
		.mixed = is_mixed(type),
	};
	if (descriptions != 0)
		add_descriptions(metric, writer);
	if (metric->mixed)
		metric->sample_size += metric->description_size;
	for (unsigned i = 0; i < type->sources_len; i++) {
		metric->sample_size += POINT_SIZE;
		if (type->sources_len > 1)
			metric->sample_size += ATTRIBUTE_SIZE + strlen(type->sources[i].name);
		if (metric->mixed)
			metric->sample_size += METRIC_SIZE + OTLP_PART_MAX + metric->type_size;
	}
}

/* Reuses the result for the type under another scope. */
static uint32_t find_metric(struct mc_otlp_writer *writer, uint32_t of,
			    const struct mc_sample *sample, uint32_t descriptions)
{
	const struct mc_type *type = mc_type(sample->series);
	uint32_t *seen = &writer->seen_types[((uintptr_t)type >> 5) % OTLP_SEEN];
	const struct otlp_metric *like = NULL;
	struct otlp_metric *metric;
	struct otlp_scope *scope;
	uint32_t index;

	if (*seen != 0) {
		like = OTLP_AT(writer->metrics, metric, *seen);
		if (like->type != type || like->interval != sample->interval ||
		    !are_same(writer, like->descriptions, descriptions, type->sources_len))
			like = NULL;
		else if (like->scope == of)
			return *seen;
	}
	index = otlp_sort_add(&writer->metrics, sizeof(*metric));
	metric = OTLP_AT(writer->metrics, metric, index);
	if (like != NULL)
		*metric = *OTLP_AT(writer->metrics, metric, *seen);
	else
		init_metric(metric, writer, sample, descriptions);
	*seen = index;
	scope = OTLP_AT(writer->scopes, scope, of);
	metric->scope = of;
	metric->newest = 0;
	metric->older = scope->newest;
	scope->newest = index;
	writer->size +=
		METRIC_SIZE + scope->plugin_size + metric->type_size + metric->description_size;
	return index;
}

/* Finds the instances in the name: it is put together from the five parts. */
static void init_entry(struct otlp_entry *entry, const char *instance,
		       const struct otlp_metric *metric)
{
	const char *end = instance;

	entry->plugin_instance_size = entry->type_instance_size = 0;
	if (*instance == '-') {
		entry->plugin_instance = instance + 1;
		end = strchr(instance, '/');
		entry->plugin_instance_size = (uint16_t)(end - instance - 1);
	}
	end += 1 + metric->type_size;
	if (*end == '-') {
		entry->type_instance = end + 1;
		entry->type_instance_size = (uint16_t)strlen(end + 1);
	}
}

/* Holds the labels of a series that has no other name; 0: it has none, or they fit into no request
 * beside the sample. */
static uint32_t hold_labels(struct mc_otlp_writer *writer, const struct mc_series *series)
{
	struct mc_metric metric;
	uint32_t index;
	size_t size;

	if (!mc_get_metric(series, &metric))
		return 0;
	size = otlp_foreign_labels_size(&metric.labels) * mc_type(series)->sources_len;
	if (metric.name[0] != '\0' || metric.labels.len == 0 ||
	    size > writer->size_max - MC_OTLP_SIZE_MIN) {
		mc_release_metric(&metric);
		return 0;
	}
	writer->size += size;
	index = otlp_sort_add(&writer->labelled, sizeof(metric));
	*OTLP_LABELLED_AT(writer, index) = metric;
	return index;
}

static size_t entry_size(const struct otlp_entry *entry, const struct otlp_metric *metric)
{
	size_t size = 0;

	if (entry->plugin_instance_size > 0)
		size += ATTRIBUTE_SIZE + entry->plugin_instance_size;
	if (entry->type_instance_size > 0)
		size += ATTRIBUTE_SIZE + entry->type_instance_size;
	return metric->sample_size + size * metric->type->sources_len;
}

bool otlp_sort_in(struct mc_otlp_writer *writer, const struct mc_sample *sample)
{
	uint16_t change = atomic_load(&sample->series->described);
	const char *name = sample->series->name;
	uint32_t at_resource = otlp_notes_host(writer, name);
	uint32_t at_scope = find_scope(writer, at_resource, mc_plugin(sample->series));
	uint32_t at_metric = find_metric(
		writer, at_scope, sample,
		change != 0 && !writer->encodings.rates ? describe(writer, sample->series) : 0);
	struct otlp_metric *metric = OTLP_AT(writer->metrics, metric, at_metric);
	uint32_t index = otlp_sort_add(&writer->entries, sizeof(struct otlp_entry));
	struct otlp_entry *entry = OTLP_AT(writer->entries, entry, index);

	writer->resource = at_resource;
	writer->scope = at_scope;
	init_entry(entry,
		   name + OTLP_AT(writer->resources, resource, at_resource)->host_size + 1 +
			   OTLP_AT(writer->scopes, scope, at_scope)->plugin_size,
		   metric);
	writer->size += entry_size(entry, metric);
	entry->labelled =
		change != 0 && !writer->encodings.rates ? hold_labels(writer, sample->series) : 0;
	if (writer->size > writer->size_max) {
		writer->entries.len--;
		return false;
	}
	entry->sample = sample;
	if (writer->learning)
		entry->place = otlp_notes_places(writer, sample, change);
	entry->older = metric->newest;
	metric->newest = index;
	return true;
}

void otlp_sort_begin(struct mc_otlp_writer *writer)
{
	writer->entries.len = writer->metrics.len = 0;
	writer->scopes.len = writer->resources.len = 0;
	writer->labels.size = 0;
	writer->places.len = writer->changes.len = writer->conversions.len = 0;
	writer->resource = writer->scope = 0;
	otlp_conventional_begin(writer->conventional);
	memset(writer->seen_hosts, 0, sizeof(writer->seen_hosts));
	memset(writer->seen_types, 0, sizeof(writer->seen_types));
	writer->size = 0;
}

void otlp_sort_end(struct mc_otlp_writer *writer)
{
	otlp_foreign_clear(writer);
	otlp_describe_release(writer->descriptions.items, writer->descriptions.len);
	writer->descriptions.len = 0;
	while (writer->labelled.len > 0)
		mc_release_metric(OTLP_LABELLED_AT(writer, writer->labelled.len--));
}
