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
#include "point_order.h"
#include "target.h"

#define NAME_SIZE (NAMING_SIZE + 16) /* With a suffix. */

/* The suffixes of all names that a shape has. */
static const char *const claimed[][7] = {
	[POINT_SIMPLE] = { "" },
	[POINT_HISTOGRAM] = { "", "_bucket", "_count", "_sum", "_min", "_max" },
	[POINT_DELTA] = { "", "_bucket", "_count", "_sum", "_min", "_max" },
	[POINT_SUMMARY] = { "", "_count", "_sum" },
};

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
	const char *const *suffix = claimed[point_order_shape(point)];
	char name[NAME_SIZE];

	for (; *suffix != NULL; suffix++) {
		snprintf(name, sizeof(name), "%s%s", point->name, *suffix);
		claim_name(foreign, name);
	}
}

/* Whether no other metric has one of its names. */
static bool is_alone(const struct foreign *foreign, const struct point *point)
{
	const char *const *suffix = claimed[point_order_shape(point)];
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
	enum point_shape shape;
	bool alone, labelled;
	bool ready;                    /* The point has a text of its labels, which is used. */
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

	if (showing->shape == POINT_SIMPLE)
		return metric->kind == MC_METRIC_COUNTER && !metric->delta ? EXPOSITION_COUNTER
									   : EXPOSITION_GAUGE;
	if (part == MC_METRIC_MIN || part == MC_METRIC_MAX || showing->shape == POINT_DELTA)
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

static struct exposition_text *find_text(const struct showing *showing, enum mc_metric_part part)
{
	struct foreign *foreign = showing->foreign;
	struct exposition_text *own = foreign->own(foreign->argument, showing->name);
	enum exposition_type type = type_of(showing, part);
	const char *name = showing->name;

	if (own != NULL)
		return own;
	if (showing->alone && type == EXPOSITION_UNTYPED) {
		name = showing->point->name;
		type = showing->shape == POINT_SUMMARY ? EXPOSITION_SUMMARY : EXPOSITION_HISTOGRAM;
	}
	if (type == EXPOSITION_COUNTER && !is_clear_counter(showing))
		type = EXPOSITION_UNTYPED;
	return foreign_family_text(&foreign->families, name, type, showing->point);
}

/* Where its sample belongs: for points of ours that follow each other it is found once. */
static struct exposition_text *text_of(const struct showing *showing, enum mc_metric_part part)
{
	struct foreign_last *last = &showing->foreign->last;
	const struct point *point = showing->point;

	if (!showing->ready)
		return find_text(showing, part);
	if (point->relation == POINT_OF_OTHER_METRIC || last->help != point->help ||
	    last->kind != point->metric.kind)
		*last = (struct foreign_last){ find_text(showing, part), point->help,
					       point->metric.kind };
	return last->text;
}

static void add_labels(struct showing *showing)
{
	const struct point *point = showing->point;

	for (size_t i = 0; i < point->labels.len; i++) {
		const char *name = point->labels.items[i].name;

		if (showing->labelled && strcmp(name, LABELLING_SERIES) == 0)
			continue;
		if (showing->shape != POINT_SIMPLE &&
		    strcmp(name, showing->shape == POINT_SUMMARY ? "quantile" : "le") == 0)
			continue;
		exposition_add_label(&showing->labels, name, point->labels.items[i].value);
	}
	if (showing->labelled)
		exposition_add_label(&showing->labels, LABELLING_SERIES, point->series);
}

static void print(struct showing *showing, const struct point_number *number)
{
	struct exposition_sample sample = {
		.name = showing->name,
		.labels = showing->point->text,
		.labels_size = showing->point->text_size,
		.kind = number->kind,
		.value = number->value,
		.time = number->time,
	};

	if (!showing->ready) {
		showing->whole.size = 0;
		exposition_add(&showing->whole, showing->labels.at, showing->labels.size);
		if (showing->label != NULL)
			exposition_add_label(&showing->whole, showing->label, showing->bound);
		exposition_add(&showing->whole, "}", 1);
		sample.labels = showing->whole.at;
		sample.labels_size = showing->whole.size;
	}
	exposition_sample(text_of(showing, number->part), showing->foreign->options->format,
			  &sample);
}

static void show(struct showing *showing, const struct point_number *number)
{
	const char *suffix = naming_suffix(number->part);
	char name[NAME_SIZE];

	showing->name = showing->point->name;
	if (suffix[0] != '\0') {
		snprintf(name, sizeof(name), "%s%s", showing->point->name, suffix);
		showing->name = name;
	}
	showing->label = number->part == MC_METRIC_BUCKET     ? "le"
			 : number->part == MC_METRIC_QUANTILE ? "quantile"
							      : NULL;
	if (showing->label != NULL)
		naming_bound(showing->bound, number->bound);
	if (is_wanted(showing))
		print(showing, number);
}

/* All numbers are in the bucket that has no bound. */
static void show_count(struct showing *showing, const struct point_number *count)
{
	struct point_number all = *count;

	all.part = MC_METRIC_BUCKET;
	all.bound = INFINITY;
	if (showing->shape == POINT_HISTOGRAM || showing->shape == POINT_DELTA)
		show(showing, &all);
	show(showing, count);
}

struct metric_state {
	bool alone; /* No other metric has one of its names. */
	bool owned; /* A family of ours has its name. */
};

static struct metric_state state_of(const struct foreign *foreign, const struct point *point)
{
	return (struct metric_state){
		.alone = is_alone(foreign, point),
		.owned = foreign->own(foreign->argument, point->name) != NULL,
	};
}

static void show_point(struct foreign *foreign, const struct point *point,
		       struct metric_state state)
{
	struct showing showing = {
		.foreign = foreign,
		.point = point,
		.shape = point_order_shape(point),
		.alone = state.alone,
	};

	showing.labelled = point->relation == POINT_TWIN ||
			   (!showing.alone && showing.shape != POINT_SIMPLE) || state.owned ||
			   strcmp(point->name, TARGET_NAME) == 0;
	showing.ready = point->text != NULL && !showing.labelled;
	if (!showing.ready)
		add_labels(&showing);
	for (size_t i = 0; i < point->len; i++) {
		const struct point_number *number = &point->numbers[i];

		if ((number->part == MC_METRIC_VALUE) != (showing.shape == POINT_SIMPLE))
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

/* Those of others, in their order. */
static struct point **sorted(struct points *points)
{
	struct point **all = mc_alloc_array(points->map.len, sizeof(*all));
	size_t len = 0;

	for (struct mc_map_node *node = mc_map_next(&points->map, NULL); node != NULL;
	     node = mc_map_next(&points->map, node)) {
		all[len] = (struct point *)node;
		point_finish(all[len++]);
	}
	qsort(all, len, sizeof(*all), point_order_compare);
	return all;
}

/* Relations among ours are known. */
static void relate(struct point *point, const struct point *before, bool both_ours)
{
	if (both_ours)
		point->relation = point->kept_relation;
	else if (before != NULL)
		point->relation = point_order_relation(before, point);
	else
		point->relation = POINT_OF_OTHER_METRIC;
}

/* Those of others and ours in one order, related to each other. */
static struct point **merged(struct foreign *foreign, size_t *len)
{
	struct point *const *ours = foreign->ours;
	size_t theirs_len = foreign->points.map.len, ours_len = foreign->ours_len;
	struct point **theirs = sorted(&foreign->points);
	struct point **all = mc_alloc_array(theirs_len + ours_len, sizeof(*all));
	bool is_ours = false;

	*len = theirs_len + ours_len;
	for (size_t i = 0, at = 0, ours_at = 0; i < *len; i++) {
		bool was_ours = is_ours;

		is_ours =
			at == theirs_len || (ours_at < ours_len &&
					     point_order_compare(&ours[ours_at], &theirs[at]) <= 0);
		all[i] = is_ours ? ours[ours_at++] : theirs[at++];
		relate(all[i], i > 0 ? all[i - 1] : NULL, is_ours && was_ours);
	}
	free(theirs);
	return all;
}

void foreign_sort(struct foreign *foreign)
{
	struct metric_state state = { 0 };
	struct point **all;
	size_t len;

	if (foreign->points.map.len + foreign->ours_len == 0)
		return;
	all = merged(foreign, &len);
	for (size_t i = 0; i < len; i++)
		if (all[i]->relation == POINT_OF_OTHER_METRIC)
			claim_names(foreign, all[i]);
	for (size_t i = 0; i < len; i++) {
		if (all[i]->relation == POINT_OF_OTHER_METRIC)
			state = state_of(foreign, all[i]);
		show_point(foreign, all[i], state);
	}
	target_show(all, len, foreign->options, &foreign->families);
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
