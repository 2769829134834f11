/* SPDX-License-Identifier: MIT */
/* Facts: Graphite's manual, "Functions", and answers of graphite-web 1.1 for
 * the names of what comes out. */
#include "curve.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/kit/buffer.h>

struct call {
	const struct expression *expression;
	struct curve_source *source;
	const char **why;
};

struct curve *curve_new(const char *name, const char *expression, const char *metric, unsigned len)
{
	struct curve *curve = mc_alloc_zero(sizeof(*curve) + len * sizeof(double));

	curve->name = mc_alloc_copy(name);
	curve->expression = mc_alloc_copy(expression);
	curve->metric = mc_alloc_copy(metric);
	curve->len = len;
	return curve;
}

void curve_free(struct curve *curve)
{
	struct curve *next;

	for (; curve != NULL; curve = next) {
		next = curve->next;
		free(curve->name);
		free(curve->expression);
		free(curve->metric);
		free(curve);
	}
}

/* --- Arguments ----------------------------------------------------------- */

static struct curve *fail(const struct call *call, const char *why)
{
	if (*call->why == NULL)
		*call->why = why;
	return NULL;
}

static const struct expression *argument_at(const struct call *call, unsigned number)
{
	const struct expression *argument = call->expression->first;

	for (; argument != NULL && number > 0; number--)
		argument = argument->next;
	return argument;
}

/* The curves of one argument, or of all that are curves. */
static struct curve *curves_of(const struct call *call, bool all)
{
	struct curve *first = NULL, **end = &first;

	for (const struct expression *argument = call->expression->first;
	     argument != NULL && *call->why == NULL; argument = argument->next) {
		*end = curve_evaluate(argument, call->source, call->why);
		while (*end != NULL)
			end = &(*end)->next;
		if (!all)
			break;
	}
	if (*call->why == NULL)
		return first;
	curve_free(first);
	return NULL;
}

static void rename_curve(struct curve *curve, const char *fmt, const char *inner, const char *more)
{
	struct mc_buffer name = { 0 };

	mc_buffer_add(&name, fmt, strlen(fmt));
	mc_buffer_add(&name, "(", 1);
	mc_buffer_add(&name, inner, strlen(inner));
	mc_buffer_add(&name, more, strlen(more));
	mc_buffer_add(&name, ")", 1);
	free(curve->name);
	curve->name = name.at;
}

/* --- Of each curve ------------------------------------------------------- */

static struct curve *scale(const struct call *call)
{
	const struct expression *factor = argument_at(call, 1);
	struct curve *curves;
	char more[64];

	if (factor == NULL || factor->kind != EXPRESSION_NUMBER)
		return fail(call, "scale() needs a number");
	snprintf(more, sizeof(more), ",%g", factor->number);
	curves = curves_of(call, false);
	for (struct curve *c = curves; c != NULL; c = c->next) {
		for (unsigned i = 0; i < c->len; i++)
			c->values[i] *= factor->number;
		rename_curve(c, "scale", c->name, more);
	}
	return curves;
}

static double difference(double now, double before)
{
	return now - before; /* NaN if one of them is. */
}

static struct curve *derivative(const struct call *call)
{
	struct curve *curves = curves_of(call, false);

	for (struct curve *c = curves; c != NULL; c = c->next) {
		double before = NAN;

		for (unsigned i = 0; i < c->len; i++) {
			double now = c->values[i];

			c->values[i] = difference(now, before);
			before = now;
		}
		rename_curve(c, "derivative", c->name, "");
	}
	return curves;
}

/* A falling value is unknown: a counter was reset. */
static struct curve *per_second(const struct call *call)
{
	struct curve *curves = curves_of(call, false);

	for (struct curve *c = curves; c != NULL; c = c->next) {
		double before = NAN;

		for (unsigned i = 0; i < c->len; i++) {
			double now = c->values[i];
			double change = difference(now, before);

			c->values[i] = change >= 0 ? change / call->source->step : NAN;
			before = now;
		}
		rename_curve(c, "perSecond", c->name, "");
	}
	return curves;
}

static struct curve *alias(const struct call *call)
{
	const struct expression *name = argument_at(call, 1);
	struct curve *curves;

	if (name == NULL || name->kind != EXPRESSION_TEXT)
		return fail(call, "alias() needs a text");
	curves = curves_of(call, false);
	for (struct curve *c = curves; c != NULL; c = c->next) {
		free(c->name);
		c->name = mc_alloc_copy(name->text);
	}
	return curves;
}

