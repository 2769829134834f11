/* SPDX-License-Identifier: MIT */
#include "engine/otlp/otlp_notes.h"

#include <string.h>

#include "model/series.h"

/* Bytes that the parts take at most, without their texts. */
#define RESOURCE_SIZE 40
#define LABELS_HEADS 4 /* By which they make the sizes longer. */

/* A host ends where the name has its first '/'. */
static bool is_host(const struct otlp_resource *resource, const char *name)
{
	return strncmp(name, resource->host, resource->host_size) == 0 &&
	       name[resource->host_size] == '/';
}

static uint32_t *seen_host(struct mc_otlp_writer *writer, const char *host, size_t size)
{
	uint32_t hash = (uint32_t)size;

	for (size_t i = size > 8 ? size - 8 : 0; i < size; i++)
		hash = hash * 31 + (unsigned char)host[i];
	return &writer->seen_hosts[hash % OTLP_SEEN];
}

/* Written while sorting, because they may be others when all is written. */
static void add_labels(struct mc_otlp_writer *writer, struct otlp_resource *resource)
{
	resource->labels_size =
		otlp_labels_add(&writer->labels, resource->host, resource->host_size);
	resource->labels = writer->labels.size - resource->labels_size;
	if (resource->labels_size > 0)
		writer->size += LABELS_HEADS + resource->labels_size;
}

uint32_t otlp_notes_host(struct mc_otlp_writer *writer, const char *name)
{
	struct otlp_resource *resource;
	uint32_t *seen;
	size_t size;

	if (writer->resource != 0 &&
	    is_host(OTLP_AT(writer->resources, resource, writer->resource), name))
		return writer->resource;
	size = strchr(name, '/') - name;
	seen = seen_host(writer, name, size);
	if (*seen != 0 && is_host(OTLP_AT(writer->resources, resource, *seen), name))
		return *seen;
	*seen = otlp_sort_add(&writer->resources, sizeof(*resource));
	resource = OTLP_AT(writer->resources, resource, *seen);
	*resource = (struct otlp_resource){ .host = name, .host_size = size };
	writer->size += RESOURCE_SIZE + size;
	add_labels(writer, resource);
	return *seen;
}

uint32_t otlp_notes_places(struct mc_otlp_writer *writer, const struct mc_sample *sample,
			   uint16_t change)
{
	unsigned len = mc_type(sample->series)->sources_len;
	uint32_t index = otlp_sort_add(&writer->changes, sizeof(change)),
		 first = writer->places.len;

	((uint16_t *)writer->changes.items)[index - 1] = change;
	for (unsigned i = 0; i < len; i++)
		otlp_sort_add(&writer->places, sizeof(uint32_t));
	for (unsigned i = 0; i < len && writer->conventional != NULL; i++) {
		index = otlp_sort_add(&writer->conversions, sizeof(struct otlp_conversion));
		((struct otlp_conversion *)writer->conversions.items)[index - 1] =
			(struct otlp_conversion){ 0 };
	}
	return first;
}
