/* SPDX-License-Identifier: MIT */
/* Some series of a list.
 *
 * Facts: Graphite's manual, "Functions", and answers of graphite-web 1.1.10. */
#include "functions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/kit/regex.h>

#include "choice.h"
#include "order.h"
#include "substitute.h"

/* --- By values ------------------------------------------------------------ */

static double value_of(const struct curve *curve, const char *function)
{
	enum aggregate aggregate = AGGREGATE_AVERAGE;
	struct curve *copy = curve_copy(curve); /* A median sorts. */
	double value;

	aggregate_find(function, &aggregate);
	value = aggregate_values(aggregate, copy->values, copy->grid.len);
	curve_free(copy);
	return value;
}

/* An unknown value is less than any. */
static bool compare(double value, const char *operator, double bound)
{
	if (isnan(value))
		return operator[0] == '<' || operator[0] == '!';
	if (strcmp(operator, "=") == 0)
		return value == bound;
	if (strcmp(operator, "!=") == 0)
		return value != bound;
	if (strcmp(operator, ">") == 0)
		return value > bound;
	if (strcmp(operator, ">=") == 0)
		return value >= bound;
	return strcmp(operator, "<") == 0 ? value < bound : value <= bound;
}

static bool is_chosen(const struct call *call, struct curve *curve)
{
	return compare(value_of(curve, call->arguments[1].text), call->arguments[2].text,
		       call->arguments[3].number);
}

static struct curve *by_operator(struct call *call)
{
	static const char *const operators[] = { "=", "!=", ">", ">=", "<", "<=" };
	bool known = false;

	for (size_t i = 0; i < sizeof(operators) / sizeof(*operators); i++)
		known |= strcmp(operators[i], call->arguments[2].text) == 0;
	if (!known)
		return evaluation_fail(call->evaluation, "%s(): '%.20s' is no operator", call->name,
				       call->arguments[2].text);
	return choice_keep(call, evaluation_take(call, 0), is_chosen);
}

/* Rows have "FUNCTION OPERATOR". */
static bool is_beyond(const struct call *call, struct curve *curve)
{
	size_t size = strcspn(call->detail, " ");
	char function[16] = "";

	memcpy(function, call->detail, size);
	return compare(value_of(curve, function), call->detail + size + 1,
		       call->arguments[1].number);
}

static struct curve *beyond(struct call *call)
{
	return choice_keep(call, evaluation_take(call, 0), is_beyond);
}

static bool has_values(const struct call *call, struct curve *curve)
{
	double share = call->arguments[1].number;

	return aggregate_is_known(aggregate_count(curve->values, curve->grid.len), curve->grid.len,
				  isnan(share) ? 0 : share);
}

static struct curve *without_empty(struct call *call)
{
	return choice_keep(call, evaluation_take(call, 0), has_values);
}

/* --- The first ones -------------------------------------------------------- */

static struct curve *most(struct call *call, const char *function, bool highest)
{
	enum aggregate aggregate = AGGREGATE_AVERAGE;

	aggregate_find(function, &aggregate);
	return order_limit(order_by_value(evaluation_take(call, 0), aggregate, highest),
			   call->arguments[1].number);
}

static struct curve *highest(struct call *call)
{
	return most(call, call->detail != NULL ? call->detail : call->arguments[2].text, true);
}

static struct curve *lowest(struct call *call)
{
	return most(call, call->detail != NULL ? call->detail : call->arguments[2].text, false);
}

static struct curve *limit(struct call *call)
{
	return order_limit(evaluation_take(call, 0), call->arguments[1].number);
}

static double variance(const struct curve *curve)
{
	double mean = value_of(curve, "average"), sum = 0;

	for (unsigned i = 0; i < curve->grid.len; i++)
		if (!isnan(curve->values[i]))
			sum += (curve->values[i] - mean) * (curve->values[i] - mean);
	return sum / (double)aggregate_count(curve->values, curve->grid.len);
}

static bool varies(const struct call *call, struct curve *curve)
{
	(void)call;
	return !isnan(variance(curve));
}

static struct curve *deviant(struct call *call)
{
	struct curve *curves = choice_keep(call, evaluation_take(call, 0), varies);

	/* The standard deviation is in the same order. */
	return order_limit(order_by_value(curves, AGGREGATE_STDDEV, true),
			   call->arguments[1].number);
}

/* --- By names -------------------------------------------------------------- */

static struct curve *by_regex(struct call *call, int wanted)
{
	struct mc_regex *regex = substitute_regex(call, 1);
	struct curve *curves, **at = &curves;

	if (regex == NULL)
		return NULL;
	for (curves = evaluation_take(call, 0); *at != NULL;) {
		struct curve *curve = *at;

		if (mc_regex_match(regex, curve->name, strlen(curve->name)) == wanted) {
			at = &curve->next;
			continue;
		}
		*at = curve->next;
		curve->next = NULL;
		curve_free(curve);
	}
	mc_regex_free(regex);
	return curves;
}

