/* SPDX-License-Identifier: MIT */
#include "foreign_family.h"

#include <stdio.h>
#include <stdlib.h>

#include <collector/kit/alloc.h>

struct family {
	struct mc_map_node node; /* By name. */
	enum exposition_type type;
	const struct point *point; /* The first. */
	bool differs;              /* Others have another help. */
	struct exposition_text samples;
	char name[];
};

static const char *description_of(const struct point *point)
{
	const char *info = mc_metadata_attribute(point->metadata, "info");

	if (info == NULL)
		info = point->help;
	if (info == NULL)
		info = point->metric.help;
	return info != NULL ? info : "";
}

static struct family *make(struct mc_map *families, const char *name, enum exposition_type type,
			   const struct point *point)
{
	size_t size = strlen(name);
	struct family *family = mc_alloc_zero(sizeof(*family) + size + 1);

	memcpy(family->name, name, size);
	family->node.key = family->name;
	family->node.key_size = size;
	family->type = type;
	family->point = point;
	mc_map_add(families, &family->node);
	return family;
}

struct exposition_text *foreign_family_text(struct mc_map *families, const char *name,
					    enum exposition_type type, const struct point *point)
{
	struct family *family = (struct family *)mc_map_find(families, name, strlen(name));

	if (family == NULL)
		family = make(families, name, type, point);
	if (family->type != type)
		family->type = EXPOSITION_UNTYPED;
	if (family->point != point && family->point != NULL && point != NULL)
		family->differs |=
			strcmp(description_of(point), description_of(family->point)) != 0;
	return &family->samples;
}

/* Without a description it is good to know the name that was sent. */
static void add_head(struct exposition_text *text, enum exposition_format format,
		     const struct family *family)
{
	const struct point *point = family->point;
	char help[MC_METRIC_NAME_SIZE + 32] = "Target metadata";
	struct exposition_family about = {
		.name = family->name,
		.help = help,
		.unit = point != NULL ? point->unit : "",
		.type = family->type,
	};

	if (point != NULL && (family->differs || description_of(point)[0] == '\0'))
		snprintf(help, sizeof(help), "%s '%s'.",
			 point->help != NULL ? "OpenTelemetry's" : "Sent as", point->metric.name);
	else if (point != NULL)
		about.help = description_of(point);
	exposition_family(text, format, &about);
}

static int by_name(const void *a, const void *b)
{
	const struct family *const *left = a, *const *right = b;

	return strcmp((*left)->name, (*right)->name);
}

void foreign_family_print(const struct mc_map *families, enum exposition_format format,
			  struct exposition_text *text)
{
	struct family **all = mc_alloc_array(families->len, sizeof(*all));
	size_t len = 0;

	for (struct mc_map_node *node = mc_map_next(families, NULL); node != NULL;
	     node = mc_map_next(families, node))
		all[len++] = (struct family *)node;
	qsort(all, len, sizeof(*all), by_name);
	for (size_t i = 0; i < len; i++) {
		add_head(text, format, all[i]);
		exposition_add(text, all[i]->samples.at, all[i]->samples.size);
	}
	free(all);
}

void foreign_family_done(struct mc_map *families)
{
	struct mc_map_node *node = mc_map_next(families, NULL), *next;

	for (; node != NULL; node = next) {
		next = mc_map_next(families, node);
		mc_map_remove(families, node);
		free(((struct family *)node)->samples.at);
		free(node);
	}
	mc_map_done(families);
}
