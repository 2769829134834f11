/* SPDX-License-Identifier: MIT */
/* Windows that move, and lines of what all values of a series are.
 *
 * Facts: Graphite's manual, "Functions", and answers of graphite-web 1.1.10. */
#include "functions.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

#include "period.h"

#define CHECKED 256 /* Values from one look at the clock to the next. */

/* --- Windows ------------------------------------------------------------- */

struct window {
	int64_t seconds; /* Before the graph that are needed. */
	double points;   /* 0: as many as fit into the seconds. */
	char name[64];   /* "5", or "\"1h\"". */
};

/* Reads the second argument, a number of values or an interval; NULL: there is no series. */
static struct curve *begin_window(struct call *call, struct window *window)
{
	const struct argument *size = &call->arguments[1];
	struct evaluation *evaluation = call->evaluation;
	int64_t step = 0;

	for (const struct curve *c = call->arguments[0].curves; c != NULL; c = c->next)
		step = c->grid.step > step ? c->grid.step : step;
	if (step == 0)
		return NULL;
	*window = (struct window){ .seconds = llabs(size->interval) };
	if (isnan(size->number)) {
		snprintf(window->name, sizeof(window->name), "\"%.60s\"", size->text);
	} else {
		window->points = size->number;
		window->seconds = (int64_t)size->number * step;
		snprintf(window->name, sizeof(window->name), "%.60s", size->text);
	}
	if (window->seconds <= 0 || window->seconds > EVALUATION_POINTS * step)
		return evaluation_fail(evaluation, "%s(): the window is too large, or nothing",
				       call->name);
	return evaluation_again(call, evaluation->from - window->seconds, evaluation->until);
}

static unsigned points_of(const struct window *window, const struct curve *curve)
{
	if (window->points > 0)
		return (unsigned)window->points;
	return (unsigned)(window->seconds / curve->grid.step);
}

/* Whether there is time for more. */
static bool has_time(const struct call *call, unsigned number)
{
	return number % CHECKED != 0 || evaluation_admits(call->evaluation, 0);
}

static void move(const struct call *call, struct curve *curve, const struct window *window,
		 enum aggregate aggregate, double known_share)
{
	unsigned size = points_of(window, curve), len = curve->grid.len;
	struct curve_grid grid = curve->grid;
	double *values, *copy = mc_alloc_array(size, sizeof(*copy));

	grid.len = len > size ? len - size : 0;
	grid.start += window->seconds;
	values = mc_alloc_array(grid.len, sizeof(*values));
	for (unsigned i = 0; i < grid.len && has_time(call, i); i++) {
		unsigned known = 0;

		for (unsigned j = i + 1; j <= i + size; j++)
			if (!isnan(curve->values[j]))
				copy[known++] = curve->values[j];
		values[i] = aggregate_is_known(known, size, known_share)
				    ? aggregate_values(aggregate, copy, known)
				    : NAN;
	}
	free(copy);
	curve_replace(curve, values, grid);
}

/* "movingAverage" of "average". */
static void print_name(char name[64], const char *function)
{
	snprintf(name, 64, "moving%.40s", function);
	name[6] = (char)toupper((unsigned char)name[6]);
	for (char *at = name + 7; *at != '\0'; at++)
		*at = (char)tolower((unsigned char)*at);
}

static struct curve *moving_by(struct call *call, const char *function, double known_share)
{
	enum aggregate aggregate = AGGREGATE_AVERAGE;
	struct window window;
	struct curve *curves = begin_window(call, &window);
	char name[64];

	aggregate_find(function, &aggregate);
	print_name(name, function);
	for (struct curve *c = curves; c != NULL; c = c->next) {
		move(call, c, &window, aggregate,
		     isnan(known_share) ? c->known_share : known_share);
		curve_become(c, "%s(%s,%s)", name, c->name, window.name);
	}
	return curves;
}

static struct curve *moving(struct call *call)
{
	return moving_by(call, call->detail, call->arguments[2].number);
}

static struct curve *moving_window(struct call *call)
{
	return moving_by(call, call->arguments[2].text, call->arguments[3].number);
}

static double to_six(double value)
{
	return isfinite(value) && fabs(value) < 1e9 ? nearbyint(value * 1e6) / 1e6 : value;
}