/* The component with that number, which counts from the end if it is negative. */
static void add_component(struct mc_buffer *out, const char *metric, int number)
{
	int len = 1;

	for (const char *at = metric; *at != '\0'; at++)
		len += *at == '.';
	if (number < 0)
		number += len;
	if (number < 0 || number >= len)
		return;
	for (; number > 0; number--)
		metric += strcspn(metric, ".") + 1;
	if (out->size > 0)
		mc_buffer_add(out, ".", 1);
	mc_buffer_add(out, metric, strcspn(metric, "."));
}

static struct curve *alias_by_node(const struct call *call)
{
	const struct expression *first = argument_at(call, 1);
	struct curve *curves;

	for (const struct expression *e = first; e != NULL; e = e->next)
		if (e->kind != EXPRESSION_NUMBER || fabs(e->number) > 1000)
			return fail(call, "aliasByNode() needs numbers");
	if (first == NULL)
		return fail(call, "aliasByNode() needs a number");
	curves = curves_of(call, false);
	for (struct curve *c = curves; c != NULL; c = c->next) {
		struct mc_buffer name = { 0 };

		mc_buffer_add(&name, "", 0);
		for (const struct expression *e = first; e != NULL; e = e->next)
			add_component(&name, c->metric, (int)e->number);
		free(c->name);
		c->name = name.at;
	}
	return curves;
}

/* --- Of several curves one ----------------------------------------------- */

/* "a.*,b": what the curves were asked for by, each once. */
static char *expressions_of(const struct curve *curves)
{
	struct mc_buffer text = { 0 };

	mc_buffer_add(&text, "", 0);
	for (const struct curve *c = curves; c != NULL; c = c->next) {
		const struct curve *same = curves;

		while (same != c && strcmp(same->expression, c->expression) != 0)
			same = same->next;
		if (same != c)
			continue;
		if (text.size > 0)
			mc_buffer_add(&text, ",", 1);
		mc_buffer_add(&text, c->expression, strlen(c->expression));
	}
	return text.at;
}

static struct curve *combine(const struct call *call, const char *name, bool average)
{
	struct curve *curves = curves_of(call, true), *sum;
	char *inner;

	if (curves == NULL)
		return NULL;
	inner = expressions_of(curves);
	sum = curve_new("", "", curves->expression, curves->len);
	rename_curve(sum, name, inner, "");
	free(sum->expression);
	sum->expression = mc_alloc_copy(sum->name);
	free(inner);
	for (unsigned i = 0; i < sum->len; i++) {
		unsigned known = 0;

		for (const struct curve *c = curves; c != NULL; c = c->next)
			if (i < c->len && !isnan(c->values[i])) {
				sum->values[i] += c->values[i];
				known++;
			}
		if (known == 0)
			sum->values[i] = NAN;
		else if (average)
			sum->values[i] /= known;
	}
	curve_free(curves);
	return sum;
}

static struct curve *sum_series(const struct call *call)
{
	return combine(call, "sumSeries", false);
}

static struct curve *average_series(const struct call *call)
{
	return combine(call, "averageSeries", true);
}

/* --- Of none ------------------------------------------------------------- */

static struct curve *constant_line(const struct call *call)
{
	const struct expression *value = argument_at(call, 0);
	struct curve *curve;

	if (value == NULL || value->kind != EXPRESSION_NUMBER)
		return fail(call, "constantLine() needs a number");
	curve = curve_new(value->text, value->text, value->text,
			  call->source->len > 0 ? call->source->len : 3);
	for (unsigned i = 0; i < curve->len; i++)
		curve->values[i] = value->number;
	return curve;
}

/* --- All ----------------------------------------------------------------- */

static const struct {
	const char *name;
	struct curve *(*make)(const struct call *);
} functions[] = {
	{ "scale", scale },
	{ "derivative", derivative },
	{ "perSecond", per_second },
	{ "alias", alias },
	{ "aliasByNode", alias_by_node },
	{ "sumSeries", sum_series },
	{ "sum", sum_series },
	{ "averageSeries", average_series },
	{ "avg", average_series },
	{ "constantLine", constant_line },
};

struct curve *curve_evaluate(const struct expression *expression, struct curve_source *source,
			     const char **why)
{
	const struct call call = { expression, source, why };

	switch (expression->kind) {
	case EXPRESSION_PATH:
		return source->fetch(source->argument, expression->text);
	case EXPRESSION_NUMBER:
	case EXPRESSION_TEXT:
		return fail(&call, "a series is lacking where the target has "
				   "something else");
	case EXPRESSION_CALL:
		break;
	}
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		if (strcmp(functions[i].name, expression->text) == 0)
			return functions[i].make(&call);
	return fail(&call, "the target has a function other than scale, "
			   "sumSeries, averageSeries, derivative, perSecond, "
			   "alias, aliasByNode and constantLine");
}
