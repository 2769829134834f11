/* SPDX-License-Identifier: MIT */
/* Facts: Graphite's manual, "Functions", and answers of graphite-web 1.1.10. */
#include "target.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/kit/number.h>

#include "functions.h"
#include "period.h"

#define WHOLE_MAX 1e9 /* Of a whole number. */

static struct curve *evaluate(struct evaluation *, const struct expression *);

/* --- Arguments ----------------------------------------------------------- */

static bool is_whole(double number)
{
	return fabs(number) <= WHOLE_MAX && floor(number) == number;
}

static bool is_number(enum functions_type type, double number)
{
	switch (type) {
	case FUNCTIONS_INTEGER:
	case FUNCTIONS_NODE:
	case FUNCTIONS_INTEGER_OR_INTERVAL:
	case FUNCTIONS_NODE_OR_TAG:
		return is_whole(number);
	case FUNCTIONS_INTEGER_OR_INFINITY:
		return is_whole(number) || number == INFINITY;
	case FUNCTIONS_BOOLEAN:
		return number == 0 || number == 1;
	case FUNCTIONS_FLOAT:
	case FUNCTIONS_ANY:
		return true;
	default:
		return false;
	}
}

/* Whether a text without blanks or signs can be that. */
static bool is_text(enum functions_type type, struct argument *argument)
{
	enum aggregate aggregate;
	bool is_interval = period_interval(argument->text, &argument->interval);

	switch (type) {
	case FUNCTIONS_STRING:
	case FUNCTIONS_DATE:
	case FUNCTIONS_TAG:
	case FUNCTIONS_NODE_OR_TAG:
		return true;
	case FUNCTIONS_INTERVAL:
	case FUNCTIONS_INTEGER_OR_INTERVAL:
		return is_interval && argument->interval != 0;
	case FUNCTIONS_AGGREGATE:
	case FUNCTIONS_AGGREGATE_OR_FUNCTION:
		return aggregate_find(argument->text, &aggregate);
	default:
		return false;
	}
}

/* Whether the text of an argument, quoted or not, can be what the parameter asks for. */
static bool take_text(enum functions_type type, struct argument *argument)
{
	if (mc_number_double(argument->text, &argument->number) || isinf(argument->number)) {
		if (is_number(type, argument->number))
			return true;
	} else if (type == FUNCTIONS_BOOLEAN) {
		argument->number = strcmp(argument->text, "true") == 0;
		return argument->number == 1 || strcmp(argument->text, "false") == 0;
	}
	argument->number = NAN;
	return is_text(type, argument);
}

static bool may_be_curves(enum functions_type type)
{
	return type == FUNCTIONS_SERIES_LIST || type == FUNCTIONS_SERIES_LISTS ||
	       type == FUNCTIONS_ANY;
}

static void take_argument(struct call *call, const struct functions_parameter *parameter,
			  struct argument *argument)
{
	const struct expression *part = argument->expression;
	bool fits = false;

	argument->number = part->number;
	switch (part->kind) {
	case EXPRESSION_PATH:
	case EXPRESSION_CALL:
		fits = may_be_curves(parameter->type);
		if (fits)
			argument->curves = evaluate(call->evaluation, part);
		break;
	case EXPRESSION_NUMBER:
	case EXPRESSION_TEXT:
		argument->text = part->text;
		fits = take_text(parameter->type, argument);
		break;
	case EXPRESSION_BOOLEAN:
		fits = parameter->type == FUNCTIONS_BOOLEAN;
		break;
	case EXPRESSION_NONE:
		fits = !parameter->required;
		argument->number = NAN;
		argument->expression = NULL;
		break;
	}
	if (!fits)
		evaluation_fail(call->evaluation, "%s(): '%s' is not of the type %s", call->name,
				parameter->name, parameter->type_name);
}

static void take_default(struct call *call, const struct functions_parameter *parameter,
			 struct argument *argument)
{
	argument->number = NAN;
	if (parameter->required)
		evaluation_fail(call->evaluation, "%s(): '%s' is lacking", call->name,
				parameter->name);
	if (parameter->otherwise[0] == '\0')
		return;
	argument->text = parameter->otherwise;
	if (strcmp(argument->text, "inf") == 0)
		argument->number = INFINITY;
	take_text(parameter->type, argument);
}

