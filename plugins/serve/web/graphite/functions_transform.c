/* SPDX-License-Identifier: MIT */
/* Each series as another one.
 *
 * Facts: Graphite's manual, "Functions", and answers of graphite-web 1.1.10. */
#include "functions.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

#include "rows.h"
#include "summary.h"

/* To six decimals, as printf(3) rounds. */
static double to_six(double value)
{
	char text[512];

	if (!isfinite(value) || fabs(value) > 1e15)
		return value;
	snprintf(text, sizeof(text), "%.6f", value);
	return strtod(text, NULL);
}

/* --- Value by value ------------------------------------------------------- */

/* 'fmt' has the name, and nothing else. */
static struct curve *each(struct call *call, double (*change)(double value, double factor),
			  double factor)
{
	struct curve *curves = evaluation_take(call, 0);

	for (struct curve *c = curves; c != NULL; c = c->next) {
		for (unsigned i = 0; i < c->grid.len; i++)
			if (!isnan(c->values[i]))
				c->values[i] = change(c->values[i], factor);
		curve_become(c, "%s(%s)", call->name, c->name);
	}
	return curves;
}

/* The same, and the factor stands in the name. */
static struct curve *each_by(struct call *call, double (*change)(double value, double factor))
{
	double factor = call->arguments[1].number;
	struct curve *curves = evaluation_take(call, 0);

	for (struct curve *c = curves; c != NULL; c = c->next) {
		for (unsigned i = 0; i < c->grid.len; i++)
			if (!isnan(c->values[i]))
				c->values[i] = change(c->values[i], factor);
		curve_become(c, "%s(%s,%g)", call->name, c->name, factor);
	}
	return curves;
}

static double times(double value, double factor)
{
	return value * factor;
}

static double plus(double value, double factor)
{
	return value + factor;
}

/* Unknown where there is no finite result. */
static double power(double value, double factor)
{
	double result = pow(value, factor);

	return isfinite(result) ? result : NAN;
}

static double magnitude(double value, double factor)
{
	(void)factor;
	return fabs(value);
}

static double exponential(double value, double factor)
{
	double result = exp(value);

	(void)factor;
	return isfinite(result) ? result : NAN;
}

static double sigmoid_of(double value, double factor)
{
	(void)factor;
	return 1 / (1 + exp(-value));
}

static double logit_of(double value, double factor)
{
	(void)factor;
	return value > 0 && value < 1 ? log(value / (1 - value)) : NAN;
}

static struct curve *scale(struct call *call)
{
	return each_by(call, times);
}

static struct curve *offset(struct call *call)
{
	return each_by(call, plus);
}

static struct curve *raise(struct call *call)
{
	return each_by(call, power);
}

static struct curve *add(struct call *call)
{
	double constant = call->arguments[1].number;
	struct curve *curves = evaluation_take(call, 0);

	for (struct curve *c = curves; c != NULL; c = c->next) {
		for (unsigned i = 0; i < c->grid.len; i++)
			c->values[i] += constant;
		curve_become(c, "add(%s,%.0f)", c->name, trunc(constant));
	}
	return curves;
}

static struct curve *absolute(struct call *call)
{
	return each(call, magnitude, 0);
}

static struct curve *invert(struct call *call)
{
	return each(call, power, -1);
}

static struct curve *square_root(struct call *call)
{
	return each(call, power, 0.5);
}

static struct curve *exponent(struct call *call)
{
	return each(call, exponential, 0);
}

static struct curve *sigmoid(struct call *call)
{
	return each(call, sigmoid_of, 0);
}

static struct curve *logit(struct call *call)
{
	return each(call, logit_of, 0);
}

static struct curve *logarithm(struct call *call)
{
	const struct argument *base = &call->arguments[1];
	struct curve *curves = evaluation_take(call, 0);

	for (struct curve *c = curves; c != NULL; c = c->next) {
		for (unsigned i = 0; i < c->grid.len; i++)
			c->values[i] =
				c->values[i] > 0 ? log(c->values[i]) / log(base->number) : NAN;
		curve_become(c, "log(%s, %s)", c->name, base->text);
	}
	return curves;
}

static struct curve *to_seconds(struct call *call)
{
	double seconds = call->arguments[1].number;
	struct curve *curves = evaluation_take(call, 0);

	for (struct curve *c = curves; c != NULL; c = c->next) {
		for (unsigned i = 0; i < c->grid.len; i++)
			c->values[i] = to_six(c->values[i] * (seconds / (double)c->grid.step));
		curve_become(c, "scaleToSeconds(%s,%.0f)", c->name, trunc(seconds));
	}
	return curves;
}

