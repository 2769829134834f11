/* SPDX-License-Identifier: MIT */
/* Facts about labels: the OpenTelemetry specification, "Prometheus and OpenMetrics Compatibility",
 * "Resource Attributes" and "Metric Attributes". */
#include "point.h"

#include <stddef.h>
#include <stdlib.h>

#include <collector/kit/alloc.h>
#include <collector/writer.h>

#include "formats/otlp/otlp_message.h"
#include "formats/otlp/otlp_unit.h"

#define SERVICE_NAME "service.name"
#define SERVICE_NAMESPACE "service.namespace"
#define SERVICE_INSTANCE "service.instance.id"

/* --- Numbers ------------------------------------------------------------- */

static bool is_point(const struct point *point, const struct mc_metric *metric, const char *host)
{
	return point != NULL && point->key.name == metric->name &&
	       point->key.labels == metric->labels.items &&
	       point->key.resource == metric->resource.items && strcmp(point->key.host, host) == 0;
}

static struct point *make_point(struct points *points, const struct point_key *key,
				const struct mc_metric *metric)
{
	struct point *point = mc_alloc_zero(sizeof(*point));

	point->key = *key;
	point->node.key = &point->key;
	point->node.key_size = offsetof(struct point_key, host) + strlen(key->host);
	point->metric = *metric;
	mc_map_add(&points->map, &point->node);
	return point;
}

/* Takes over the metric. */
static struct point *find_point(struct points *points, const struct mc_metric *metric,
				const char *host)
{
	struct point_key key = { metric->name, metric->labels.items, metric->resource.items, "" };
	size_t size = strnlen(host, POINT_HOST_SIZE - 1);
	struct point *point = points->last;

	if (!is_point(point, metric, host)) {
		memcpy(key.host, host, size);
		point = (struct point *)mc_map_find(&points->map, &key,
						    offsetof(struct point_key, host) + size);
	}
	if (point == NULL)
		point = make_point(points, &key, metric);
	else
		mc_release_metric(metric);
	points->last = point;
	return point;
}

static bool is_of_count(enum mc_metric_part part)
{
	return part == MC_METRIC_COUNT || part == MC_METRIC_BUCKET;
}

/* As OpenTelemetry spells it. */
static void take_unit(struct point *point, const struct mc_type *type)
{
	const struct mc_metadata of_type = { .unit = type->unit != NULL ? type->unit : "" };
	bool has_unit = point->metadata != NULL && point->metadata->unit[0] != '\0';
	bool spelled = mc_metadata_attribute(point->metadata, OTLP_UNIT_SPELLING) != NULL;
	size_t size = otlp_unit_of_metadata(point->sent_unit,
					    has_unit || spelled ? point->metadata : &of_type,
					    type->sources[0].kind != MC_GAUGE);

	point->sent_unit[size] = '\0';
}

/* Counts have no unit: that of another part is the metric's. */
static void take_metadata(struct point *point, const struct mc_series *series,
			  enum mc_metric_part part)
{
	const struct mc_metadata *metadata;

	if (point->metadata != NULL && is_of_count(part))
		return;
	metadata = mc_get_metadata(series, 0);
	if (metadata != NULL) {
		mc_release_metadata(point->metadata);
		point->metadata = metadata;
	}
	if (!is_of_count(part) && point->sent_unit[0] == '\0')
		take_unit(point, mc_type(series));
}

static void take_name(struct point *point, const char *series)
{
	if (point->series != NULL && strcmp(point->series, series) <= 0)
		return;
	free(point->series);
	point->series = mc_alloc_copy(series);
}

/* Seconds with a fraction were sent by OTLP, and are kept in milliseconds. */
static void take_seconds(struct point *point, struct point_number *number, const char *type)
{
	if (number->kind != MC_DERIVE || strcmp(type, OTLP_TYPE_SECONDS) != 0)
		return;
	memcpy(point->sent_unit, "s", sizeof("s"));
	number->kind = MC_GAUGE;
	number->value.gauge = (double)number->value.derive / 1000;
}

bool point_add(struct points *points, const struct mc_series *series,
	       const struct mc_metric *metric, const struct mc_latest *latest, mc_time time)
{
	const struct mc_type *type = mc_type(series);
	struct point_number number = {
		.part = metric->part,
		.kind = type->sources[0].kind,
		.value = latest->values[0],
		.time = time,
	};
	struct point *point;

	if (type->sources_len != 1 || !naming_has_name(metric))
		return false;
	if (metric->part == MC_METRIC_BUCKET || metric->part == MC_METRIC_QUANTILE)
		number.bound = metric->bound;
	point = find_point(points, metric, mc_host(series));
	take_metadata(point, series, number.part);
	take_name(point, mc_name(series));
	take_seconds(point, &number, type->name);
	MC_ARRAY_GROW(point->numbers, point->len, point->room);
	point->numbers[point->len++] = number;
	return true;
}

/* NaN is after all others. */
static int compare_bounds(double a, double b)
{
	if (a != a || b != b)
		return (a != a) - (b != b);
	return (a > b) - (a < b);
}

/* In which parts are shown: buckets or quantiles first. */
static const uint8_t order[] = {
	[MC_METRIC_VALUE] = 0, [MC_METRIC_QUANTILE] = 1, [MC_METRIC_BUCKET] = 2,
	[MC_METRIC_COUNT] = 3, [MC_METRIC_SUM] = 4,      [MC_METRIC_MIN] = 5,
	[MC_METRIC_MAX] = 6,
};

static int compare_numbers(const void *a, const void *b)
{
	const struct point_number *left = a, *right = b;

	if (left->part != right->part)
		return order[left->part] - order[right->part];
	return compare_bounds(left->bound, right->bound);
}

