/* SPDX-License-Identifier: MIT */
/* Series without values that are too large or too small.
 *
 * Facts: Graphite's manual, "Functions", and answers of graphite-web 1.1.10. */
#include "functions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

static void remove_values(struct curve *curve, double bound, bool above)
{
	for (unsigned i = 0; i < curve->grid.len; i++)
		if (above ? curve->values[i] > bound : curve->values[i] < bound)
			curve->values[i] = NAN;
}

static struct curve *by_value(struct call *call)
{
	double bound = call->arguments[1].number;
	struct curve *curves = evaluation_take(call, 0);

	for (struct curve *c = curves; c != NULL; c = c->next) {
		remove_values(c, bound, call->detail != NULL);
		curve_become(c, "%s(%s, %g)", call->name, c->name, bound);
	}
	return curves;
}

static struct curve *by_percentile(struct call *call)
{
	double percent = call->arguments[1].number;
	struct curve *curves = evaluation_take(call, 0);

	for (struct curve *c = curves; c != NULL; c = c->next) {
		double *sorted = mc_alloc_bytes(c->values, c->grid.len * sizeof(*sorted));
		double bound = aggregate_percentile(sorted, c->grid.len, percent, false);

		free(sorted);
		remove_values(c, bound, call->detail != NULL);
		curve_become(c, "%s(%s, %g)", call->name, c->name, percent);
	}
	return curves;
}

#define ABOVE "above"
#define LIST " seriesList:seriesList!"

const struct functions_row functions_filter_data[] = {
	{ "removeAbovePercentile" LIST " n:integer!",
	  "Removes values above a percentile of the series.", by_percentile, ABOVE },
	{ "removeAboveValue" LIST " n:float!", "Removes values above a number.", by_value, ABOVE },
	{ "removeBelowPercentile" LIST " n:integer!",
	  "Removes values below a percentile of the series.", by_percentile, NULL },
	{ "removeBelowValue" LIST " n:float!", "Removes values below a number.", by_value, NULL },
	{ NULL, NULL, NULL, NULL },
};