/* As printf(3) rounds; left of the '.' if 'digits' is negative. */
static double round_to(double value, int digits)
{
	char text[512];
	double factor;

	if (!isfinite(value))
		return value;
	if (digits < 0) {
		factor = pow(10, -digits);
		return nearbyint(value / factor) * factor;
	}
	snprintf(text, sizeof(text), "%.*f", digits, value);
	return strtod(text, NULL);
}

static struct curve *rounded(struct call *call)
{
	double digits = call->arguments[1].number;
	struct curve *curves = evaluation_take(call, 0);
	int most = isnan(digits) ? 0 : (int)fmax(-30, fmin(digits, 30));

	for (struct curve *c = curves; c != NULL; c = c->next) {
		for (unsigned i = 0; i < c->grid.len; i++)
			c->values[i] = round_to(c->values[i], most);
		if (isnan(digits))
			curve_become(c, "round(%s)", c->name);
		else
			curve_become(c, "round(%s,%g)", c->name, digits);
	}
	return curves;
}

/* --- From one value to the next ------------------------------------------- */

static struct curve *derivative(struct call *call)
{
	struct curve *curves = evaluation_take(call, 0);

	for (struct curve *c = curves; c != NULL; c = c->next) {
		double before = NAN;

		for (unsigned i = 0; i < c->grid.len; i++) {
			double now = c->values[i];

			c->values[i] = now - before; /* NaN if one of them is. */
			before = now;
		}
		curve_become(c, "derivative(%s)", c->name);
	}
	return curves;
}

/* How much a counter grew between two values: a falling one is unknown, unless the bounds say at
 * which number it began again. */
static double growth(double *before, double now, double most, double least)
{
	double last = *before;

	*before = now > most || now < least ? NAN : now;
	if (isnan(last) || isnan(*before))
		return NAN;
	if (now >= last)
		return now - last;
	if (!isnan(most))
		return most + 1 + now - last - (isnan(least) ? 0 : least);
	return now - least;
}

static struct curve *grow(struct call *call, bool per_second)
{
	double most = call->arguments[1].number, least = call->arguments[2].number;
	struct curve *curves = evaluation_take(call, 0);

	for (struct curve *c = curves; c != NULL; c = c->next) {
		double before = NAN;

		for (unsigned i = 0; i < c->grid.len; i++) {
			double grown = growth(&before, c->values[i], most, least);

			c->values[i] = per_second ? to_six(grown / (double)c->grid.step) : grown;
		}
		curve_become(c, "%s(%s)", call->name, c->name);
	}
	return curves;
}

static struct curve *non_negative(struct call *call)
{
	return grow(call, false);
}

static struct curve *per_second(struct call *call)
{
	return grow(call, true);
}

static struct curve *integral(struct call *call)
{
	struct curve *curves = evaluation_take(call, 0);

	for (struct curve *c = curves; c != NULL; c = c->next) {
		double sum = 0;

		for (unsigned i = 0; i < c->grid.len; i++)
			if (!isnan(c->values[i]))
				c->values[i] = sum += c->values[i];
		curve_become(c, "integral(%s)", c->name);
	}
	return curves;
}

static int64_t interval_at(int64_t seconds, int64_t interval)
{
	return seconds / interval - (seconds % interval < 0);
}

static struct curve *integral_by(struct call *call)
{
	int64_t interval = llabs(call->arguments[1].interval), from = call->evaluation->from;
	struct curve *curves = evaluation_take(call, 0);

	for (struct curve *c = curves; c != NULL; c = c->next) {
		int64_t now = c->grid.start - from;
		double sum = 0;

		for (unsigned i = 0; i < c->grid.len; i++, now += c->grid.step) {
			if (interval_at(now, interval) != interval_at(now - c->grid.step, interval))
				sum = 0;
			if (!isnan(c->values[i]))
				sum += c->values[i];
			c->values[i] = sum;
		}
		curve_become(c, "integralByInterval(%s,'%s')", c->name, call->arguments[1].text);
	}
	return curves;
}

static struct curve *delay(struct call *call)
{
	int64_t steps = (int64_t)call->arguments[1].number;
	struct curve *curves = evaluation_take(call, 0);

