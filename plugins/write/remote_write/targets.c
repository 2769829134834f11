/* SPDX-License-Identifier: MIT */
#include "targets.h"

#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

static const char *label_of(const struct labelling *labels, const char *name)
{
	for (size_t i = 0; i < labels->len; i++)
		if (strcmp(labels->items[i].name, name) == 0)
			return labels->items[i].value;
	return "";
}

static struct remote_write_series *describe(struct symbols *symbols,
					    const struct targets_about *target)
{
	struct remote_write_label labels[REMOTE_WRITE_LABELS_MAX];
	struct remote_write_about about = {
		.labels = labels,
		.type = REMOTE_WRITE_GAUGE,
		.help = "Target metadata",
		.tenant = target->tenant,
	};
	struct labelling *of_target = target->labels;

	labelling_set(of_target, "__name__", "target_info");
	for (; about.labels_len < of_target->len && about.labels_len < REMOTE_WRITE_LABELS_MAX;
	     about.labels_len++)
		labels[about.labels_len] =
			(struct remote_write_label){ of_target->items[about.labels_len].name,
						     of_target->items[about.labels_len].value };
	return remote_write_series_new(symbols, &about);
}

static struct target *make(struct mc_map *targets, const char *key)
{
	size_t size = strlen(key);
	struct target *target = mc_alloc_zero(sizeof(*target) + size + 1);

	memcpy(target->key, key, size);
	target->node.key = target->key;
	target->node.key_size = size;
	mc_map_add(targets, &target->node);
	return target;
}

struct target *targets_use(struct mc_map *targets, struct symbols *symbols,
			   const struct targets_about *about)
{
	char *key = mc_alloc_printf("%s\n%s\n%s", label_of(about->labels, "job"),
				    label_of(about->labels, "instance"),
				    about->tenant != NULL ? about->tenant : "");
	struct target *target = (struct target *)mc_map_find(targets, key, strlen(key));

	if (target == NULL) {
		target = make(targets, key);
		target->resource = about->resource;
		target->series = describe(symbols, about);
	}
	free(key);
	if (target->resource != about->resource)
		return NULL;
	target->users++;
	return target;
}

void targets_release(struct mc_map *targets, struct symbols *symbols, struct target *target)
{
	if (target == NULL || --target->users > 0)
		return;
	mc_map_remove(targets, &target->node);
	remote_write_series_free(symbols, target->series);
	free(target);
}
