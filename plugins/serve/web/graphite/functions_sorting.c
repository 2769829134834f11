/* SPDX-License-Identifier: MIT */
/* Lists of series in an order.
 *
 * Facts: Graphite's manual, "Functions", and answers of graphite-web 1.1.10. */
#include "functions.h"

#include "choice.h"
#include "order.h"

static struct curve *by_function(struct call *call)
{
	enum aggregate aggregate = AGGREGATE_AVERAGE;

	aggregate_find(call->arguments[1].text, &aggregate);
	return order_by_value(evaluation_take(call, 0), aggregate, call->arguments[2].number == 1);
}

static struct curve *by_total(struct call *call)
{
	return order_by_value(evaluation_take(call, 0), AGGREGATE_SUM, true);
}

static struct curve *by_maximum(struct call *call)
{
	return order_by_value(evaluation_take(call, 0), AGGREGATE_MAX, true);
}

static bool is_above_zero(const struct call *call, struct curve *curve)
{
	(void)call;
	return aggregate_values(AGGREGATE_MAX, curve->values, curve->grid.len) > 0;
}

static struct curve *by_minimum(struct call *call)
{
	struct curve *curves = choice_keep(call, evaluation_take(call, 0), is_above_zero);

	return order_by_value(curves, AGGREGATE_MIN, false);
}

static struct curve *by_name(struct call *call)
{
	return order_by_name(evaluation_take(call, 0), call->arguments[1].number == 1,
			     call->arguments[2].number == 1);
}

#define LIST " seriesList:seriesList!"

const struct functions_row functions_sorting[] = {
	{ "sortBy" LIST " func:aggFunc=average reverse:boolean=false",
	  "Sorts by the average, or another function, of the values.", by_function, NULL },
	{ "sortByMaxima" LIST, "Sorts by the greatest value, the greatest first.", by_maximum,
	  NULL },
	{ "sortByMinima" LIST,
	  "Sorts by the smallest value, without series that are never above 0.", by_minimum, NULL },
	{ "sortByName" LIST " natural:boolean=false reverse:boolean=false", "Sorts by the name.",
	  by_name, NULL },
	{ "sortByTotal" LIST, "Sorts by the sum of the values, the greatest first.", by_total,
	  NULL },
	{ NULL, NULL, NULL, NULL },
};