	for (struct curve *c = curves; c != NULL; c = c->next) {
		struct curve *made = curve_copy(c);

		for (unsigned i = 0; i < c->grid.len; i++) {
			int64_t from = (int64_t)i - steps;

			c->values[i] = from >= 0 && from < c->grid.len ? made->values[from] : NAN;
		}
		curve_free(made);
		curve_become(c, "delay(%s,%lld)", c->name, (long long)steps);
	}
	return curves;
}

/* --- Unknown values ------------------------------------------------------- */

/* Calls fill() for each gap that is no longer than the second argument allows. */
static struct curve *fill_gaps(struct call *call,
			       void (*fill)(double *values, unsigned first, unsigned end),
			       bool at_end)
{
	double limit = call->arguments[1].number;
	struct curve *curves = evaluation_take(call, 0);

	for (struct curve *c = curves; c != NULL; c = c->next) {
		unsigned first = 0;

		for (unsigned i = 0; i <= c->grid.len; i++) {
			bool is_end = i == c->grid.len;

			if (!is_end && isnan(c->values[i]))
				continue;
			if (first > 0 && i > first && i - first <= limit && (!is_end || at_end))
				fill(c->values, first, i);
			first = i + 1;
		}
		curve_become(c, "%s(%s)", call->name, c->name);
	}
	return curves;
}

static void repeat(double *values, unsigned first, unsigned end)
{
	for (unsigned i = first; i < end; i++)
		values[i] = values[first - 1];
}

static void draw_line(double *values, unsigned first, unsigned end)
{
	double from = values[first - 1], to = values[end];

	for (unsigned i = first; i < end; i++)
		values[i] = from + (i - first + 1) * (to - from) / (end - first + 1);
}

static struct curve *keep_last(struct call *call)
{
	return fill_gaps(call, repeat, true);
}

static struct curve *interpolate(struct call *call)
{
	return fill_gaps(call, draw_line, false);
}

/* 'reference', unless it is NULL, says where a value has to be known. */
static void replace_unknown(struct curve *curve, double value, const struct rows *reference)
{
	for (unsigned i = 0; i < curve->grid.len; i++) {
		if (!isnan(curve->values[i]))
			continue;
		if (reference == NULL ||
		    aggregate_count(rows_at(reference, i), reference->curves_len) > 0)
			curve->values[i] = value;
	}
}

static struct curve *transform_null(struct call *call)
{
	double value = call->arguments[1].number;
	struct curve *curves = evaluation_take(call, 0);
	bool refers = call->arguments[2].curves != NULL;
	struct rows rows;

	if (refers)
		rows_init(&rows, call->arguments[2].curves);
	for (struct curve *c = curves; c != NULL; c = c->next) {
		replace_unknown(c, value, refers ? &rows : NULL);
		curve_become(c, "transformNull(%s,%g%s)", c->name, value,
			     refers ? ",referenceSeries" : "");
	}
	if (refers)
		rows_done(&rows);
	return curves;
}

/* --- Of all values -------------------------------------------------------- */

static struct curve *to_zero(struct call *call)
{
	struct curve *curves = evaluation_take(call, 0);

	for (struct curve *c = curves; c != NULL; c = c->next) {
		double least = aggregate_values(AGGREGATE_MIN, c->values, c->grid.len);

		for (unsigned i = 0; i < c->grid.len; i++)
			c->values[i] -= least;
		curve_become(c, "offsetToZero(%s)", c->name);
	}
	return curves;
}

static struct curve *min_max(struct call *call)
{
	struct curve *curves = evaluation_take(call, 0);

	for (struct curve *c = curves; c != NULL; c = c->next) {
		double least = aggregate_values(AGGREGATE_MIN, c->values, c->grid.len);
		double range = aggregate_values(AGGREGATE_RANGE, c->values, c->grid.len);

		for (unsigned i = 0; i < c->grid.len; i++)
			if (!isnan(c->values[i]))
				c->values[i] = range != 0 ? (c->values[i] - least) / range : 0;
		curve_become(c, "minMax(%s)", c->name);
	}
	return curves;
}

static struct curve *power_series(struct call *call)
{
	struct curve *curves = evaluation_take_all(call), *curve;
	char *names;
	struct rows rows;

	if (curves == NULL)
		return NULL;
	rows_init(&rows, curves);
	curve = curve_new("", rows.grid);
	for (unsigned i = 0; i < rows.grid.len; i++) {
		const double *row = rows_at(&rows, i);

		curve->values[i] = row[0];
		for (unsigned j = 1; j < rows.curves_len; j++)
			curve->values[i] = isnan(row[j]) ? NAN : power(curve->values[i], row[j]);
	}
	rows_done(&rows);
	for (struct curve *c = curves; c != NULL; c = c->next)
		curve_become(c, "%s", c->name);
	names = rows_expressions(curves);
	curve_become(curve, "powSeries(%s)", names);
	free(names);
	curve_free(curves);
	return curve;
}

