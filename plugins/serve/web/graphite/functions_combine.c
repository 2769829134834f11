/* SPDX-License-Identifier: MIT */
/* Several series as one.
 *
 * Facts: Graphite's manual, "Functions", and answers of graphite-web 1.1.10. */
#include "functions.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/kit/buffer.h>

#include "node.h"
#include "percent.h"
#include "rows.h"

/* --- All of them --------------------------------------------------------- */

/* The curves as one, "sumSeries(PATTERN)"; takes them. */
static struct curve *aggregate(const struct call *call, const char *name, struct curve *curves)
{
	enum aggregate function = AGGREGATE_SUM;
	size_t size = strlen(name);
	char *expressions, *tags;
	struct curve *curve;
	struct rows rows;

	if (curves == NULL)
		return NULL;
	aggregate_find(name, &function);
	if (size > 6 && strcmp(name + size - 6, "Series") == 0)
		size -= 6;
	rows_init(&rows, curves);
	curve = rows_aggregate(&rows, function, call->evaluation->known_share);
	rows_done(&rows);
	expressions = rows_expressions(curves);
	curve_become(curve, "%.*sSeries(%s)", (int)size, name, expressions);
	tags = rows_common_tags(curves);
	curve_set_tags(curve, tags);
	free(expressions);
	free(tags);
	curve_free(curves);
	return curve;
}

static struct curve *all(struct call *call)
{
	return aggregate(call, call->detail, evaluation_take_all(call));
}

static struct curve *multiply(struct call *call)
{
	struct curve *curves = evaluation_take_all(call);

	if (curve_count(curves) == 1)
		return curves;
	return aggregate(call, "multiply", curves);
}

static struct curve *by_function(struct call *call)
{
	return aggregate(call, call->arguments[1].text, evaluation_take(call, 0));
}

static struct curve *count(struct call *call)
{
	struct curve *curves = evaluation_take_all(call), *curve;
	char *expressions = rows_expressions(curves);
	struct rows rows;

	if (curves == NULL) {
		free(expressions);
		return NULL;
	}
	rows_init(&rows, curves);
	curve = curve_new("", rows.grid);
	for (unsigned i = 0; i < rows.grid.len; i++)
		curve->values[i] = rows.curves_len;
	rows_done(&rows);
	curve_become(curve, "countSeries(%s)", expressions);
	free(expressions);
	curve_free(curves);
	return curve;
}

static struct curve *percentile(struct call *call)
{
	const struct argument *percent = &call->arguments[1];
	struct curve *curves = evaluation_take(call, 0), *curve;
	struct rows rows;

	if (curves == NULL)
		return NULL;
	if (percent->number <= 0) {
		curve_free(curves);
		return evaluation_fail(call->evaluation, "%s(): 'n' is not above 0", call->name);
	}
	rows_init(&rows, curves);
	curve = curve_new("", rows.grid);
	for (unsigned i = 0; i < rows.grid.len; i++)
		curve->values[i] =
			aggregate_percentile(rows_at(&rows, i), rows.curves_len, percent->number,
					     call->arguments[2].number == 1);
	rows_done(&rows);
	curve_become(curve, "percentileOfSeries(%s,%g)", curves->expression, percent->number);
	curve_free(curves);
	return curve;
}

static struct curve *group(struct call *call)
{
	return evaluation_take_all(call);
}

static struct curve *is_known(struct call *call)
{
	struct curve *curves = evaluation_take(call, 0);

	for (struct curve *c = curves; c != NULL; c = c->next) {
		for (unsigned i = 0; i < c->grid.len; i++)
			c->values[i] = !isnan(c->values[i]);
		curve_become(c, "isNonNull(%s)", c->name);
	}
	return curves;
}

/* --- Groups -------------------------------------------------------------- */

static struct curve *aggregate_groups(const struct call *call, struct node_groups *groups,
				      const char *function)
{
	struct curve *first = NULL, **end = &first;

	for (unsigned i = 0; i < groups->len; i++) {
		*end = aggregate(call, function, groups->lists[i]);
		groups->lists[i] = NULL;
		curve_rename(*end, "%s", groups->keys[i]);
		end = &(*end)->next;
	}
	node_groups_done(groups);
	return first;
}

static char *key_of_node(const struct call *call, const struct curve *curve)
{
	struct call one = *call;

	one.len = 2; /* The function comes after it. */
	return node_key(&one, 1, curve);
}

static char *key_of_nodes(const struct call *call, const struct curve *curve)
{
	return node_key(call, 2, curve);
}

static struct curve *by_node(struct call *call)
{
	struct node_groups groups;

	node_group(&groups, evaluation_take(call, 0), key_of_node, call);
	return aggregate_groups(call, &groups, call->arguments[2].text);
}

static struct curve *by_nodes(struct call *call)
{
	struct node_groups groups;

