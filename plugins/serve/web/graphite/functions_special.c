/* SPDX-License-Identifier: MIT */
/* Functions that fit in no other group.
 *
 * Facts: Graphite's manual, "Functions", and answers of graphite-web 1.1.10. */
#include "functions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct curve *consolidate(struct curve *curves, const char *function)
{
	enum aggregate aggregate = AGGREGATE_AVERAGE;

	if (strcmp(function, "first") == 0)
		aggregate = AGGREGATE_FIRST;
	else
		aggregate_find(function, &aggregate);
	for (struct curve *c = curves; c != NULL; c = c->next) {
		c->consolidation = aggregate;
		curve_become(c, "consolidateBy(%s,\"%s\")", c->name, function);
	}
	return curves;
}

static struct curve *consolidate_by(struct call *call)
{
	const char *function = call->arguments[1].text;
	enum aggregate aggregate;

	if (strcmp(function, "first") != 0 && !aggregate_find(function, &aggregate))
		return evaluation_fail(call->evaluation, "%s(): '%.40s' is no function of values",
				       call->name, function);
	return consolidate(evaluation_take(call, 0), function);
}

static struct curve *cumulative(struct call *call)
{
	return consolidate(evaluation_take(call, 0), "sum");
}

static struct curve *changed(struct call *call)
{
	struct curve *curves = evaluation_take(call, 0);

	for (struct curve *c = curves; c != NULL; c = c->next) {
		double before = NAN;

		for (unsigned i = 0; i < c->grid.len; i++) {
			double now = c->values[i];

			c->values[i] = !isnan(before) && !isnan(now) && now != before;
			before = isnan(now) ? before : now;
		}
		curve_become(c, "changed(%s)", c->name);
	}
	return curves;
}

static struct curve *fallback(struct call *call)
{
	struct curve *curves = evaluation_take(call, 0);

	return curves != NULL ? curves : evaluation_take(call, 1);
}

static struct curve *known_share(struct call *call)
{
	double share = call->arguments[1].number;
	struct curve *curves = evaluation_take(call, 0);

	call->evaluation->known_share = share;
	for (struct curve *c = curves; c != NULL; c = c->next)
		c->known_share = share;
	return curves;
}

/* The time as a value; 'scale' 0: its sine. */
static struct curve *of_time(const struct call *call, int64_t step, double amplitude)
{
	struct evaluation *evaluation = call->evaluation;
	int64_t len = (evaluation->until - evaluation->from + step - 1) / step;
	struct curve *curve;

	if (len < 0 || !evaluation_admits(evaluation, (uint64_t)len))
		return NULL;
	curve = curve_new(
		call->arguments[0].text,
		(struct curve_grid){ evaluation->from, evaluation->until, step, (unsigned)len });
	for (unsigned i = 0; i < curve->grid.len; i++) {
		double seconds = (double)(evaluation->from + (int64_t)i * step);

		curve->values[i] = isnan(amplitude) ? seconds : sin(seconds) * amplitude;
	}
	return curve;
}

static int64_t step_of(const struct call *call, unsigned argument)
{
	double step = call->arguments[argument].number;

	return step >= 1 ? (int64_t)step : 1;
}

static struct curve *time_line(struct call *call)
{
	return of_time(call, step_of(call, 1), NAN);
}

static struct curve *identity(struct call *call)
{
	return of_time(call, 60, NAN);
}

static struct curve *sine(struct call *call)
{
	return of_time(call, step_of(call, 2), call->arguments[1].number);
}

#define LIST " seriesList:seriesList!"

const struct functions_row functions_special[] = {
	{ "changed" LIST, "Shows 1 where a value differs from the one before, else 0.", changed,
	  NULL },
	{ "consolidateBy" LIST " consolidationFunc:string!",
	  "Says by what function several values become a point of the graph.", consolidate_by,
	  NULL },
	{ "cumulative" LIST, "Makes points of the graph sums of values.", cumulative, NULL },
	{ "fallbackSeries" LIST " fallback:seriesList!",
	  "Shows other series if the first do not exist.", fallback, NULL },
	{ "identity name:string!", "Shows the time as a value.", identity, NULL },
	{ "setXFilesFactor" LIST " xFilesFactor:float!",
	  "Says how many values of several have to be known.", known_share, NULL },
	{ "sin name:string! amplitude:float=1 step:integer=60", "Shows the sine of the time.", sine,
	  NULL },
	{ "sinFunction name:string! amplitude:float=1 step:integer=60",
	  "Shows the sine of the time.", sine, NULL },
	{ "time name:string! step:integer=60", "Shows the time as a value.", time_line, NULL },
	{ "timeFunction name:string! step:integer=60", "Shows the time as a value.", time_line,
	  NULL },
	{ "xFilesFactor" LIST " xFilesFactor:float!",
	  "Says how many values of several have to be known.", known_share, NULL },
	{ NULL, NULL, NULL, NULL },
};