/* --- The table ----------------------------------------------------------- */

#define LIST " seriesList:seriesList!"

const struct functions_row functions_transform[] = {
	{ "absolute" LIST, "Takes the sign from each value.", absolute, NULL },
	{ "add" LIST " constant:float!", "Adds a number to each value.", add, NULL },
	{ "delay" LIST " steps:integer!", "Moves each value by some steps.", delay, NULL },
	{ "derivative" LIST, "Shows how much a value differs from the one before.", derivative,
	  NULL },
	{ "exp" LIST, "Raises e to the power of each value.", exponent, NULL },
	{ "hitcount" LIST " intervalString:interval! alignToInterval:boolean=false",
	  "Shows how many hits there were in each interval, of hits in a second.", summary_hitcount,
	  NULL },
	{ "integral" LIST, "Adds all values up to each time.", integral, NULL },
	{ "integralByInterval" LIST " intervalUnit:interval!",
	  "Adds all values up to each time, and begins again with each interval.", integral_by,
	  NULL },
	{ "interpolate" LIST " limit:intOrInf=inf",
	  "Draws a line through gaps of at most that many values.", interpolate, NULL },
	{ "invert" LIST, "Divides 1 by each value.", invert, NULL },
	{ "keepLastValue" LIST " limit:intOrInf=inf",
	  "Repeats the last value in gaps of at most that many values.", keep_last, NULL },
	{ "log" LIST " base:float=10", "Shows the logarithm of each value.", logarithm, NULL },
	{ "logit" LIST, "Shows the logarithm of x / (1 - x).", logit, NULL },
	{ "minMax" LIST, "Scales each series to the range from 0 to 1.", min_max, NULL },
	{ "nonNegativeDerivative" LIST " maxValue:float minValue:float",
	  "Shows how much a counter has grown, and nothing where it began again.", non_negative,
	  NULL },
	{ "offset" LIST " factor:float!", "Adds a number to each value.", offset, NULL },
	{ "offsetToZero" LIST, "Subtracts the smallest value from all.", to_zero, NULL },
	{ "perSecond" LIST " maxValue:float minValue:float",
	  "Shows how much a counter has grown in a second.", per_second, NULL },
	{ "pow" LIST " factor:float!", "Raises each value to a power.", raise, NULL },
	{ "powSeries seriesLists:seriesLists!*", "Raises the first series to the power of others.",
	  power_series, NULL },
	{ "round" LIST " precision:integer", "Rounds to some decimals.", rounded, NULL },
	{ "scale" LIST " factor:float!", "Multiplies each value by a number.", scale, NULL },
	{ "scaleToSeconds" LIST " seconds:integer!",
	  "Shows values of an interval as those of that many seconds.", to_seconds, NULL },
	{ "sigmoid" LIST, "Shows 1 / (1 + e to the power of -x).", sigmoid, NULL },
	{ "smartSummarize" LIST " intervalString:interval! func:aggFunc=sum alignTo:string",
	  "Makes one value of each interval, from the begin of the graph on.", summary_smart,
	  NULL },
	{ "squareRoot" LIST, "Shows the square root of each value.", square_root, NULL },
	{ "summarize" LIST " intervalString:interval! func:aggFunc=sum alignToFrom:boolean=false",
	  "Makes one value of each interval.", summary_summarize, NULL },
	{ "timeShift" LIST " timeShift:interval! resetEnd:boolean=true alignDST:boolean=false",
	  "Shows another time, such as yesterday, at the time of the graph.", summary_shift, NULL },
	{ "timeSlice" LIST " startSliceAt:date! endSliceAt:date=now",
	  "Shows values of a part of the time.", summary_slice, NULL },
	{ "timeStack" LIST
	  " timeShiftUnit:interval=1d timeShiftStart:integer=0 timeShiftEnd:integer=7",
	  "Shows several times, such as the last seven days, at the time of the graph.",
	  summary_stack, NULL },
	{ "transformNull" LIST " default:float=0 referenceSeries:seriesList",
	  "Puts a number in place of unknown values.", transform_null, NULL },
	{ NULL, NULL, NULL, NULL },
};
