/* SPDX-License-Identifier: MIT */
#include "rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/kit/buffer.h>

#define STEP_MAX ((int64_t)1 << 40)

static int64_t common_multiple(int64_t a, int64_t b)
{
	int64_t x = a, y = b, product;

	while (y != 0) {
		int64_t rest = x % y;

		x = y;
		y = rest;
	}
	if (__builtin_mul_overflow(a / x, b, &product) || product > STEP_MAX)
		return a > b ? a : b;
	return product;
}

static void make_alike(struct rows *rows, struct curve *curves)
{
	int64_t step = curves->grid.step;

	for (const struct curve *c = curves; c != NULL; c = c->next)
		step = common_multiple(step, c->grid.step);
	rows->grid = (struct curve_grid){ INT64_MAX, INT64_MIN, step, 0 };
	for (struct curve *c = curves; c != NULL; c = c->next) {
		int64_t len = step / c->grid.step;

		curve_consolidate(c, len < UINT32_MAX ? (unsigned)len : UINT32_MAX);
		if (c->grid.start < rows->grid.start)
			rows->grid.start = c->grid.start;
		if (c->grid.end > rows->grid.end)
			rows->grid.end = c->grid.end;
		if (c->grid.len > rows->grid.len)
			rows->grid.len = c->grid.len;
	}
	rows->grid.end -= (rows->grid.end - rows->grid.start) % step;
}

void rows_init(struct rows *rows, struct curve *curves)
{
	*rows = (struct rows){ .curves_len = curve_count(curves) };
	rows->curves = mc_alloc_array(rows->curves_len, sizeof(struct curve *));
	rows->row = mc_alloc_array(rows->curves_len, sizeof(double));
	for (unsigned i = 0; i < rows->curves_len; i++) {
		rows->curves[i] = i > 0 ? rows->curves[i - 1]->next : curves;
	}
	if (curves != NULL)
		make_alike(rows, curves);
}

void rows_done(struct rows *rows)
{
	free(rows->curves);
	free(rows->row);
}

double *rows_at(const struct rows *rows, unsigned number)
{
	for (unsigned i = 0; i < rows->curves_len; i++) {
		const struct curve *curve = rows->curves[i];

		rows->row[i] = number < curve->grid.len ? curve->values[number] : NAN;
	}
	return rows->row;
}

struct curve *rows_aggregate(const struct rows *rows, enum aggregate aggregate, double known_share)
{
	struct curve *curve = curve_new("", rows->grid);

	for (unsigned i = 0; i < rows->grid.len; i++) {
		double *row = rows_at(rows, i);
		size_t known = aggregate_count(row, rows->curves_len);

		if (aggregate_is_known(known, rows->curves_len, known_share))
			curve->values[i] = aggregate_values(aggregate, row, rows->curves_len);
	}
	curve->known_share = known_share;
	return curve;
}

/* --- What they have in common -------------------------------------------- */

char *rows_expressions(const struct curve *curves)
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

static bool all_have(const struct curve *curves, const char *tag)
{
	size_t size = strcspn(tag, "=");

	for (; curves != NULL; curves = curves->next) {
		const char *value = curve_tag(curves, tag, size);

		if (value == NULL || strcmp(value, tag + size + 1) != 0)
			return false;
	}
	return true;
}

char *rows_common_tags(const struct curve *curves)
{
	struct mc_buffer tags = { 0 };

	mc_buffer_add(&tags, "", 0);
	if (curves != NULL)
		for (const char *tag = curves->tags; *tag != '\0'; tag += strlen(tag) + 1)
			if (all_have(curves, tag))
				mc_buffer_add(&tags, tag, strlen(tag) + 1);
	return tags.at; /* The '\0' after it ends them. */
}
