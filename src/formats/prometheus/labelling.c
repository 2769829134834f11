/* SPDX-License-Identifier: MIT */
#include "formats/prometheus/labelling.h"

#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

#include "formats/prometheus/naming.h"

#define SERVICE_NAME "service.name"
#define SERVICE_NAMESPACE "service.namespace"
#define SERVICE_INSTANCE "service.instance.id"

/* --- Series of ours ------------------------------------------------------- */

/* Whether both are one label: Prometheus takes nothing at all of a scrape in
 * which a sample has a label twice. */
static bool is_same(const char *a, const char *b)
{
	size_t i = 0;

	while (a[i] != '\0' && b[i] != '\0' &&
	       naming_character(a[i], i == 0) == naming_character(b[i], i == 0))
		i++;
	return a[i] == '\0' && b[i] == '\0';
}

/* That of the plugin's name; as Prometheus calls what a target has of a name that is taken. */
static const char *plugin_label(const struct labelling_of_series *labels)
{
	if (is_same(labels->plugin, "instance"))
		return "exported_instance";
	if (is_same(labels->plugin, "type"))
		return "exported_type";
	if (is_same(labels->plugin, "__name__"))
		return "exported_name";
	return labels->plugin;
}

/* Whether that one of 'more' is not to be added. */
static bool is_taken(const struct labelling_of_series *labels, unsigned number)
{
	const char *name = labels->more[number].name;

	for (unsigned i = 0; i < number; i++)
		if (is_same(name, labels->more[i].name))
			return true;
	return name[0] == '\0' || is_same(name, "instance") || is_same(name, "type") ||
	       is_same(name, "__name__") || is_same(name, plugin_label(labels));
}

void labelling_each(const struct labelling_of_series *labels, labelling_visit *visit,
		    void *argument)
{
	bool has_instance = labels->plugin_instance[0] != '\0';
	const char *plugin = plugin_label(labels);

	if (has_instance)
		visit(argument, plugin, labels->plugin_instance);
	if (labels->type_instance[0] != '\0')
		visit(argument, has_instance ? "type" : plugin, labels->type_instance);
	visit(argument, "instance", labels->host);
	for (unsigned i = 0; i < labels->more_len; i++)
		if (!is_taken(labels, i))
			visit(argument, labels->more[i].name, labels->more[i].value);
}

const char *labelling_value(const struct labelling_of_series *labels, const char *name)
{
	bool has_instance = labels->plugin_instance[0] != '\0';

	if (strcmp(name, "instance") == 0)
		return labels->host;
	if (is_same(name, plugin_label(labels)))
		return has_instance ? labels->plugin_instance : labels->type_instance;
	if (strcmp(name, "type") == 0)
		return has_instance ? labels->type_instance : "";
	for (unsigned i = 0; i < labels->more_len; i++)
		if (is_same(labels->more[i].name, name))
			return labels->more[i].value;
	return "";
}

/* --- Sets ----------------------------------------------------------------- */

/* Where the label is, or belongs. */
static size_t place_of(const struct labelling *labels, const char *name)
{
	size_t at = 0;

	while (at < labels->len && strcmp(labels->items[at].name, name) < 0)
		at++;
	return at;
}

static struct labelling_item *find_label(struct labelling *labels, const char *name)
{
	size_t at = place_of(labels, name);

	if (at < labels->len && strcmp(labels->items[at].name, name) == 0)
		return &labels->items[at];
	return NULL;
}

static void insert_label(struct labelling *labels, const char *name, const char *value)
{
	size_t at = place_of(labels, name);

	MC_ARRAY_GROW(labels->items, labels->len, labels->room);
	memmove(&labels->items[at + 1], &labels->items[at],
		(labels->len - at) * sizeof(labels->items[0]));
	labels->items[at].name = mc_alloc_copy(name);
	labels->items[at].value = mc_alloc_copy(value);
	labels->len++;
}

/* Adds it; in place of the one that is there. */
void labelling_set(struct labelling *labels, const char *name, const char *value)
{
	struct labelling_item *there = find_label(labels, name);

	if (there == NULL) {
		insert_label(labels, name, value);
		return;
	}
	free(there->value);
	there->value = mc_alloc_copy(value);
}

/* Adds it; values of names that become one are joined. */
static void join_label(struct labelling *labels, const struct mc_metric_label *label)
{
	char name[NAMING_SIZE], *joined;
	struct labelling_item *there;

	if (!naming_label(name, label->name))
		return;
	there = find_label(labels, name);
	if (there == NULL) {
		insert_label(labels, name, label->value);
		return;
	}
	joined = mc_alloc_printf("%s;%s", there->value, label->value);
	free(there->value);
	there->value = joined;
}

static void add_job(struct labelling *labels, const struct mc_metric_labels *resource)
{
	const char *name = mc_metric_label(resource, SERVICE_NAME);
	const char *space = mc_metric_label(resource, SERVICE_NAMESPACE);
	char *job;

	if (name == NULL)
		return;
	job = space != NULL ? mc_alloc_printf("%s/%s", space, name) : mc_alloc_copy(name);
	labelling_set(labels, "job", job);
	free(job);
}

/* Which target it is of.  Without an id of its instance, the label that it has, or the host. */
static void add_target(struct labelling *labels, const struct mc_metric_labels *resource,
		       const char *host)
{
	const char *id = mc_metric_label(resource, SERVICE_INSTANCE);

	add_job(labels, resource);
	if (id != NULL || find_label(labels, "instance") == NULL)
		labelling_set(labels, "instance", id != NULL ? id : host);
}

void labelling_of_metric(struct labelling *labels, const struct mc_metric *metric, const char *host)
{
	for (size_t i = 0; i < metric->labels.len; i++)
		join_label(labels, &metric->labels.items[i]);
	add_target(labels, &metric->resource, host);
}

static bool is_target(const char *name)
{
	return strcmp(name, SERVICE_NAME) == 0 || strcmp(name, SERVICE_NAMESPACE) == 0 ||
	       strcmp(name, SERVICE_INSTANCE) == 0;
}

bool labelling_is_of_target(const struct mc_metric *metric)
{
	return mc_metric_label(&metric->resource, SERVICE_NAME) != NULL ||
	       mc_metric_label(&metric->resource, SERVICE_INSTANCE) != NULL;
}

bool labelling_of_target(struct labelling *labels, const struct mc_metric *metric, const char *host)
{
	const struct mc_metric_labels *resource = &metric->resource;

	if (!labelling_is_of_target(metric))
		return false;
	for (size_t i = 0; i < resource->len; i++)
		if (!is_target(resource->items[i].name))
			join_label(labels, &resource->items[i]);
	if (labels->len == 0)
		return false;
	add_target(labels, resource, host);
	return true;
}

void labelling_done(struct labelling *labels)
{
	for (size_t i = 0; i < labels->len; i++) {
		free(labels->items[i].name);
		free(labels->items[i].value);
	}
	free(labels->items);
	*labels = (struct labelling){ 0 };
}
