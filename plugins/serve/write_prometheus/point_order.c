/* SPDX-License-Identifier: MIT */
#include "point_order.h"

#include <string.h>

enum point_shape point_order_shape(const struct point *point)
{
	switch (point->metric.kind) {
	case MC_METRIC_HISTOGRAM:
	case MC_METRIC_EXPONENTIAL_HISTOGRAM:
		return point->metric.delta ? POINT_DELTA : POINT_HISTOGRAM;
	case MC_METRIC_SUMMARY:
		return POINT_SUMMARY;
	case MC_METRIC_GAUGE:
	case MC_METRIC_COUNTER:
	case MC_METRIC_UP_DOWN_COUNTER:
		break;
	}
	return POINT_SIMPLE;
}

static int compare_labels(const struct point *a, const struct point *b)
{
	int order = (a->labels.len > b->labels.len) - (a->labels.len < b->labels.len);

	for (size_t i = 0; order == 0 && i < a->labels.len; i++) {
		order = strcmp(a->labels.items[i].name, b->labels.items[i].name);
		if (order == 0)
			order = strcmp(a->labels.items[i].value, b->labels.items[i].value);
	}
	return order;
}

static int compare_metrics(const struct point *a, const struct point *b)
{
	int order = strcmp(a->name, b->name);

	return order != 0 ? order : (int)point_order_shape(a) - (int)point_order_shape(b);
}

int point_order_compare(const void *a, const void *b)
{
	const struct point *left = *(const struct point *const *)a;
	const struct point *right = *(const struct point *const *)b;
	int order = compare_metrics(left, right);

	if (order == 0)
		order = compare_labels(left, right);
	return order != 0 ? order : strcmp(left->series, right->series);
}

enum point_relation point_order_relation(const struct point *before, const struct point *point)
{
	if (compare_metrics(before, point) != 0)
		return POINT_OF_OTHER_METRIC;
	return compare_labels(before, point) == 0 ? POINT_TWIN : POINT_OF_SAME_METRIC;
}