	node_group(&groups, evaluation_take(call, 0), key_of_nodes, call);
	return aggregate_groups(call, &groups, call->arguments[1].text);
}

/* The name without the components that the arguments say. */
static char *key_without(const struct call *call, const struct curve *curve)
{
	unsigned first = call->detail != NULL ? 1 : 2;
	struct mc_buffer key = { 0 };
	const char *at = curve->name;

	mc_buffer_add(&key, "", 0);
	for (int number = 0;; number++) {
		size_t size = strcspn(at, ".");
		bool left_out = false;

		for (unsigned i = first; i < call->len; i++)
			left_out |= call->arguments[i].number == number;
		if (!left_out) {
			if (key.size > 0)
				mc_buffer_add(&key, ".", 1);
			mc_buffer_add(&key, at, size);
		}
		if (at[size] == '\0')
			return key.at;
		at += size + 1;
	}
}

static struct curve *with_wildcards(struct call *call)
{
	const char *function = call->detail != NULL ? call->detail : call->arguments[1].text;
	struct node_groups groups;

	node_group(&groups, evaluation_take(call, 0), key_without, call);
	return aggregate_groups(call, &groups, function);
}

/* --- By tags -------------------------------------------------------------- */

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* "NAME;a=x;b=y", the tags in their order; 'name' is that of all, unless it is NULL. */
static char *tags_key(const struct call *call, const struct curve *curve, const char *name)
{
	char **parts = mc_alloc_array(call->len, sizeof(*parts));
	struct mc_buffer key = { 0 };
	unsigned len = 0;

	for (unsigned i = 2; i < call->len; i++) {
		const char *tag = call->arguments[i].text;
		const char *value = curve_tag(curve, tag, strlen(tag));

		if (strcmp(tag, "name") == 0)
			name = value != NULL ? value : "";
		else
			parts[len++] = mc_alloc_printf("%s=%s", tag, value != NULL ? value : "");
	}
	qsort(parts, len, sizeof(*parts), by_text);
	mc_buffer_add(&key, name, strlen(name));
	for (unsigned i = 0; i < len; i++) {
		mc_buffer_add(&key, ";", 1);
		mc_buffer_add(&key, parts[i], strlen(parts[i]));
		free(parts[i]);
	}
	free(parts);
	return key.at;
}

/* The name that all have, or that of the function. */
static const char *common_name(const struct call *call)
{
	const struct curve *curves = call->arguments[0].curves;
	const char *name = curves != NULL ? curve_tag(curves, "name", 4) : NULL;

	for (const struct curve *c = curves; c != NULL && name != NULL; c = c->next) {
		const char *other = curve_tag(c, "name", 4);

		if (other == NULL || strcmp(name, other) != 0)
			name = NULL;
	}
	return name != NULL ? name : call->arguments[1].text;
}

static char *key_of_tags(const struct call *call, const struct curve *curve)
{
	return tags_key(call, curve, call->detail);
}

static struct curve *by_tags(struct call *call)
{
	char *name = mc_alloc_copy(common_name(call));
	struct node_groups groups;
	struct curve *curves;

	call->detail = name;
	node_group(&groups, evaluation_take(call, 0), key_of_tags, call);
	curves = aggregate_groups(call, &groups, call->arguments[1].text);
	for (struct curve *c = curves; c != NULL; c = c->next)
		curve_become(c, "%s", c->name);
	call->detail = NULL;
	free(name);
	return curves;
}

/* --- Pairs --------------------------------------------------------------- */

/* "divideSeries(a,b)" of two curves that stay the caller's. */
static struct curve *pair(const struct call *call, const char *name, const struct curve *left,
			  const struct curve *right)
{
	bool divides = strcmp(name, "divide") == 0;
	enum aggregate function = AGGREGATE_SUM;
	struct curve *curves = curve_copy(left), *curve;
	struct rows rows;

	curves->next = curve_copy(right);
	rows_init(&rows, curves);
	aggregate_find(name, &function);
	curve = divides ? curve_new("", rows.grid)
			: rows_aggregate(&rows, function, call->evaluation->known_share);
	for (unsigned i = 0; divides && i < rows.grid.len; i++) {
		const double *row = rows_at(&rows, i);

		curve->values[i] = row[1] != 0 ? row[0] / row[1] : NAN;
	}
	rows_done(&rows);
	curve_free(curves);
	curve_become(curve, "%sSeries(%s,%s)", name, left->name, right->name);
	return curve;
}

static struct curve *lists(struct call *call)
{
	const struct curve *left = call->arguments[0].curves, *right = call->arguments[1].curves;
	struct curve *first = NULL, **end = &first;

	if (curve_count(left) != curve_count(right))
		return evaluation_fail(call->evaluation, "%s(): the lists have %u and %u series",
				       call->name, curve_count(left), curve_count(right));
	for (; left != NULL; left = left->next, right = right->next) {
		*end = pair(call, call->detail, left, right);
		end = &(*end)->next;
	}
	return first;
}

