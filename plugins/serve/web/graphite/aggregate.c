/* SPDX-License-Identifier: MIT */
/* Facts: Graphite's manual, "Functions", and answers of graphite-web 1.1.10. */
#include "aggregate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	enum aggregate aggregate;
} names[] = {
	{ "average", AGGREGATE_AVERAGE },
	{ "avg", AGGREGATE_AVERAGE },
	{ "avg_zero", AGGREGATE_AVERAGE_ZERO },
	{ "count", AGGREGATE_COUNT },
	{ "current", AGGREGATE_LAST },
	{ "diff", AGGREGATE_DIFF },
	{ "last", AGGREGATE_LAST },
	{ "max", AGGREGATE_MAX },
	{ "median", AGGREGATE_MEDIAN },
	{ "min", AGGREGATE_MIN },
	{ "multiply", AGGREGATE_MULTIPLY },
	{ "range", AGGREGATE_RANGE },
	{ "rangeOf", AGGREGATE_RANGE },
	{ "stddev", AGGREGATE_STDDEV },
	{ "sum", AGGREGATE_SUM },
	{ "total", AGGREGATE_SUM },
};
#define NAMES_LEN (sizeof(names) / sizeof(*names))

bool aggregate_find(const char *name, enum aggregate *aggregate)
{
	static const char suffix[] = "Series";
	size_t size = strlen(name);

	if (size > strlen(suffix) && strcmp(name + size - strlen(suffix), suffix) == 0)
		size -= strlen(suffix);
	for (size_t i = 0; i < NAMES_LEN; i++)
		if (strlen(names[i].name) == size && memcmp(names[i].name, name, size) == 0) {
			*aggregate = names[i].aggregate;
			return true;
		}
	return false;
}

const char *aggregate_name(unsigned number)
{
	return number < NAMES_LEN ? names[number].name : NULL;
}

/* --- Parts --------------------------------------------------------------- */

size_t aggregate_count(const double *values, size_t len)
{
	size_t known = 0;

	for (size_t i = 0; i < len; i++)
		known += !isnan(values[i]);
	return known;
}

bool aggregate_is_known(size_t known, double len, double factor)
{
	return known > 0 && len > 0 && (double)known / len >= factor;
}

static double sum(const double *values, size_t len)
{
	double total = 0;

	for (size_t i = 0; i < len; i++)
		if (!isnan(values[i]))
			total += values[i];
	return total;
}

static double least(const double *values, size_t len)
{
	double found = NAN;

	for (size_t i = 0; i < len; i++)
		if (isnan(found) || values[i] < found)
			found = values[i];
	return found;
}

static double greatest(const double *values, size_t len)
{
	double found = NAN;

	for (size_t i = 0; i < len; i++)
		if (isnan(found) || values[i] > found)
			found = values[i];
	return found;
}

static double difference(const double *values, size_t len)
{
	double total = NAN;

	for (size_t i = 0; i < len; i++)
		if (!isnan(values[i]))
			total = isnan(total) ? values[i] : total - values[i];
	return total;
}

static double deviation(const double *values, size_t len)
{
	double known = (double)aggregate_count(values, len);
	double mean = sum(values, len) / known, squares = 0;

	for (size_t i = 0; i < len; i++)
		if (!isnan(values[i]))
			squares += (values[i] - mean) * (values[i] - mean);
	return sqrt(squares / known);
}

static double product(const double *values, size_t len)
{
	double total = 1;

	for (size_t i = 0; i < len; i++)
		total *= values[i];
	return len > 0 ? total : NAN;
}

static double first(const double *values, size_t len)
{
	size_t i = 0;

	while (i < len && isnan(values[i]))
		i++;
	return i < len ? values[i] : NAN;
}

static double last(const double *values, size_t len)
{
	while (len > 0 && isnan(values[len - 1]))
		len--;
	return len > 0 ? values[len - 1] : NAN;
}

/* --- Sorted -------------------------------------------------------------- */

/* Unknown values come last. */
static int by_value(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	if (isnan(left) || isnan(right))
		return isnan(left) - isnan(right);
	return (left > right) - (left < right);
}

/* Returns the number of known values. */
static size_t sort(double *values, size_t len)
{
	if (len > 0)
		qsort(values, len, sizeof(*values), by_value);
	return aggregate_count(values, len);
}

static double median(double *values, size_t len)
{
	size_t known = sort(values, len), middle = known / 2;

	if (known == 0)
		return NAN;
	return known % 2 == 0 ? (values[middle - 1] + values[middle]) / 2 : values[middle];
}

double aggregate_percentile(double *values, size_t len, double percent, bool interpolate)
{
	size_t known = sort(values, len), rank;
	double exact = percent / 100 * ((double)known + 1), found;

	if (known == 0 || isnan(exact))
		return NAN;
	exact = fmin(fmax(exact, 0), (double)known + 1);
	rank = (size_t)(interpolate ? floor(exact) : ceil(exact));
	if (rank == 0)
		found = values[0];
	else
		found = values[rank > known ? known - 1 : rank - 1];
	if (interpolate && rank < known)
		found += (exact - (double)rank) * (values[rank] - found);
	return found;
}

/* --- All ----------------------------------------------------------------- */

double aggregate_values(enum aggregate aggregate, double *values, size_t len)
{
	size_t known = aggregate_count(values, len);

	if (known == 0)
		return aggregate == AGGREGATE_COUNT ? 0 : NAN;
	switch (aggregate) {
	case AGGREGATE_AVERAGE:
		return sum(values, len) / (double)known;
	case AGGREGATE_AVERAGE_ZERO:
		return sum(values, len) / (double)len;
	case AGGREGATE_MEDIAN:
		return median(values, len);
	case AGGREGATE_SUM:
		return sum(values, len);
	case AGGREGATE_MIN:
		return least(values, len);
	case AGGREGATE_MAX:
		return greatest(values, len);
	case AGGREGATE_DIFF:
		return difference(values, len);
	case AGGREGATE_STDDEV:
		return deviation(values, len);
	case AGGREGATE_COUNT:
		return (double)known;
	case AGGREGATE_RANGE:
		return greatest(values, len) - least(values, len);
	case AGGREGATE_MULTIPLY:
		return product(values, len);
	case AGGREGATE_LAST:
		return last(values, len);
	case AGGREGATE_FIRST:
		return first(values, len);
	}
	return NAN;
}
