/* SPDX-License-Identifier: MIT */
#include "order.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <collector/kit/alloc.h>

struct item {
	struct curve *curve;
	double value;
	unsigned number;
	bool reverse;
};

static struct item *items_of(struct curve *curves, bool reverse, unsigned *len)
{
	struct item *items = mc_alloc_array(curve_count(curves), sizeof(*items));

	for (*len = 0; curves != NULL; curves = curves->next, ++*len)
		items[*len] = (struct item){ .curve = curves, .number = *len, .reverse = reverse };
	return items;
}

static struct curve *list_of(struct item *items, unsigned len)
{
	struct curve *first = len > 0 ? items[0].curve : NULL;

	for (unsigned i = 0; i < len; i++)
		items[i].curve->next = i + 1 < len ? items[i + 1].curve : NULL;
	free(items);
	return first;
}

/* Equal ones in their order. */
static int decide(const struct item *left, const struct item *right, int order)
{
	if (order == 0)
		return left->number < right->number ? -1 : 1;
	return left->reverse ? -order : order;
}

static int by_value(const void *a, const void *b)
{
	const struct item *left = a, *right = b;

	return decide(left, right, (left->value > right->value) - (left->value < right->value));
}

struct curve *order_by_value(struct curve *curves, enum aggregate aggregate, bool reverse)
{
	unsigned len;
	struct item *items = items_of(curves, reverse, &len);

	for (unsigned i = 0; i < len; i++) {
		struct curve *copy = curve_copy(items[i].curve); /* A median sorts. */

		items[i].value = aggregate_values(aggregate, copy->values, copy->grid.len);
		if (isnan(items[i].value))
			items[i].value = -INFINITY;
		curve_free(copy);
	}
	qsort(items, len, sizeof(*items), by_value);
	return list_of(items, len);
}

static int by_name(const void *a, const void *b)
{
	const struct item *left = a, *right = b;

	return decide(left, right, strcmp(left->curve->name, right->curve->name));
}

static int by_name_naturally(const void *a, const void *b)
{
	const struct item *left = a, *right = b;

	return decide(left, right, strverscmp(left->curve->name, right->curve->name));
}

struct curve *order_by_name(struct curve *curves, bool naturally, bool reverse)
{
	unsigned len;
	struct item *items = items_of(curves, reverse, &len);

	qsort(items, len, sizeof(*items), naturally ? by_name_naturally : by_name);
	return list_of(items, len);
}

struct curve *order_limit(struct curve *curves, double len)
{
	struct curve **end = &curves;

	if (len < 0)
		len = fmax(0, curve_count(curves) + len);
	for (; *end != NULL && len > 0; len--)
		end = &(*end)->next;
	curve_free(*end);
	*end = NULL;
	return curves;
}
