/* SPDX-License-Identifier: MIT */
#include "point.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <collector/kit/alloc.h>
#include <collector/writer.h>

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

/* Counts have no unit: that of another part is the metric's. */
static void take_metadata(struct point *point, const struct mc_series *series,
			  enum mc_metric_part part)
{
	const struct mc_metadata *metadata;

	if (point->metadata != NULL && naming_is_of_count(part))
		return;
	metadata = mc_get_metadata(series, 0);
	if (metadata != NULL) {
		mc_release_metadata(point->metadata);
		point->metadata = metadata;
	}
	if (!naming_is_of_count(part) && point->sent_unit[0] == '\0')
		naming_sent_unit(point->sent_unit, mc_type(series), point->metadata);
}

static void take_name(struct point *point, const char *series)
{
	if (point->series != NULL && strcmp(point->series, series) <= 0)
		return;
	free(point->series);
	point->series = mc_alloc_copy(series);
}

static void take_seconds(struct point *point, struct point_number *number,
			 const struct mc_type *type)
{
	if (!naming_is_seconds(type))
		return;
	memcpy(point->sent_unit, "s", sizeof("s"));
	number->kind = MC_GAUGE;
	number->value.gauge = (double)number->value.derive / 1000;
}

void point_put(struct point *point, const struct point_number *number)
{
	MC_ARRAY_GROW(point->numbers, point->len, point->room);
	point->numbers[point->len++] = *number;
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
	take_seconds(point, &number, type);
	point_put(point, &number);
	return true;
}

struct point *point_of_convention(struct points *points, const struct mc_series *series,
				  const struct mc_convention *convention)
{
	const struct mc_type *type = mc_type(series);
	struct point *point = find_point(points, &convention->metric, mc_host(series));

	point->help = type->help != NULL && convention->divisor == 1 ? type->help : "";
	snprintf(point->sent_unit, sizeof(point->sent_unit), "%s", convention->unit);
	take_name(point, mc_name(series));
	return point;
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

/* --- The whole ------------------------------------------------------------ */

static void name_point(struct point *point)
{
	char name[NAMING_SIZE];

	naming_metric(name, &point->metric, point->sent_unit);
	point->name = mc_alloc_copy(name);
	naming_unit(point->unit, point->sent_unit);
}

/* Those of the host of a series of ours. */
static void add_host_labels(struct point *point)
{
	const struct mc_metric_labels *resource = &point->metric.resource;
	char name[NAMING_SIZE];

	for (size_t i = 0; i < resource->len; i++)
		if (naming_label(name, resource->items[i].name) && strcmp(name, "instance") != 0)
			labelling_set(&point->labels, name, resource->items[i].value);
}

void point_finish(struct point *point)
{
	sort_numbers(point);
	if (point->name != NULL)
		return; /* It is kept. */
	name_point(point);
	if (point->help != NULL)
		add_host_labels(point);
	labelling_of_metric(&point->labels, &point->metric, point->key.host);
}

static void free_point(struct point *point)
{
	mc_release_metric(&point->metric);
	mc_release_metadata(point->metadata);
	labelling_done(&point->labels);
	free(point->numbers);
	free(point->text);
	free(point->series);
	free(point->name);
	free(point);
}

void point_remove(struct points *points, struct point *point)
{
	if (points->last == point)
		points->last = NULL;
	mc_map_remove(&points->map, &point->node);
	free_point(point);
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
