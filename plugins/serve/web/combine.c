/* SPDX-License-Identifier: MIT */
#include "combine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

#define NAME_SIZE 1024 /* More than a series' has. */

const char *const combine_kinds[] = { "average", "maximum", "minimum" };

void combine_init(struct combine *combine, unsigned parts, enum combine_function function)
{
	*combine = (struct combine){ .parts = parts, .function = function };
	combine->end = &combine->first;
}

void combine_done(struct combine *combine)
{
	struct combine_group *next;

	for (struct combine_group *group = combine->first; group != NULL; group = next) {
		next = group->next;
		free(group->name);
		free(group);
	}
}

/* --- Words --------------------------------------------------------------- */

static int find_word(const char *const *words, const char *text, size_t size)
{
	for (int i = 0; words[i] != NULL; i++)
		if (strlen(words[i]) == size && memcmp(words[i], text, size) == 0)
			return i;
	return -1;
}

bool combine_parts(const char *text, unsigned *parts)
{
	static const char *const words[] = { "host", "plugin",        "plugin_instance",
					     "type", "type_instance", NULL };

	*parts = 0;
	for (;;) {
		size_t size = strcspn(text, ",");
		int word = find_word(words, text, size);

		if (word < 0)
			return false;
		*parts |= 1u << word;
		if (text[size] == '\0')
			return true;
		text += size + 1;
	}
}

bool combine_function(const char *text, enum combine_function *function)
{
	static const char *const words[] = { "sum", "average", "minimum", "maximum", NULL };
	int word = find_word(words, text, strlen(text));

	if (word >= 0)
		*function = (enum combine_function)word;
	return word >= 0;
}

/* --- Groups -------------------------------------------------------------- */

static void name_group(const struct combine *combine, const struct mc_series *series,
		       char out[NAME_SIZE])
{
	const char *const parts[] = { mc_host(series), mc_plugin(series),
				      mc_plugin_instance(series), mc_type(series)->name,
				      mc_type_instance(series) };
	size_t used = 0;

	out[0] = '\0';
	if (combine->parts == 0)
		snprintf(out, NAME_SIZE, "%s", mc_name(series));
	for (unsigned i = 0; i < 5 && used < NAME_SIZE; i++)
		if ((combine->parts & 1u << i) != 0)
			used += (size_t)snprintf(out + used, NAME_SIZE - used, "%s%s",
						 used > 0 ? "/" : "", parts[i]);
}

static struct combine_group *find_group(struct combine *combine, const char *name)
{
	for (struct combine_group *group = combine->first; group != NULL; group = group->next)
		if (strcmp(group->name, name) == 0)
			return group;
	return NULL;
}

static struct combine_group *make_group(struct combine *combine, const char *name,
					const struct mc_series *series,
					const struct mc_history *history)
{
	size_t len = (size_t)history->points_len * history->type->sources_len;
	struct combine_group *group = mc_alloc_zero(sizeof(*group) + len * sizeof(*group->points));

	group->name = mc_alloc_printf("%s", name);
	group->type = history->type;
	group->provider = history->provider;
	group->host = mc_host(series);
	group->start = history->start;
	group->step = history->step;
	group->points_len = history->points_len;
	*combine->end = group;
	combine->end = &group->next;
	combine->points += len;
	return group;
}

static double join(enum combine_function function, double a, double b)
{
	switch (function) {
	case COMBINE_MINIMUM:
		return a < b ? a : b;
	case COMBINE_MAXIMUM:
		return a > b ? a : b;
	case COMBINE_SUM:
	case COMBINE_AVERAGE:
	case COMBINE_FUNCTIONS:
		break;
	}
	return a + b;
}

static void add_point(enum combine_function function, struct combine_point *point,
		      const struct mc_history_point *more)
{
	if (isnan(more->average))
		return;
	if (point->members++ == 0) {
		point->average = more->average;
		point->maximum = more->maximum;
		point->minimum = more->minimum;
		return;
	}
	point->average = join(function, point->average, more->average);
	point->maximum = join(function, point->maximum, more->maximum);
	point->minimum = join(function, point->minimum, more->minimum);
}

void combine_add(struct combine *combine, const struct mc_series *series,
		 struct mc_history *history)
{
	size_t len = (size_t)history->points_len * history->type->sources_len;
	struct combine_group *group = NULL;
	char name[NAME_SIZE];

	name_group(combine, series, name);
	if (combine->parts != 0)
		group = find_group(combine, name);
	if (group == NULL)
		group = make_group(combine, name, series, history);
	if (group->type != history->type || group->start != history->start ||
	    group->step != history->step || group->points_len != history->points_len) {
		combine->left_out++;
		return;
	}
	group->members++;
	if (history->coarsest > group->coarsest)
		group->coarsest = history->coarsest;
	for (size_t i = 0; i < len; i++)
		add_point(combine->function, &group->points[i], &history->points[i]);
}

static void finish_point(enum combine_function function, struct combine_point *point)
{
	if (point->members == 0)
		point->average = point->maximum = point->minimum = NAN;
	if (function == COMBINE_AVERAGE && point->members > 0) {
		point->average /= point->members;
		point->maximum /= point->members;
		point->minimum /= point->members;
	}
}

/* More than averages are rounded; false of what is unknown. */
static bool is_range(const struct combine_point *point)
{
	return point->maximum - point->minimum > 1e-9 * fabs(point->average);
}

void combine_finish(struct combine *combine)
{
	for (struct combine_group *group = combine->first; group != NULL; group = group->next) {
		group->ranges = group->coarsest < group->step;
		for (size_t i = 0; i < (size_t)group->points_len * group->type->sources_len; i++) {
			finish_point(combine->function, &group->points[i]);
			group->ranges |= is_range(&group->points[i]);
		}
	}
}