static struct curve *divide(struct call *call)
{
	struct curve *dividends = evaluation_take(call, 0), *first = NULL, **end = &first;
	const struct curve *divisor = call->arguments[1].curves;

	if (curve_count(divisor) > 1) {
		curve_free(dividends);
		return evaluation_fail(call->evaluation, "%s(): the divisor is %u series, not one",
				       call->name, curve_count(divisor));
	}
	for (struct curve *c = dividends; c != NULL; c = c->next) {
		if (divisor != NULL) {
			*end = pair(call, "divide", c, divisor);
		} else {
			*end = curve_new("", c->grid);
			curve_become(*end, "divideSeries(%s,MISSING)", c->name);
		}
		end = &(*end)->next;
	}
	curve_free(dividends);
	return first;
}

/* --- The table ----------------------------------------------------------- */

#define LIST " seriesList:seriesList!"
#define LISTS " seriesLists:seriesLists!*"
#define TWO " seriesListFirstPos:seriesList! seriesListSecondPos:seriesList!"

const struct functions_row functions_combine[] = {
	{ "aggregate" LIST " func:aggFunc! xFilesFactor:float",
	  "Makes one series of several, by any function.", by_function, NULL },
	{ "aggregateWithWildcards" LIST " func:aggFunc! position:node*",
	  "Makes one series of those that differ in these components only.", with_wildcards, NULL },
	{ "asPercent" LIST " total:any nodes:nodeOrTag*",
	  "Shows each series in percent of a total: of all, of another series, or a number.",
	  percent_of, NULL },
	{ "averageSeries" LISTS, "Averages the series.", all, "average" },
	{ "averageSeriesWithWildcards" LIST " position:node*",
	  "Averages those series that differ in these components only.", with_wildcards,
	  "average" },
	{ "avg" LISTS, "Averages the series.", all, "average" },
	{ "countSeries seriesLists:seriesLists*", "Counts the series.", count, NULL },
	{ "diffSeries" LISTS, "Subtracts all other series from the first one.", all, "diff" },
	{ "diffSeriesLists" TWO, "Subtracts the series of two lists, pair by pair.", lists,
	  "diff" },
	{ "divideSeries dividendSeriesList:seriesList! divisorSeries:seriesList!",
	  "Divides each series by another one.", divide, NULL },
	{ "divideSeriesLists dividendSeriesList:seriesList! divisorSeriesList:seriesList!",
	  "Divides the series of two lists, pair by pair.", lists, "divide" },
	{ "group" LISTS, "Puts lists of series together.", group, NULL },
	{ "groupByNode" LIST " nodeNum:nodeOrTag! callback:aggOrSeriesFunc=average",
	  "Makes one series of those that have a component in common.", by_node, NULL },
	{ "groupByNodes" LIST " callback:aggOrSeriesFunc! nodes:nodeOrTag!*",
	  "Makes one series of those that have several components in common.", by_nodes, NULL },
	{ "groupByTags" LIST " callback:aggOrSeriesFunc! tags:tag!*",
	  "Makes one series of those that have tags in common.", by_tags, NULL },
	{ "isNonNull" LIST, "Shows 1 where a value is known, else 0.", is_known, NULL },
	{ "maxSeries" LISTS, "Shows the greatest value of the series.", all, "max" },
	{ "minSeries" LISTS, "Shows the smallest value of the series.", all, "min" },
	{ "multiplySeries" LISTS, "Multiplies the series.", multiply, NULL },
	{ "multiplySeriesLists" TWO, "Multiplies the series of two lists, pair by pair.", lists,
	  "multiply" },
	{ "multiplySeriesWithWildcards" LIST " position:node*",
	  "Multiplies those series that differ in these components only.", with_wildcards,
	  "multiply" },
	{ "pct" LIST " total:any nodes:nodeOrTag*", "Does what asPercent does.", percent_of, NULL },
	{ "percentileOfSeries" LIST " n:integer! interpolate:boolean=false",
	  "Shows a percentile of all series at each time.", percentile, NULL },
	{ "rangeOfSeries" LISTS, "Shows the greatest value less the smallest one.", all,
	  "rangeOf" },
	{ "stddevSeries" LISTS, "Shows the standard deviation of the series.", all, "stddev" },
	{ "sum" LISTS, "Adds the series.", all, "sum" },
	{ "sumSeries" LISTS, "Adds the series.", all, "sum" },
	{ "sumSeriesLists" TWO, "Adds the series of two lists, pair by pair.", lists, "sum" },
	{ "sumSeriesWithWildcards" LIST " position:node*",
	  "Adds those series that differ in these components only.", with_wildcards, "sum" },
	{ NULL, NULL, NULL, NULL },
};
