/* SPDX-License-Identifier: MIT */
/* Two metrics of a sender may have the same name for Prometheus, which takes nothing of a scrape in
 * which a name has two types.  So each metric claims its names.  A histogram or summary of which
 * another metric has a name is shown without its type, number by number; all its names remain, so
 * that queries go on.  Samples that would have the same name and labels get one label more, which
 * names the series here. */
#include "foreign.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <collector/kit/alloc.h>

#include "foreign_family.h"
#include "target.h"

#define NAME_SIZE (NAMING_SIZE + 16) /* With a suffix. */

enum shape {
	SIMPLE,
	HISTOGRAM,
	DELTA, /* A histogram of what was added since the one before. */
	SUMMARY,
};

/* The suffixes of all names that a shape has. */
static const char *const claimed[][7] = {
	[SIMPLE] = { "" },
	[HISTOGRAM] = { "", "_bucket", "_count", "_sum", "_min", "_max" },
	[DELTA] = { "", "_bucket", "_count", "_sum", "_min", "_max" },
	[SUMMARY] = { "", "_count", "_sum" },
};

static enum shape shape_of(const struct point *point)
{
	switch (point->metric.kind) {
	case MC_METRIC_HISTOGRAM:
	case MC_METRIC_EXPONENTIAL_HISTOGRAM:
		return point->metric.delta ? DELTA : HISTOGRAM;
	case MC_METRIC_SUMMARY:
		return SUMMARY;
	case MC_METRIC_GAUGE:
	case MC_METRIC_COUNTER:
	case MC_METRIC_UP_DOWN_COUNTER:
		break;
	}
	return SIMPLE;
}

/* --- Claims --------------------------------------------------------------- */

struct claim {
	struct mc_map_node node;
	unsigned users;
	char name[];
};

static void claim_name(struct foreign *foreign, const char *name)
{
	size_t size = strlen(name);
	struct claim *claim = (struct claim *)mc_map_find(&foreign->claims, name, size);

	if (claim == NULL) {
		claim = mc_alloc_zero(sizeof(*claim) + size + 1);
		memcpy(claim->name, name, size);
		claim->node.key = claim->name;
		claim->node.key_size = size;
		mc_map_add(&foreign->claims, &claim->node);
	}
	claim->users++;
}

static unsigned users_of(const struct foreign *foreign, const char *name)
{
	const struct claim *claim =
		(const struct claim *)mc_map_find(&foreign->claims, name, strlen(name));

	return (claim != NULL ? claim->users : 0) + (foreign->own(foreign->argument, name) != NULL);
}

static void claim_names(struct foreign *foreign, const struct point *point)
{
	const char *const *suffix = claimed[shape_of(point)];
	char name[NAME_SIZE];

	for (; *suffix != NULL; suffix++) {
		snprintf(name, sizeof(name), "%s%s", point->name, *suffix);
		claim_name(foreign, name);
	}
}

/* Whether no other metric has one of its names. */
static bool is_alone(const struct foreign *foreign, const struct point *point)
{
	const char *const *suffix = claimed[shape_of(point)];
	char name[NAME_SIZE];
	bool alone = true;

	for (; alone && *suffix != NULL; suffix++) {
		snprintf(name, sizeof(name), "%s%s", point->name, *suffix);
		alone = users_of(foreign, name) == 1;
	}
	return alone;
}

/* --- Samples -------------------------------------------------------------- */

struct showing { /* A point. */
	struct foreign *foreign;
	const struct point *point;
	enum shape shape;
	bool alone, labelled;
	struct exposition_text labels; /* Without that of the part, and the '}'. */
	struct exposition_text whole;
	const char *name;  /* Of the present sample. */
	const char *label; /* "le" or "quantile", or NULL. */
	char bound[NAMING_BOUND_SIZE];
};

