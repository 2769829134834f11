/* SPDX-License-Identifier: MIT */
/* Any bytes as a target, a pattern, a form and a time of Graphite's API: what
 * comes out is within its bounds. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

#include "curve.h"
#include "expression.h"
#include "form.h"
#include "pattern.h"
#include "period.h"

#define CURVES 3
#define POINTS 4

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct curve *fetch(void *argument, const char *path)
{
	struct curve *first = NULL;

	assert(strlen(path) < EXPRESSION_SIZE);
	++*(unsigned *)argument;
	for (int i = 0; i < CURVES; i++) {
		struct curve *curve = curve_new("a.b.c", path, "a.b.c", POINTS);

		for (unsigned j = 0; j < POINTS; j++)
			curve->values[j] = (double)j;
		curve->next = first;
		first = curve;
	}
	return first;
}

static void try_target(const char *text)
{
	unsigned fetches = 0;
	struct curve_source source = { fetch, &fetches, 10, POINTS };
	const char *why = NULL;
	struct expression *expression = expression_parse(text, &why);
	struct curve *curves;

	assert((expression == NULL) == (why != NULL));
	if (expression == NULL)
		return;
	curves = curve_evaluate(expression, &source, &why);
	assert(curves == NULL || curves->len == POINTS);
	assert(fetches <= EXPRESSION_NODES);
	curve_free(curves);
	expression_free(expression);
}

static void try_glob(const char *text)
{
	struct pattern glob;
	size_t size;

	if (!pattern_init(&glob, text))
		return;
	assert(glob.len <= PATTERN_ALTERNATIVES);
	pattern_matches(&glob, "host.cpu-0.cpu-idle");
	if (pattern_begins(&glob, text, &size))
		assert(size <= strlen(text));
	pattern_done(&glob);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = mc_alloc_zero(size + 1);
	struct form form = { .len = 0 };
	int64_t when;

	if (size > 0)
		memcpy(text, data, size);
	try_target(text);
	try_glob(text);
	if (period_read(text, 1700000000, &when))
		assert(when >= 0);
	form_read(&form, data, size);
	for (unsigned i = 0; i < form.len; i++)
		try_target(form.fields[i].value);
	form_done(&form);
	free(text);
	return 0;
}