static void smooth(struct curve *curve, const struct window *window)
{
	unsigned size = points_of(window, curve), len = curve->grid.len;
	double share = 2 / ((window->points > 0 ? window->points : (double)window->seconds) + 1);
	struct curve_grid grid = curve->grid;
	double *values, average;

	size = size < len ? size : len;
	grid.start += window->seconds;
	grid.len = len - size + 1;
	values = mc_alloc_array(grid.len, sizeof(*values));
	average = aggregate_values(AGGREGATE_AVERAGE, curve->values, size);
	average = isnan(average) ? 0 : average;
	values[0] = to_six(average);
	for (unsigned i = size; i < len; i++) {
		if (!isnan(curve->values[i]))
			average = share * curve->values[i] + (1 - share) * average;
		values[i - size + 1] = isnan(curve->values[i]) ? NAN : to_six(average);
	}
	curve_replace(curve, values, grid);
}

static struct curve *exponential(struct call *call)
{
	struct window window;
	struct curve *curves = begin_window(call, &window);

	for (struct curve *c = curves; c != NULL; c = c->next) {
		smooth(c, &window);
		curve_become(c, "exponentialMovingAverage(%s,%s)", c->name, window.name);
	}
	return curves;
}

/* The standard deviation of the last 'points' values at each time. */
static double deviation(const double *values, unsigned len, unsigned points, double least)
{
	unsigned first = len > points ? len - points : 0;
	double sum = 0, squares = 0, known = 0;

	for (unsigned i = first; i < len; i++)
		if (!isnan(values[i])) {
			sum += values[i];
			squares += values[i] * values[i];
			known++;
		}
	if (known == 0 || known / points < least)
		return NAN;
	return sqrt(known * squares - sum * sum) / known;
}

static struct curve *stdev(struct call *call)
{
	unsigned points = (unsigned)fmax(call->arguments[1].number, 1);
	double least = call->arguments[2].number;
	struct curve *curves = evaluation_take(call, 0);

	for (struct curve *c = curves; c != NULL; c = c->next) {
		double *values = mc_alloc_array(c->grid.len, sizeof(*values));

		for (unsigned i = 0; i < c->grid.len && has_time(call, i); i++)
			values[i] = deviation(c->values, i + 1, points, least);
		curve_replace(c, values, c->grid);
		curve_become(c, "stdev(%s,%u)", c->name, points);
	}
	return curves;
}

/* --- Lines --------------------------------------------------------------- */

/* Every value becomes 'value'. */
static void flatten(struct curve *curve, double value)
{
	for (unsigned i = 0; i < curve->grid.len; i++)
		curve->values[i] = value;
}

static struct curve *percentile(struct call *call)
{
	double percent = call->arguments[1].number;
	struct curve *curves = evaluation_take(call, 0), **at = &curves;

	while (*at != NULL) {
		struct curve *curve = *at;
		struct curve_grid grid = curve->grid;
		double value = aggregate_percentile(curve->values, grid.len, percent, false);

		if (isnan(value)) {
			*at = curve->next;
			curve->next = NULL;
			curve_free(curve);
			continue;
		}
		grid.len = grid.end > grid.start && (grid.end - grid.start) / grid.step < grid.len
				   ? (unsigned)((grid.end - grid.start) / grid.step)
				   : grid.len;
		curve->grid = grid;
		flatten(curve, value);
		curve_become(curve, "nPercentile(%s, %g)", curve->name, percent);
		at = &curve->next;
	}
	return curves;
}

static struct curve *aggregate_line(struct call *call)
{
	const struct evaluation *evaluation = call->evaluation;
	struct curve_grid three = { evaluation->from, evaluation->until,
				    (evaluation->until - evaluation->from) / 2, 3 };
	enum aggregate aggregate = AGGREGATE_AVERAGE;
	struct curve *curves = evaluation_take(call, 0);

	aggregate_find(call->arguments[1].text, &aggregate);
	three.step = three.step > 0 ? three.step : 1;
	for (struct curve *c = curves; c != NULL; c = c->next) {
		double value = aggregate_values(aggregate, c->values, c->grid.len);

		if (call->arguments[2].number != 1)
			curve_replace(c, mc_alloc_array(three.len, sizeof(double)), three);
		flatten(c, value);
		if (isnan(value))
			curve_become(c, "aggregateLine(%s, None)", c->name);
		else
			curve_become(c, "aggregateLine(%s, %g)", c->name, value);
	}
	return curves;
}

