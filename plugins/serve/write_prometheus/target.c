/* SPDX-License-Identifier: MIT */
/* A join needs one sample for each job and instance: of several resources that have the same, the
 * one is shown whose labels are the first in order. */
#include "target.h"

#include <stddef.h>
#include <stdlib.h>

#include <collector/kit/alloc.h>

#include "foreign_family.h"

struct seen { /* A resource of a host. */
	struct mc_map_node node;
	struct seen_key {
		const void *resource;
		char host[POINT_HOST_SIZE];
	} key;
};

struct target {
	struct mc_map_node node; /* By job and instance. */
	struct labelling labels;
	char *key;
};

static const char *label_of(const struct labelling *labels, const char *name)
{
	for (size_t i = 0; i < labels->len; i++)
		if (strcmp(labels->items[i].name, name) == 0)
			return labels->items[i].value;
	return "";
}

static bool is_new(struct mc_map *all, const struct point *point)
{
	struct seen_key key = { point->metric.resource.items, "" };
	size_t host_size = strlen(point->key.host);
	size_t size = offsetof(struct seen_key, host) + host_size;
	struct seen *seen;

	memcpy(key.host, point->key.host, host_size);
	if (mc_map_find(all, &key, size) != NULL)
		return false;
	seen = mc_alloc_zero(sizeof(*seen));
	seen->key = key;
	seen->node.key = &seen->key;
	seen->node.key_size = size;
	mc_map_add(all, &seen->node);
	return true;
}

static bool is_before(const struct labelling *a, const struct labelling *b)
{
	int order = 0;

	for (size_t i = 0; order == 0 && i < a->len && i < b->len; i++) {
		order = strcmp(a->items[i].name, b->items[i].name);
		if (order == 0)
			order = strcmp(a->items[i].value, b->items[i].value);
	}
	return order != 0 ? order < 0 : a->len < b->len;
}

/* Takes over the labels. */
static void add(struct mc_map *targets, struct labelling *labels)
{
	char *key =
		mc_alloc_printf("%s\n%s", label_of(labels, "job"), label_of(labels, "instance"));
	struct target *target = (struct target *)mc_map_find(targets, key, strlen(key));

	if (target == NULL) {
		target = mc_alloc_zero(sizeof(*target));
		target->key = key;
		target->node.key = key;
		target->node.key_size = strlen(key);
		mc_map_add(targets, &target->node);
	} else {
		free(key);
		if (!is_before(labels, &target->labels)) {
			labelling_done(labels);
			return;
		}
		labelling_done(&target->labels);
	}
	target->labels = *labels;
}

/* --- Samples -------------------------------------------------------------- */

static const char *value_of(const void *argument, const char *label)
{
	const struct target *target = argument;

	return strcmp(label, "__name__") == 0 ? TARGET_NAME : label_of(&target->labels, label);
}

static bool is_wanted(const struct target *target, const struct scrape_options *options)
{
	for (unsigned i = 0; i < options->selectors_len; i++)
		if (selector_matches(options->selectors[i], value_of, target))
			return true;
	return options->selectors_len == 0;
}

static void show(const struct target *target, const struct scrape_options *options,
		 struct mc_map *families)
{
	struct exposition_text labels = { 0 };

	if (!is_wanted(target, options))
		return;
	for (size_t i = 0; i < target->labels.len; i++)
		exposition_add_label(&labels, target->labels.items[i].name,
				     target->labels.items[i].value);
	exposition_add(&labels, "}", 1);
	exposition_sample(foreign_family_text(families, TARGET_NAME, EXPOSITION_GAUGE, NULL),
			  options->format,
			  &(struct exposition_sample){
				  .name = TARGET_NAME,
				  .labels = labels.at,
				  .labels_size = labels.size,
				  .kind = MC_GAUGE,
				  .value = { .gauge = 1 },
			  });
	free(labels.at);
}

static int by_key(const void *a, const void *b)
{
	const struct target *const *left = a, *const *right = b;

	return strcmp((*left)->key, (*right)->key);
}

static void show_all(struct mc_map *targets, const struct scrape_options *options,
		     struct mc_map *families)
{
	struct target **all = mc_alloc_array(targets->len, sizeof(*all));
	size_t len = 0;

	for (struct mc_map_node *node = mc_map_next(targets, NULL); node != NULL;
	     node = mc_map_next(targets, node))
		all[len++] = (struct target *)node;
	qsort(all, len, sizeof(*all), by_key);
	for (size_t i = 0; i < len; i++) {
		show(all[i], options, families);
		mc_map_remove(targets, &all[i]->node);
		labelling_done(&all[i]->labels);
		free(all[i]->key);
		free(all[i]);
	}
	free(all);
}

static void free_seen(struct mc_map *all)
{
	struct mc_map_node *node = mc_map_next(all, NULL), *next;

	for (; node != NULL; node = next) {
		next = mc_map_next(all, node);
		mc_map_remove(all, node);
		free(node);
	}
	mc_map_done(all);
}

void target_show(struct point *const *points, size_t len, const struct scrape_options *options,
		 struct mc_map *families)
{
	struct mc_map seen = { 0 }, targets = { 0 };

	for (size_t i = 0; i < len; i++) {
		const struct point *point = points[i];
		struct labelling labels = { 0 };

		if (labelling_is_of_target(&point->metric) && is_new(&seen, point) &&
		    labelling_of_target(&labels, &point->metric, point->key.host))
			add(&targets, &labels);
	}
	show_all(&targets, options, families);
	mc_map_done(&targets);
	free_seen(&seen);
}
