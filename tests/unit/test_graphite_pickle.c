/* SPDX-License-Identifier: MIT */
/* How much memory a pickle may have while it is read: enough for points as
 * short as they get, and no more for what only looks like some. */
#include "formats/graphite/pickle.h"

#include <stdlib.h>
#include <string.h>

#include <collector/kit/buffer.h>

#include "unit.h"

#define MIB ((size_t)1 << 20)
#define KEPT (3 * MIB)

struct seen {
	const struct pickle *pickle;
	size_t points, others, memory;
};

static void see(void *argument, enum line_fault fault, const struct mc_point *point)
{
	struct seen *seen = argument;
	size_t memory = pickle_memory(seen->pickle);

	(void)point;
	seen->points += fault == LINE_GOOD;
	seen->others += fault != LINE_GOOD;
	if (memory > seen->memory)
		seen->memory = memory;
}

static void add(struct mc_buffer *buffer, const char *bytes, size_t size)
{
	mc_buffer_add(buffer, bytes, size);
}

/* NULL: it is one. */
static const char *read_all(struct mc_buffer *buffer, struct seen *seen)
{
	const struct pickle_taker taker = { see, seen };
	struct pickle *pickle = pickle_new();
	const char *why = NULL;

	*seen = (struct seen){ .pickle = pickle };
	if (!pickle_read(pickle, (const unsigned char *)buffer->at, buffer->size, &taker, &why))
		assert_non_null(why);
	assert_true(pickle_memory(pickle) <= KEPT);
	pickle_free(pickle);
	return why;
}

/* In one list, without batches and without a memo: "U\1a J.... K\7". */
static void test_short_points(void **state)
{
	struct mc_buffer buffer = { 0 };
	struct seen seen;

	(void)state;
	add(&buffer, "\x80\x02](", 4);
	while (buffer.size < MIB)
		add(&buffer, "U\1aJ\0\0\0\x50K\7\x86\x86", 12);
	add(&buffer, "e.", 2);
	assert_null(read_all(&buffer, &seen));
	assert_int_equal(seen.points, (buffer.size - 6) / 12);
	assert_int_equal(seen.others, 0);
	assert_true(seen.memory > KEPT);
	assert_true(seen.memory <= PICKLE_MEMORY_FACTOR * buffer.size);
	mc_buffer_free(&buffer);
}

/* As Python has them: with a memo for each text and tuple, in batches. */
static void test_with_memo(void **state)
{
	static const char point[] = "\x8c\1a\x94J\0\0\0\x50G@\0\0\0\0\0\0\0"
				    "\x86\x94\x86\x94";
	struct mc_buffer buffer = { 0 };
	struct seen seen;

	(void)state;
	add(&buffer, "\x80\x04]\x94", 4);
	while (buffer.size < MIB) {
		add(&buffer, "(", 1);
		for (unsigned i = 0; i < 1000; i++)
			add(&buffer, point, sizeof(point) - 1);
		add(&buffer, "e", 1);
	}
	add(&buffer, ".", 1);
	assert_null(read_all(&buffer, &seen));
	assert_true(seen.points > 40000);
	assert_int_equal(seen.others, 0);
	mc_buffer_free(&buffer);
}

/* A mebibyte of one instruction after others. */
static const char *flood(const char *start, size_t start_size, const char *more, size_t more_size)
{
	struct mc_buffer buffer = { 0 };
	struct seen seen;
	const char *why;

	add(&buffer, start, start_size);
	while (buffer.size < MIB)
		add(&buffer, more, more_size);
	why = read_all(&buffer, &seen);
	assert_int_equal(seen.points + seen.others, 0);
	mc_buffer_free(&buffer);
	return why;
}

static void test_floods(void **state)
{
	static const char too_many[] = "it has more items than its bytes allow";

	(void)state;
	assert_string_equal(flood("\x80\x02]", 3, "(", 1), too_many);
	assert_string_equal(flood("\x80\x02](", 4, ")", 1), too_many);
	assert_string_equal(flood("\x80\x02](K\1", 6, "\x85", 1), too_many);
	assert_string_equal(flood("\x80\x02](K\1", 6, "\x94", 1), too_many);
	assert_string_equal(flood("\x80\x02](K\1\x94", 7, "h\0", 2), too_many);
	/* One entry of the memo, at the largest index. */
	assert_string_equal(flood("\x80\x02]r\xff\xff\xff\x7f", 8, "(", 1), too_many);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_short_points),
		cmocka_unit_test(test_with_memo),
		cmocka_unit_test(test_floods),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
