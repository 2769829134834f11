/* SPDX-License-Identifier: MIT */
/* How series are drawn: in JSON, of these functions their names remain.
 *
 * Facts: Graphite's manual, "Functions", and answers of graphite-web 1.1.10. */
#include "functions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

static struct curve *same(struct call *call)
{
	return evaluation_take(call, 0);
}

static struct curve *named(struct call *call)
{
	struct curve *curves = evaluation_take(call, 0);

	for (struct curve *c = curves; c != NULL; c = c->next)
		curve_rename(c, "%s(%s)", call->name, c->name);
	return curves;
}

static struct curve *dashed(struct call *call)
{
	struct curve *curves = evaluation_take(call, 0);

	for (struct curve *c = curves; c != NULL; c = c->next)
		curve_rename(c, "dashed(%s, %g)", c->name, call->arguments[1].number);
	return curves;
}

static struct curve *between(struct call *call)
{
	struct curve *curves = evaluation_take(call, 0);

	if (curve_count(curves) != 2) {
		evaluation_fail(call->evaluation, "%s(): there are %u series, not two", call->name,
				curve_count(curves));
		return curves;
	}
	curve_rename(curves->next, "areaBetween(%s)", curves->next->expression);
	curve_rename(curves, "%s", curves->next->name);
	return curves;
}

static struct curve *line(const struct call *call, const char *name)
{
	const struct argument *value = &call->arguments[0];
	const struct evaluation *evaluation = call->evaluation;
	struct curve_grid grid = { evaluation->from, evaluation->until,
				   (evaluation->until - evaluation->from) / 2, 3 };
	struct curve *curve;

	grid.step = grid.step > 0 ? grid.step : 1;
	curve = curve_new(name, grid);
	for (unsigned i = 0; i < grid.len; i++)
		curve->values[i] = value->number;
	return curve;
}

static struct curve *constant(struct call *call)
{
	const char *value = call->arguments[0].text;
	struct curve *curve = line(call, value);

	curve_become(curve, "constantLine(%s)", value);
	curve_rename(curve, "%s", value);
	return curve;
}

static struct curve *threshold(struct call *call)
{
	const char *label = call->arguments[1].text;

	return line(call, label != NULL ? label : call->arguments[0].text);
}

/* --- Stacks --------------------------------------------------------------- */

/* The sums of that name, for that many values. */
static struct curve *stack_of(struct evaluation *evaluation, const char *name,
			      const struct curve_grid *grid)
{
	struct curve **at = &evaluation->stacks;

	while (*at != NULL && strcmp((*at)->name, name) != 0)
		at = &(*at)->next;
	if (*at == NULL) {
		evaluation_admits(evaluation, grid->len);
		*at = curve_new(name, *grid);
		for (unsigned i = 0; i < grid->len; i++)
			(*at)->values[i] = 0;
	}
	if ((*at)->grid.len < grid->len) {
		double *values = mc_alloc_array(grid->len, sizeof(*values));

		memcpy(values, (*at)->values, (*at)->grid.len * sizeof(*values));
		curve_replace(*at, values, *grid);
	}
	return *at;
}

static struct curve *stacked(struct call *call)
{
	const char *name = call->arguments[1].text;
	struct curve *curves = evaluation_take(call, 0);

	for (struct curve *c = curves; c != NULL; c = c->next) {
		struct curve *stack = stack_of(call->evaluation, name, &c->grid);

		for (unsigned i = 0; i < c->grid.len; i++)
			if (!isnan(c->values[i]))
				c->values[i] = stack->values[i] += c->values[i];
		if (strcmp(name, "__DEFAULT__") == 0)
			curve_become(c, "stacked(%s)", c->name);
		else
			curve_become(c, "%s", c->name);
	}
	return curves;
}

/* --- The table ----------------------------------------------------------- */

#define LIST " seriesList:seriesList!"

const struct functions_row functions_graph[] = {
	{ "alpha" LIST " alpha:float!", "Leaves the series as they are; colours are for pictures.",
	  same, NULL },
	{ "areaBetween" LIST, "Names two series as the area between them.", between, NULL },
	{ "color" LIST " theColor:string!",
	  "Leaves the series as they are; colours are for pictures.", same, NULL },
	{ "constantLine value:float!", "Draws a line at a number.", constant, NULL },
	{ "dashed" LIST " dashLength:float=5", "Names series as dashed.", dashed, NULL },
	{ "drawAsInfinite" LIST, "Names series as events.", named, NULL },
	{ "lineWidth" LIST " width:float!", "Leaves the series as they are.", same, NULL },
	{ "secondYAxis" LIST, "Names series as those of the second axis.", named, NULL },
	{ "stacked" LIST " stack:string=__DEFAULT__", "Adds each series to those before it.",
	  stacked, NULL },
	{ "threshold value:float! label:string color:string",
	  "Draws a line at a number, with a label.", threshold, NULL },
	{ NULL, NULL, NULL, NULL },
};