static struct curve *grep(struct call *call)
{
	return by_regex(call, 1);
}

static struct curve *exclude(struct call *call)
{
	return by_regex(call, 0);
}

static struct curve *unique(struct call *call)
{
	struct curve *curves = evaluation_take_all(call);

	for (struct curve *c = curves; c != NULL; c = c->next) {
		struct curve **at = &c->next;

		while (*at != NULL) {
			struct curve *other = *at;

			if (strcmp(other->name, c->name) != 0) {
				at = &other->next;
				continue;
			}
			*at = other->next;
			other->next = NULL;
			curve_free(other);
		}
	}
	return curves;
}

/* --- By percentiles of all -------------------------------------------------- */

static struct curve *outside_percentile(struct call *call)
{
	double percent = call->arguments[1].number, low, high;
	struct curve *curves = evaluation_take(call, 0), **at = &curves;
	double *averages = mc_alloc_array(curve_count(curves), sizeof(*averages));
	unsigned len = 0;

	percent = percent < 50 ? 100 - percent : percent;
	for (const struct curve *c = curves; c != NULL; c = c->next)
		averages[len++] = value_of(c, "average");
	low = aggregate_percentile(averages, len, 100 - percent, false);
	high = aggregate_percentile(averages, len, percent, false);
	free(averages);
	while (*at != NULL) {
		struct curve *curve = *at;
		double average = value_of(curve, "average");

		if (!(low < average && average < high)) {
			at = &curve->next;
			continue;
		}
		*at = curve->next;
		curve->next = NULL;
		curve_free(curve);
	}
	return curves;
}

/* --- The table ----------------------------------------------------------- */

#define LIST " seriesList:seriesList!"
#define FIRST " n:integer=1 func:aggFunc=average"

const struct functions_row functions_filter_series[] = {
	{ "averageAbove" LIST " n:float!", "Keeps series whose average is above a number.", beyond,
	  "average >" },
	{ "averageBelow" LIST " n:float!", "Keeps series whose average is at most a number.",
	  beyond, "average <=" },
	{ "averageOutsidePercentile" LIST " n:float!",
	  "Keeps series whose average is not between two percentiles of all.", outside_percentile,
	  NULL },
	{ "currentAbove" LIST " n:float!", "Keeps series whose last value is above a number.",
	  beyond, "last >" },
	{ "currentBelow" LIST " n:float!", "Keeps series whose last value is at most a number.",
	  beyond, "last <=" },
	{ "exclude" LIST " pattern:string!",
	  "Keeps series whose names do not match a regular expression.", exclude, NULL },
	{ "filterSeries" LIST " func:aggFunc! operator:string! threshold:float!",
	  "Keeps series by a comparison, such as max > 5.", by_operator, NULL },
	{ "grep" LIST " pattern:string!", "Keeps series whose names match a regular expression.",
	  grep, NULL },
	{ "highest" LIST FIRST, "Keeps the series that are highest.", highest, NULL },
	{ "highestAverage" LIST " n:integer!", "Keeps the series of the highest average.", highest,
	  "average" },
	{ "highestCurrent" LIST " n:integer!", "Keeps the series of the highest last value.",
	  highest, "last" },
	{ "highestMax" LIST " n:integer!", "Keeps the series of the highest maximum.", highest,
	  "max" },
	{ "limit" LIST " n:integer!", "Keeps the first series.", limit, NULL },
	{ "lowest" LIST FIRST, "Keeps the series that are lowest.", lowest, NULL },
	{ "lowestAverage" LIST " n:integer!", "Keeps the series of the lowest average.", lowest,
	  "average" },
	{ "lowestCurrent" LIST " n:integer!", "Keeps the series of the lowest last value.", lowest,
	  "last" },
	{ "maximumAbove" LIST " n:float!", "Keeps series whose maximum is above a number.", beyond,
	  "max >" },
	{ "maximumBelow" LIST " n:float!", "Keeps series whose maximum is at most a number.",
	  beyond, "max <=" },
	{ "minimumAbove" LIST " n:float!", "Keeps series whose minimum is above a number.", beyond,
	  "min >" },
	{ "minimumBelow" LIST " n:float!", "Keeps series whose minimum is at most a number.",
	  beyond, "min <=" },
	{ "mostDeviant" LIST " n:integer!", "Keeps the series that vary most.", deviant, NULL },
	{ "removeEmptySeries" LIST " xFilesFactor:float", "Keeps series that have values.",
	  without_empty, NULL },
	{ "unique seriesLists:seriesLists!*", "Keeps the first series of each name.", unique,
	  NULL },
	{ NULL, NULL, NULL, NULL },
};
