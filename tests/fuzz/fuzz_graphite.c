/* SPDX-License-Identifier: MIT */
/* Any bytes as lines, as lines "put", or as a pickle, as the first byte says. */
#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "formats/graphite/pickle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct judge {
	const char *text; /* What paths lie in; NULL: elsewhere. */
	size_t size;
	size_t len; /* Points. */
};

static void judge(void *argument, enum line_fault fault, const struct mc_point *point)
{
	struct judge *judge = argument;

	judge->len++;
	if (fault != LINE_GOOD)
		return;
	assert(isfinite(point->number) && point->time >= 0);
	assert(!point->is_whole || point->number == (double)point->whole);
	assert(judge->text == NULL || (point->path >= judge->text &&
				       point->path + point->size <= judge->text + judge->size));
}

static void read_lines(struct judge *all, bool puts)
{
	struct mc_buffer path = { 0 };
	const char *at = all->text, *end = at + all->size;

	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		size_t size = (size_t)((newline != NULL ? newline : end) - at);
		struct mc_point point;
		enum line_fault fault = puts ? line_read_put(at, size, &path, &point)
					     : line_read_plain(at, size, &point);
		struct judge one = *all;

		if (puts)
			one.text = NULL;
		judge(&one, fault, &point);
		at += size + (newline != NULL);
	}
	mc_buffer_free(&path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct judge all = { .size = size > 0 ? size - 1 : 0 };
	const struct pickle_taker taker = { judge, &all };
	struct pickle *pickle;
	const char *why = NULL;
	char *copy;

	if (size == 0)
		return 0;
	copy = malloc(size); /* One byte more than there is; not read. */
	assert(copy != NULL);
	memcpy(copy, data + 1, size - 1);
	all.text = copy;
	if (data[0] != 'p') {
		read_lines(&all, data[0] == 'o');
	} else {
		pickle = pickle_new();
		assert(pickle_read(pickle, (const unsigned char *)copy, size - 1, &taker, &why) ||
		       why != NULL);
		/* The same memory serves for another. */
		pickle_read(pickle, (const unsigned char *)copy, size - 1, &taker, &why);
		pickle_free(pickle);
	}
	free(copy);
	return 0;
}