static const char *value_of(const void *argument, const char *label)
{
	const struct showing *showing = argument;
	const struct point *point = showing->point;

	if (strcmp(label, "__name__") == 0)
		return showing->name;
	if (showing->label != NULL && strcmp(label, showing->label) == 0)
		return showing->bound;
	if (showing->labelled && strcmp(label, LABELLING_SERIES) == 0)
		return point->series;
	for (size_t i = 0; i < point->labels.len; i++)
		if (strcmp(point->labels.items[i].name, label) == 0)
			return point->labels.items[i].value;
	return "";
}

static bool is_wanted(const struct showing *showing)
{
	const struct scrape_options *options = showing->foreign->options;

	for (unsigned i = 0; i < options->selectors_len; i++)
		if (selector_matches(options->selectors[i], value_of, showing))
			return true;
	return options->selectors_len == 0;
}

static enum exposition_type type_of(const struct showing *showing, enum mc_metric_part part)
{
	const struct mc_metric *metric = &showing->point->metric;

	if (showing->shape == SIMPLE)
		return metric->kind == MC_METRIC_COUNTER && !metric->delta ? EXPOSITION_COUNTER
									   : EXPOSITION_GAUGE;
	if (part == MC_METRIC_MIN || part == MC_METRIC_MAX || showing->shape == DELTA)
		return EXPOSITION_GAUGE;
	return EXPOSITION_UNTYPED;
}

/* A counter of OpenMetrics has a family without its "_total", which another metric may be. */
static bool is_clear_counter(const struct showing *showing)
{
	size_t size = strlen(showing->name) - strlen("_total");
	char name[NAME_SIZE];

	snprintf(name, sizeof(name), "%.*s", (int)size, showing->name);
	return showing->foreign->options->format == EXPOSITION_TEXT ||
	       !foreign_is_taken(showing->foreign, name);
}

/* Where its sample belongs. */
static struct exposition_text *text_of(const struct showing *showing, enum mc_metric_part part)
{
	struct foreign *foreign = showing->foreign;
	struct exposition_text *own = foreign->own(foreign->argument, showing->name);
	enum exposition_type type = type_of(showing, part);
	const char *name = showing->name;

	if (own != NULL)
		return own;
	if (showing->alone && type == EXPOSITION_UNTYPED) {
		name = showing->point->name;
		type = showing->shape == SUMMARY ? EXPOSITION_SUMMARY : EXPOSITION_HISTOGRAM;
	}
	if (type == EXPOSITION_COUNTER && !is_clear_counter(showing))
		type = EXPOSITION_UNTYPED;
	return foreign_family_text(&foreign->families, name, type, showing->point);
}

static void add_labels(struct showing *showing)
{
	const struct point *point = showing->point;

	for (size_t i = 0; i < point->labels.len; i++) {
		const char *name = point->labels.items[i].name;

		if (showing->labelled && strcmp(name, LABELLING_SERIES) == 0)
			continue;
		if (showing->shape != SIMPLE &&
		    strcmp(name, showing->shape == SUMMARY ? "quantile" : "le") == 0)
			continue;
		exposition_add_label(&showing->labels, name, point->labels.items[i].value);
	}
	if (showing->labelled)
		exposition_add_label(&showing->labels, LABELLING_SERIES, point->series);
}

static void show(struct showing *showing, const struct point_number *number)
{
	struct foreign *foreign = showing->foreign;
	char name[NAME_SIZE];

	snprintf(name, sizeof(name), "%s%s", showing->point->name, naming_suffix(number->part));
	showing->name = name;
	showing->label = number->part == MC_METRIC_BUCKET     ? "le"
			 : number->part == MC_METRIC_QUANTILE ? "quantile"
							      : NULL;
	naming_bound(showing->bound, number->bound);
	if (!is_wanted(showing))
		return;
	showing->whole.size = 0;
	exposition_add(&showing->whole, showing->labels.at, showing->labels.size);
	if (showing->label != NULL)
		exposition_add_label(&showing->whole, showing->label, showing->bound);
	exposition_add(&showing->whole, "}", 1);
	exposition_sample(text_of(showing, number->part), foreign->options->format,
			  &(struct exposition_sample){
				  .name = name,
				  .labels = showing->whole.at,
				  .labels_size = showing->whole.size,
				  .kind = number->kind,
				  .value = number->value,
				  .time = number->time,
			  });
}

