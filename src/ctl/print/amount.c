/* SPDX-License-Identifier: MIT */
/* The rate of a series as a person understands it. */
#include "ctl/print/amount.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct amount amount_of(double rate, const char *unit, const char *type_instance)
{
	static const struct {
		const char *unit, *shown;
		double factor, cores; /* 0: no time of processors. */
	} units[] = {
		{ "jiffies/s", "% of a core", 1, 0.01 },
		{ "ns/s", "cores", 1e-9, 1e-9 },
		{ "us/s", "%", 1e-4, 0 },
		{ "ms/s", "%", 0.1, 0 },
		{ "percent", "%", 1, 0 },
	};
	bool idle = type_instance != NULL && strcmp(type_instance, "idle") == 0;
	struct amount amount = { rate, unit, NAN };

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		if (strcmp(units[i].unit, unit) != 0)
			continue;
		amount.unit = units[i].shown;
		amount.number = rate * units[i].factor;
		if (units[i].cores > 0 && !idle)
			amount.cores = rate * units[i].cores;
	}
	return amount;
}

struct human amount_text(const struct amount *amount)
{
	double number = amount->number;
	struct human out;

	if (isnan(number))
		return (struct human){ "-" };
	if (strncmp(amount->unit, "bytes", strlen("bytes")) == 0 && number >= 0)
		return human_bytes(number);
	if (number >= 9999.5)
		return human_count(number);
	snprintf(out.text, sizeof(out.text), "%.4g", round(number * 1e3) / 1e3);
	return out;
}

/* The larger first; NaN last. */
static int descending(double x, double y)
{
	if (isnan(x) || isnan(y))
		return isnan(x) - isnan(y);
	return (x < y) - (x > y);
}

int amount_compare(const struct amount *x, const struct amount *y)
{
	int order = descending(x->cores, y->cores);

	if (order == 0)
		order = isnan(x->number) - isnan(y->number);
	if (order == 0)
		order = strcmp(x->unit, y->unit);
	return order != 0 ? order : descending(x->number, y->number);
}