/* The line that is nearest to the values of 'from'; false without one. */
static bool regress(struct curve *curve, const struct curve *from)
{
	double n = 0, i_sum = 0, v_sum = 0, ii_sum = 0, iv_sum = 0, below, factor, offset;

	for (unsigned i = 0; i < from->grid.len; i++)
		if (!isnan(from->values[i])) {
			n++;
			i_sum += i;
			v_sum += from->values[i];
			ii_sum += (double)i * i;
			iv_sum += i * from->values[i];
		}
	below = n * ii_sum - i_sum * i_sum;
	if (below == 0)
		return false;
	factor = (n * iv_sum - i_sum * v_sum) / below / (double)from->grid.step;
	offset = (ii_sum * v_sum - iv_sum * i_sum) / below - factor * (double)from->grid.start;
	for (unsigned i = 0; i < curve->grid.len; i++)
		curve->values[i] =
			offset +
			(double)(curve->grid.start + (int64_t)i * curve->grid.step) * factor;
	return true;
}

static struct curve *regression(struct call *call)
{
	struct evaluation *evaluation = call->evaluation;
	int64_t from = evaluation->from, until = evaluation->until;
	const char *begin = call->arguments[1].text, *end = call->arguments[2].text;
	struct curve *curves, *sources, *first = NULL, **last = &first;

	if ((begin != NULL && !period_read(begin, evaluation->now, &from)) ||
	    (end != NULL && !period_read(end, evaluation->now, &until)) || until <= from)
		return evaluation_fail(evaluation, "%s(): a time is invalid", call->name);
	curves = evaluation_take(call, 0);
	sources = evaluation_again(call, from, until);
	for (const struct curve *source = sources; curves != NULL && source != NULL;
	     source = source->next) {
		struct curve *curve = curves;

		curves = curve->next;
		curve->next = NULL;
		*last = curve;
		if (regress(curve, source)) {
			curve_become(curve, "linearRegression(%s, %lld, %lld)", curve->name,
				     (long long)from, (long long)until);
			last = &curve->next;
		} else {
			*last = NULL;
			curve_free(curve);
		}
	}
	curve_free(curves);
	curve_free(sources);
	return first;
}

/* --- The table ----------------------------------------------------------- */

#define LIST " seriesList:seriesList!"
#define WINDOW LIST " windowSize:intOrInterval!"

const struct functions_row functions_calculate[] = {
	{ "aggregateLine" LIST " func:aggFunc=average keepStep:boolean=false",
	  "Draws a line at the average, or another function, of all values.", aggregate_line,
	  NULL },
	{ "exponentialMovingAverage" WINDOW,
	  "Averages the values so far, those of long ago less and less.", exponential, NULL },
	{ "linearRegression" LIST " startSourceAt:date endSourceAt:date",
	  "Draws the line that is nearest to the values.", regression, NULL },
	{ "movingAverage" WINDOW " xFilesFactor:float", "Averages a window of former values.",
	  moving, "average" },
	{ "movingMax" WINDOW " xFilesFactor:float",
	  "Shows the greatest value of a window of former values.", moving, "max" },
	{ "movingMedian" WINDOW " xFilesFactor:float",
	  "Shows the median of a window of former values.", moving, "median" },
	{ "movingMin" WINDOW " xFilesFactor:float",
	  "Shows the smallest value of a window of former values.", moving, "min" },
	{ "movingSum" WINDOW " xFilesFactor:float", "Adds a window of former values.", moving,
	  "sum" },
	{ "movingWindow" WINDOW " func:aggFunc=average xFilesFactor:float",
	  "Applies a function to a window of former values.", moving_window, NULL },
	{ "nPercentile" LIST " n:integer!", "Draws a line at a percentile of all values.",
	  percentile, NULL },
	{ "stdev" LIST " points:integer! windowTolerance:float=0.1",
	  "Shows the standard deviation of a window of former values.", stdev, NULL },
	{ NULL, NULL, NULL, NULL },
};
