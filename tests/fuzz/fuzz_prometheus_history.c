/* SPDX-License-Identifier: MIT */
/* Any bytes as an answer of Prometheus' HTTP API: points come after the labels of their series. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "matrix.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct taken {
	bool wanted;
	size_t series, points;
};

static bool take_series(void *argument, const struct matrix_labels *labels)
{
	struct taken *taken = argument;

	assert(labels->len <= MATRIX_LABELS_MAX);
	for (size_t i = 0; i < labels->len; i++)
		assert(labels->items[i].name != NULL && labels->items[i].value != NULL);
	taken->series++;
	taken->wanted = labels->len > 0;
	return taken->wanted;
}

static void take_point(void *argument, double time, double value)
{
	struct taken *taken = argument;

	(void)time, (void)value;
	assert(taken->wanted);
	taken->points++;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct matrix_calls calls = { .series = take_series, .point = take_point };
	struct taken taken = { .series = 0 };
	char why[MATRIX_WHY];

	matrix_read(data, size, &calls, &taken, why);
	assert(strlen(why) < MATRIX_WHY);
	assert(taken.points == 0 || taken.series > 0);
	assert(taken.points <= size / 4); /* "[1,2]" */
	return 0;
}