/* Of a number that two series have, as after a change of its type, the newer one stays. */
static void sort_numbers(struct point *point)
{
	size_t len = 0;

	qsort(point->numbers, point->len, sizeof(point->numbers[0]), compare_numbers);
	for (size_t i = 0; i < point->len; i++) {
		struct point_number *last = len > 0 ? &point->numbers[len - 1] : NULL;

		if (last == NULL || compare_numbers(last, &point->numbers[i]) != 0)
			point->numbers[len++] = point->numbers[i];
		else if (last->time < point->numbers[i].time)
			*last = point->numbers[i];
	}
	point->len = len;
}

/* --- Labels -------------------------------------------------------------- */

struct label_list {
	struct point_label *items; /* Sorted by name. */
	size_t len, room;
};

/* Where the label is, or belongs. */
static size_t place_of(const struct label_list *list, const char *name)
{
	size_t at = 0;

	while (at < list->len && strcmp(list->items[at].name, name) < 0)
		at++;
	return at;
}

static struct point_label *find_label(struct label_list *list, const char *name)
{
	size_t at = place_of(list, name);

	if (at < list->len && strcmp(list->items[at].name, name) == 0)
		return &list->items[at];
	return NULL;
}

static void insert_label(struct label_list *list, const char *name, const char *value)
{
	size_t at = place_of(list, name);

	MC_ARRAY_GROW(list->items, list->len, list->room);
	memmove(&list->items[at + 1], &list->items[at], (list->len - at) * sizeof(list->items[0]));
	list->items[at].name = mc_alloc_copy(name);
	list->items[at].value = mc_alloc_copy(value);
	list->len++;
}

/* Adds it; in place of the one that is there. */
static void set_label(struct label_list *list, const char *name, const char *value)
{
	struct point_label *there = find_label(list, name);

	if (there == NULL) {
		insert_label(list, name, value);
		return;
	}
	free(there->value);
	there->value = mc_alloc_copy(value);
}

/* Adds it; values of names that become one are joined. */
static void join_label(struct label_list *list, const struct mc_metric_label *label)
{
	char name[NAMING_SIZE], *joined;
	struct point_label *there;

	if (!naming_label(name, label->name))
		return;
	there = find_label(list, name);
	if (there == NULL) {
		insert_label(list, name, label->value);
		return;
	}
	joined = mc_alloc_printf("%s;%s", there->value, label->value);
	free(there->value);
	there->value = joined;
}

static void add_job(struct label_list *list, const struct mc_metric_labels *resource)
{
	const char *name = mc_metric_label(resource, SERVICE_NAME);
	const char *space = mc_metric_label(resource, SERVICE_NAMESPACE);
	char *job;

	if (name == NULL)
		return;
	job = space != NULL ? mc_alloc_printf("%s/%s", space, name) : mc_alloc_copy(name);
	set_label(list, "job", job);
	free(job);
}

/* Which target it is of.  Without an id of its instance, the label that it has, or the host. */
static void add_target(struct label_list *list, const struct point *point)
{
	const struct mc_metric_labels *resource = &point->metric.resource;
	const char *id = mc_metric_label(resource, SERVICE_INSTANCE);

	add_job(list, resource);
	if (id != NULL || find_label(list, "instance") == NULL)
		set_label(list, "instance", id != NULL ? id : point->key.host);
}

static bool is_target(const char *name)
{
	return strcmp(name, SERVICE_NAME) == 0 || strcmp(name, SERVICE_NAMESPACE) == 0 ||
	       strcmp(name, SERVICE_INSTANCE) == 0;
}

size_t point_target(const struct point *point, struct point_label **labels)
{
	const struct mc_metric_labels *resource = &point->metric.resource;
	struct label_list list = { NULL, 0, 0 };

	if (mc_metric_label(resource, SERVICE_NAME) == NULL &&
	    mc_metric_label(resource, SERVICE_INSTANCE) == NULL)
		return 0;
	for (size_t i = 0; i < resource->len; i++)
		if (!is_target(resource->items[i].name))
			join_label(&list, &resource->items[i]);
	if (list.len == 0)
		return 0;
	add_target(&list, point);
	*labels = list.items;
	return list.len;
}

void point_free_labels(struct point_label *labels, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		free(labels[i].name);
		free(labels[i].value);
	}
	free(labels);
}

/* --- The whole ------------------------------------------------------------ */

static void name_point(struct point *point)
{
	char name[NAMING_SIZE];

	naming_metric(name, &point->metric, point->sent_unit);
	point->name = mc_alloc_copy(name);
	naming_unit(point->unit, point->sent_unit);
}

void point_finish(struct point *point)
{
	const struct mc_metric_labels *labels = &point->metric.labels;
	struct label_list list = { NULL, 0, 0 };

	sort_numbers(point);
	name_point(point);
	for (size_t i = 0; i < labels->len; i++)
		join_label(&list, &labels->items[i]);
	add_target(&list, point);
	point->labels = list.items;
	point->labels_len = list.len;
}

static void free_point(struct point *point)
{
	mc_release_metric(&point->metric);
	mc_release_metadata(point->metadata);
	point_free_labels(point->labels, point->labels_len);
	free(point->numbers);
	free(point->series);
	free(point->name);
	free(point);
}

void point_done(struct points *points)
{
	struct mc_map_node *node = mc_map_next(&points->map, NULL), *next;

	for (; node != NULL; node = next) {
		next = mc_map_next(&points->map, node);
		mc_map_remove(&points->map, node);
		free_point((struct point *)node);
	}
	mc_map_done(&points->map);
}