/* All numbers are in the bucket that has no bound. */
static void show_count(struct showing *showing, const struct point_number *count)
{
	struct point_number all = *count;

	all.part = MC_METRIC_BUCKET;
	all.bound = INFINITY;
	if (showing->shape == HISTOGRAM || showing->shape == DELTA)
		show(showing, &all);
	show(showing, count);
}

static void show_point(struct foreign *foreign, const struct point *point, bool alone)
{
	struct showing showing = {
		.foreign = foreign,
		.point = point,
		.shape = shape_of(point),
		.alone = alone,
	};

	showing.labelled = point->twin || (!showing.alone && showing.shape != SIMPLE) ||
			   strcmp(point->name, TARGET_NAME) == 0 ||
			   foreign->own(foreign->argument, point->name) != NULL;
	add_labels(&showing);
	for (size_t i = 0; i < point->len; i++) {
		const struct point_number *number = &point->numbers[i];

		if ((number->part == MC_METRIC_VALUE) != (showing.shape == SIMPLE))
			continue; /* A plugin is wrong about it. */
		if (number->part == MC_METRIC_COUNT)
			show_count(&showing, number);
		else if (number->part != MC_METRIC_BUCKET || number->bound != INFINITY)
			show(&showing, number);
	}
	free(showing.labels.at);
	free(showing.whole.at);
}

/* --- All points ------------------------------------------------------------ */

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

	return order != 0 ? order : (int)shape_of(a) - (int)shape_of(b);
}

static int compare_points(const void *a, const void *b)
{
	const struct point *left = *(const struct point *const *)a;
	const struct point *right = *(const struct point *const *)b;
	int order = compare_metrics(left, right);

	if (order == 0)
		order = compare_labels(left, right);
	return order != 0 ? order : strcmp(left->series, right->series);
}

static struct point **sorted(struct points *points)
{
	struct point **all = mc_alloc_array(points->map.len, sizeof(*all));
	size_t len = 0;

	for (struct mc_map_node *node = mc_map_next(&points->map, NULL); node != NULL;
	     node = mc_map_next(&points->map, node)) {
		all[len] = (struct point *)node;
		point_finish(all[len++]);
	}
	qsort(all, len, sizeof(*all), compare_points);
	return all;
}

void foreign_sort(struct foreign *foreign)
{
	size_t len = foreign->points.map.len;
	struct point **all;
	bool alone = false;

	if (len == 0)
		return;
	all = sorted(&foreign->points);
	for (size_t i = 0; i < len; i++) {
		bool first = i == 0 || compare_metrics(all[i - 1], all[i]) != 0;

		all[i]->twin = !first && compare_labels(all[i - 1], all[i]) == 0;
		if (first)
			claim_names(foreign, all[i]);
	}
	for (size_t i = 0; i < len; i++) {
		if (i == 0 || compare_metrics(all[i - 1], all[i]) != 0)
			alone = is_alone(foreign, all[i]);
		show_point(foreign, all[i], alone);
	}
	target_show(&foreign->points, foreign->options, &foreign->families);
	free(all);
}

bool foreign_is_taken(const struct foreign *foreign, const char *name)
{
	return users_of(foreign, name) > 0;
}

void foreign_print(const struct foreign *foreign, struct exposition_text *text)
{
	foreign_family_print(&foreign->families, foreign->options->format, text);
}

void foreign_done(struct foreign *foreign)
{
	struct mc_map_node *node = mc_map_next(&foreign->claims, NULL), *next;

	for (; node != NULL; node = next) {
		next = mc_map_next(&foreign->claims, node);
		mc_map_remove(&foreign->claims, node);
		free(node);
	}
	mc_map_done(&foreign->claims);
	foreign_family_done(&foreign->families);
	point_done(&foreign->points);
}
