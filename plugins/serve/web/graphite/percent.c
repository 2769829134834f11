/* SPDX-License-Identifier: MIT */
/* Facts: Graphite's manual, "Functions", asPercent, and answers of graphite-web 1.1.10. */
#include "percent.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

#include "node.h"
#include "rows.h"

/* A curve in percent of another one; both stay the caller's. */
static struct curve *percent(const struct curve *curve, const struct curve *total,
			     const char *total_name)
{
	struct curve *pair = curve_copy(curve), *out;
	struct rows rows;

	pair->next = curve_copy(total);
	rows_init(&rows, pair);
	out = curve_new("", rows.grid);
	for (unsigned i = 0; i < rows.grid.len; i++) {
		const double *row = rows_at(&rows, i);

		out->values[i] = row[1] != 0 ? row[0] / row[1] * 100 : NAN;
	}
	rows_done(&rows);
	curve_free(pair);
	curve_become(out, "asPercent(%s,%s)", curve->name, total_name);
	return out;
}

static struct curve *missing(const struct curve *grid, const char *curve, const char *total)
{
	struct curve *out = curve_new("", grid->grid);

	curve_become(out, "asPercent(%s,%s)", curve, total);
	return out;
}

/* "sumSeries(PATTERN)"; the curves stay the caller's. */
static struct curve *sum(struct curve *curves)
{
	char *expressions = rows_expressions(curves);
	struct rows rows;
	struct curve *total;

	rows_init(&rows, curves);
	total = rows_aggregate(&rows, AGGREGATE_SUM, 0);
	rows_done(&rows);
	curve_become(total, "sumSeries(%s)", expressions);
	free(expressions);
	return total;
}

/* --- Of one total, or of as many ----------------------------------------- */

static int by_name(const void *a, const void *b)
{
	return strcmp((*(const struct curve *const *)a)->name,
		      (*(const struct curve *const *)b)->name);
}

static const struct curve **sorted(const struct curve *curves)
{
	const struct curve **all = mc_alloc_array(curve_count(curves), sizeof(*all));
	unsigned len = 0;

	for (; curves != NULL; curves = curves->next)
		all[len++] = curves;
	qsort(all, len, sizeof(*all), by_name);
	return all;
}

static struct curve *pairs(const struct curve *curves, const struct curve *totals)
{
	const struct curve **left = sorted(curves), **right = sorted(totals);
	struct curve *first = NULL, **end = &first;
	unsigned len = curve_count(curves);

	for (unsigned i = 0; i < len; i++) {
		*end = percent(left[i], right[i], right[i]->name);
		end = &(*end)->next;
	}
	free(left);
	free(right);
	return first;
}

static struct curve *each(const struct curve *curves, const struct curve *total, const char *name)
{
	struct curve *first = NULL, **end = &first;

	for (; curves != NULL; curves = curves->next) {
		*end = percent(curves, total, name);
		end = &(*end)->next;
	}
	return first;
}

static struct curve *of_number(const struct call *call, const struct curve *curves)
{
	const struct argument *total = &call->arguments[1];
	struct curve *line = curve_new(total->text, curves->grid), *made;

	for (unsigned i = 0; i < line->grid.len; i++)
		line->values[i] = total->number;
	made = each(curves, line, total->text);
	curve_free(line);
	return made;
}

static struct curve *of_all(struct curve *curves)
{
	struct curve *total = sum(curves), *made = each(curves, total, total->name);

	curve_free(total);
	return made;
}

static struct curve *of_series(const struct call *call, const struct curve *curves)
{
	const struct curve *totals = call->arguments[1].curves;
	unsigned len = curve_count(totals);

	if (len == curve_count(curves))
		return pairs(curves, totals);
	if (len == 1)
		return each(curves, totals, totals->name);
	return evaluation_fail(call->evaluation,
			       "%s(): the total is %u series, not one and not as many as there are",
			       call->name, len);
}

/* --- Of groups ----------------------------------------------------------- */

static char *key(const struct call *call, const struct curve *curve)
{
	return node_key(call, 2, curve);
}

/* The total of each group; one curve stays as it is. */
static void add_up(struct node_groups *groups)
{
	for (unsigned i = 0; i < groups->len; i++) {
		struct curve *list = groups->lists[i];

		if (list->next == NULL)
			continue;
		groups->lists[i] = sum(list);
		curve_free(list);
	}
}

static struct curve *copy_all(const struct curve *curves)
{
	struct curve *first = NULL, **end = &first;

	for (; curves != NULL; curves = curves->next) {
		*end = curve_copy(curves);
		end = &(*end)->next;
	}
	return first;
}

static struct curve *of_group(const struct curve *curves, const struct curve *total)
{
	struct curve *first = NULL, **end = &first;

	for (; curves != NULL; curves = curves->next) {
		if (total != NULL)
			*end = percent(curves, total, total->name);
		else
			*end = missing(curves, curves->name, "MISSING");
		end = &(*end)->next;
	}
	return first;
}

static struct curve *of_groups(struct call *call, const struct curve *curves)
{
	struct curve *first = NULL, **end = &first;
	struct node_groups groups, totals;
	bool of_itself = call->arguments[1].expression == NULL;

	node_group(&groups, copy_all(curves), key, call);
	node_group(&totals, of_itself ? copy_all(curves) : evaluation_take(call, 1), key, call);
	add_up(&totals);
	for (unsigned i = 0; i < groups.len; i++) {
		struct curve **total = node_find(&totals, groups.keys[i]);

		*end = of_group(groups.lists[i], total != NULL ? *total : NULL);
		while (*end != NULL)
			end = &(*end)->next;
	}
	for (unsigned i = 0; i < totals.len; i++)
		if (node_find(&groups, totals.keys[i]) == NULL) {
			*end = missing(totals.lists[i], "MISSING", totals.lists[i]->name);
			end = &(*end)->next;
		}
	node_groups_done(&groups);
	node_groups_done(&totals);
	return first;
}

struct curve *percent_of(struct call *call)
{
	struct curve *curves = evaluation_take(call, 0), *made;

	if (curves == NULL)
		return NULL;
	if (call->len > 2 && call->arguments[2].expression != NULL)
		made = of_groups(call, curves);
	else if (call->arguments[1].expression == NULL)
		made = of_all(curves);
	else if (!isnan(call->arguments[1].number) && call->arguments[1].curves == NULL &&
		 call->arguments[1].text != NULL)
		made = of_number(call, curves);
	else
		made = of_series(call, curves);
	curve_free(curves);
	return made;
}