/* The number of the parameter that has that name; 'len' without one. */
static unsigned find_parameter(const struct functions_parameter *parameters, unsigned len,
			       const char *name)
{
	unsigned i = 0;

	while (i < len && strcmp(parameters[i].name, name) != 0)
		i++;
	return i;
}

/* Puts each argument where its parameter is. */
static void place(struct call *call, const struct functions_parameter *parameters, unsigned len)
{
	const struct expression *part = call->part->first;

	for (unsigned i = 0; part != NULL; part = part->next, i++) {
		unsigned at = i;

		if (part->keyword != NULL)
			at = find_parameter(parameters, len, part->keyword);
		if (part->keyword != NULL && at == len)
			evaluation_fail(call->evaluation, "%s() has no '%s'", call->name,
					part->keyword);
		else if (at >= len && (len == 0 || !parameters[len - 1].multiple))
			evaluation_fail(call->evaluation, "%s() has %u parameters, not more",
					call->name, len);
		else if (call->arguments[at].expression != NULL)
			evaluation_fail(call->evaluation, "%s(): '%s' is there twice", call->name,
					parameters[at].name);
		else
			call->arguments[at].expression = part;
		if (evaluation_failed(call->evaluation))
			return;
		if (at >= call->len)
			call->len = at + 1;
	}
}

/* --- Calls --------------------------------------------------------------- */

static unsigned count_arguments(const struct expression *part)
{
	unsigned len = 0;

	for (part = part->first; part != NULL; part = part->next)
		len++;
	return len;
}

static struct curve *make(struct call *call, const struct functions_row *row)
{
	struct functions_parameter parameters[FUNCTIONS_PARAMETERS];
	unsigned len = functions_parameters(row->signature, parameters);
	struct curve *curves = NULL;

	call->arguments =
		mc_alloc_array(len + count_arguments(call->part), sizeof(*call->arguments));
	call->len = len;
	call->detail = row->detail;
	place(call, parameters, len);
	for (unsigned i = 0; i < call->len && !evaluation_failed(call->evaluation); i++) {
		const struct functions_parameter *parameter = &parameters[i < len ? i : len - 1];
		struct argument *argument = &call->arguments[i];

		if (argument->expression != NULL)
			take_argument(call, parameter, argument);
		if (argument->expression == NULL)
			take_default(call, parameter, argument);
	}
	if (!evaluation_failed(call->evaluation))
		curves = row->make(call);
	for (unsigned i = 0; i < call->len; i++)
		curve_free(call->arguments[i].curves);
	free(call->arguments);
	return curves;
}

static struct curve *evaluate_call(struct evaluation *evaluation, const struct expression *part)
{
	struct call call = { .evaluation = evaluation, .part = part, .name = part->text };
	const struct functions_row *row;
	struct curve *curves;

	if (strcmp(part->text, "seriesByTag") == 0)
		return evaluation->fetch(evaluation, part);
	row = functions_find(part->text);
	if (row == NULL)
		return evaluation_fail(evaluation, "the function '%.200s' does not exist here",
				       part->text);
	curves = make(&call, row);
	if (!evaluation_failed(evaluation))
		return curves;
	curve_free(curves);
	return NULL;
}

static struct curve *evaluate(struct evaluation *evaluation, const struct expression *part)
{
	if (++evaluation->calls > EVALUATION_CALLS)
		return evaluation_fail(evaluation, "the target has too much to compute");
	if (part->kind == EXPRESSION_CALL)
		return evaluate_call(evaluation, part);
	if (part->kind == EXPRESSION_PATH)
		return evaluation->fetch(evaluation, part);
	return evaluation_fail(evaluation, "a series is lacking where the target has something "
					   "else");
}

struct curve *target_evaluate(struct evaluation *evaluation, const char *target)
{
	const char *why = NULL;
	struct expression *expression = expression_parse(target, &why);
	struct curve *curves = NULL;

	evaluation->calls = 0;
	evaluation->evaluate = evaluate;
	if (expression != NULL)
		curves = evaluate(evaluation, expression);
	else
		evaluation_fail(evaluation, "%s", why);
	expression_free(expression);
	if (!evaluation_failed(evaluation))
		return curves;
	curve_free(curves);
	return NULL;
}
