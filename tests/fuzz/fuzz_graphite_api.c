/* SPDX-License-Identifier: MIT */
/* Any bytes as a target, a pattern, a form and a time of Graphite's API: what
 * comes out is within its bounds. */
#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

#include "form.h"
#include "pattern.h"
#include "period.h"
#include "print.h"
#include "target.h"

#define CURVES 3
#define POINTS 4

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct curve *fetch(struct evaluation *evaluation, const struct expression *part)
{
	struct curve_grid grid = { evaluation->from, 0, 10, POINTS };
	struct curve *first = NULL;

	assert(strlen(part->text) < EXPRESSION_SIZE);
	assert(evaluation->until > evaluation->from || evaluation->from == 0);
	++*(unsigned *)evaluation->argument;
	grid.end = grid.start + grid.step * grid.len;
	for (int i = 0; i < CURVES; i++) {
		struct curve *curve = curve_new("a.b.c", grid);

		for (unsigned j = 0; j < POINTS; j++)
			curve->values[j] = j == 2 ? NAN : (double)j;
		curve->next = first;
		first = curve;
	}
	return first;
}

static void check(const struct curve *curve)
{
	assert(curve->grid.step > 0);
	assert(curve->grid.len <= EVALUATION_POINTS);
	assert(curve->name != NULL && curve->expression != NULL);
}

static void print(struct curve *curves)
{
	struct mc_json *json = mc_json_new(false), *dygraph = mc_json_new(false);
	struct mc_buffer text = { 0 };

	print_raw(&text, curves);
	print_csv(&text, curves);
	print_dygraph(dygraph, curves);
	print_json(json, curves, &(struct print_options){ .points_max = 2 });
	mc_buffer_free(&text);
	mc_json_free(json);
	mc_json_free(dygraph);
}

static void try_target(const char *text)
{
	unsigned fetches = 0;
	struct evaluation evaluation = { .fetch = fetch,
					 .argument = &fetches,
					 .now = 1700000000,
					 .from = 1699990000,
					 .until = 1700000000 };
	struct curve *curves = target_evaluate(&evaluation, text);

	assert(curves == NULL || !evaluation_failed(&evaluation));
	assert(fetches <= EVALUATION_CALLS);
	for (const struct curve *c = curves; c != NULL; c = c->next)
		check(c);
	print(curves);
	curve_free(curves);
	evaluation_done(&evaluation);
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
