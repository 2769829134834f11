/* SPDX-License-Identifier: MIT */
#include "curve.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

struct curve *curve_new(const char *name, struct curve_grid grid)
{
	struct curve *curve = mc_alloc_zero(sizeof(*curve));

	curve->name = mc_alloc_copy(name);
	curve->expression = mc_alloc_copy(name);
	curve->tags = mc_alloc_zero(1);
	curve->grid = grid;
	curve->values = mc_alloc_array(grid.len, sizeof(*curve->values));
	for (unsigned i = 0; i < grid.len; i++)
		curve->values[i] = NAN;
	return curve;
}

void curve_free(struct curve *curve)
{
	struct curve *next;

	for (; curve != NULL; curve = next) {
		next = curve->next;
		free(curve->name);
		free(curve->expression);
		free(curve->tags);
		free(curve->values);
		free(curve);
	}
}

struct curve *curve_copy(const struct curve *curve)
{
	struct curve *copy = curve_new(curve->name, curve->grid);

	free(copy->expression);
	copy->expression = mc_alloc_copy(curve->expression);
	curve_set_tags(copy, curve->tags);
	copy->consolidation = curve->consolidation;
	copy->known_share = curve->known_share;
	memcpy(copy->values, curve->values, curve->grid.len * sizeof(*copy->values));
	return copy;
}

unsigned curve_count(const struct curve *curve)
{
	unsigned len = 0;

	for (; curve != NULL; curve = curve->next)
		len++;
	return len;
}

/* --- Names --------------------------------------------------------------- */

/* The new name may be made of the old one. */
static void print_name(struct curve *curve, const char *fmt, va_list args)
{
	va_list again;
	char *name;
	int size;

	va_copy(again, args);
	size = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	name = mc_alloc_zero((size > 0 ? (size_t)size : 0) + 1);
	vsnprintf(name, (size > 0 ? (size_t)size : 0) + 1, fmt, args);
	free(curve->name);
	curve->name = name;
}

void curve_rename(struct curve *curve, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	print_name(curve, fmt, args);
	va_end(args);
}

void curve_become(struct curve *curve, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	print_name(curve, fmt, args);
	va_end(args);
	free(curve->expression);
	curve->expression = mc_alloc_copy(curve->name);
}

/* --- Values -------------------------------------------------------------- */

void curve_replace(struct curve *curve, double *values, struct curve_grid grid)
{
	free(curve->values);
	curve->values = values;
	curve->grid = grid;
}

void curve_consolidate(struct curve *curve, unsigned len)
{
	struct curve_grid *grid = &curve->grid;
	unsigned out = 0;

	if (len <= 1)
		return;
	for (unsigned i = 0; i < grid->len; i += len) {
		unsigned size = grid->len - i < len ? grid->len - i : len;
		double *values = curve->values + i;
		size_t known = aggregate_count(values, size);

		curve->values[out++] =
			aggregate_is_known(known, len, curve->known_share)
				? aggregate_values(curve->consolidation, values, size)
				: NAN;
		if (size < len)
			break;
	}
	grid->len = out;
	grid->step *= len;
}

/* --- Tags ---------------------------------------------------------------- */

static size_t tags_size(const char *tags)
{
	const char *at = tags;

	while (*at != '\0')
		at += strlen(at) + 1;
	return (size_t)(at - tags) + 1;
}

const char *curve_tag(const struct curve *curve, const char *name, size_t size)
{
	for (const char *at = curve->tags; *at != '\0'; at += strlen(at) + 1)
		if (strncmp(at, name, size) == 0 && at[size] == '=')
			return at + size + 1;
	return NULL;
}

void curve_set_tags(struct curve *curve, const char *tags)
{
	char *copy = mc_alloc_bytes(tags, tags_size(tags));

	free(curve->tags);
	curve->tags = copy;
}
