/* SPDX-License-Identifier: MIT */
/* Facts: Graphite's manual, "Functions", and answers of graphite-web 1.1.10. */
#include "evaluation.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void *evaluation_fail(struct evaluation *evaluation, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	if (!evaluation_failed(evaluation))
		vsnprintf(evaluation->why, sizeof(evaluation->why), fmt, args);
	va_end(args);
	return NULL;
}

bool evaluation_failed(const struct evaluation *evaluation)
{
	return evaluation->why[0] != '\0';
}

bool evaluation_admits(struct evaluation *evaluation, uint64_t points)
{
	if (points > EVALUATION_POINTS)
		evaluation_fail(evaluation, "too many points of one series: %llu of at most %d",
				(unsigned long long)points, EVALUATION_POINTS);
	else if (evaluation->values + points > EVALUATION_VALUES)
		evaluation_fail(evaluation, "too many values: ask for fewer series or a shorter "
					    "time");
	else
		evaluation->values += points;
	if (evaluation->goes_on != NULL && !evaluation->goes_on(evaluation))
		evaluation_fail(evaluation, "it takes too long");
	return !evaluation_failed(evaluation);
}

void evaluation_done(struct evaluation *evaluation)
{
	curve_free(evaluation->stacks);
	evaluation->stacks = NULL;
}

/* --- For functions ------------------------------------------------------- */

struct curve *evaluation_take(struct call *call, unsigned argument)
{
	struct curve *curves = call->arguments[argument].curves;

	call->arguments[argument].curves = NULL;
	return curves;
}

struct curve *evaluation_take_all(struct call *call)
{
	struct curve *first = NULL, **end = &first;

	for (unsigned i = 0; i < call->len; i++) {
		*end = evaluation_take(call, i);
		while (*end != NULL)
			end = &(*end)->next;
	}
	return first;
}

struct curve *evaluation_again(struct call *call, int64_t from, int64_t until)
{
	struct evaluation *evaluation = call->evaluation;
	int64_t old_from = evaluation->from, old_until = evaluation->until;
	struct curve *curves;

	evaluation->from = from > 0 ? from : 0;
	evaluation->until = until > 0 ? until : 1;
	curves = evaluation->evaluate(evaluation, call->arguments[0].expression);
	evaluation->from = old_from;
	evaluation->until = old_until;
	return curves;
}
