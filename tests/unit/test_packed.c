/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kit/base/packed.h"
#include <float.h>
#include <math.h>
#include <string.h>

static uint64_t bits_of(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

/* Puts values into rows 5, 6, ... and reads them back; returns how many bits they took. */
static size_t go_and_come(const uint64_t *values, size_t len, bool integer)
{
	uint8_t bytes[4096];
	struct packed packed;
	struct packed_reader reader;

	packed_begin(&packed, bytes, sizeof(bytes), integer);
	for (size_t i = 0; i < len; i++)
		assert_true(packed_put(&packed, (uint32_t)(5 + i), values[i]));
	packed_open(&reader, bytes, packed.bits, integer);
	for (size_t i = 0; i < len; i++) {
		assert_true(packed_next(&reader));
		assert_int_equal(reader.last.row, 5 + i);
		assert_true(reader.last.value == values[i]);
	}
	assert_false(packed_next(&reader));
	assert_false(reader.damaged);
	return packed.bits;
}

static void test_integers(void **state)
{
	static const uint64_t edges[] = {
		0, 1,    UINT64_MAX, 0,        INT64_MAX, UINT64_MAX / 2 + 1, 7, 7, 7, 70,
		7, 4103, 7,          1u << 20, 7,         UINT32_MAX,         7, 0
	};

	(void)state;
	go_and_come(edges, sizeof(edges) / sizeof(edges[0]), true);
}

static void test_doubles(void **state)
{
	const uint64_t edges[] = { bits_of(0),
				   bits_of(-0.0),
				   bits_of(NAN),
				   bits_of(1),
				   bits_of(DBL_MAX),
				   bits_of(-DBL_MAX),
				   bits_of(0.1),
				   bits_of(0.1),
				   bits_of(0.3),
				   bits_of(4.9e-324),
				   0,
				   UINT64_MAX,
				   1,
				   UINT64_MAX - 1,
				   1ull << 63 };

	(void)state;
	go_and_come(edges, sizeof(edges) / sizeof(edges[0]), false);
}

/* 96 bits of the first, then a bit for row and value. */
static void test_what_does_not_change_takes_a_bit(void **state)
{
	uint64_t values[1000];

	(void)state;
	for (size_t i = 0; i < 1000; i++)
		values[i] = bits_of(3.7);
	assert_int_equal(go_and_come(values, 1000, false), 96 + 999);
	assert_int_equal(go_and_come(values, 1000, true), 96 + 999);
	/* And so does what grows evenly, after the first step. */
	for (size_t i = 0; i < 1000; i++)
		values[i] = 1000000 + 17 * i;
	assert_int_equal(go_and_come(values, 1000, true), 96 + (1 + 2 + 7) + 998);
}

static void test_rows(void **state)
{
	static const uint32_t rows[] = { 0, 1, 3, 20, 38, 1000000, UINT32_MAX };
	uint8_t bytes[256];
	struct packed packed;
	struct packed_reader reader;

	(void)state;
	packed_begin(&packed, bytes, sizeof(bytes), true);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_true(packed_put(&packed, rows[i], i));
	assert_false(packed_put(&packed, UINT32_MAX, 1));
	assert_false(packed_put(&packed, 7, 1));
	packed_open(&reader, bytes, packed.bits, true);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_true(packed_next(&reader));
		assert_int_equal(reader.last.row, rows[i]);
	}
	assert_false(packed_next(&reader));
}

/* What has no room is not begun: all that was put before can be read. */
static void test_full(void **state)
{
	uint8_t bytes[64 + 8];
	struct packed packed;
	struct packed_reader reader;
	size_t len = 0, read = 0;

	(void)state;
	memset(bytes, 0xa5, sizeof(bytes));
	packed_begin(&packed, bytes, 64, false);
	while (packed_put(&packed, (uint32_t)len, len * 0x123456789abcdefull))
		len++;
	assert_true(len > 3);
	assert_true(packed.bits <= 8 * 64);
	assert_int_equal(bytes[64], 0xa5);
	packed_open(&reader, bytes, packed.bits, false);
	while (packed_next(&reader))
		assert_true(reader.last.value == read++ * 0x123456789abcdefull);
	assert_int_equal(read, len);
	packed_begin(&packed, bytes, PACKED_FIRST_SIZE - 1, false);
	assert_false(packed_put(&packed, 1, 1));
}

static void test_cut(void **state)
{
	uint8_t bytes[64];
	struct packed packed;
	struct packed_reader reader;

	(void)state;
	packed_begin(&packed, bytes, sizeof(bytes), true);
	packed_put(&packed, 1, 5);
	packed_put(&packed, 2, 5000);
	packed_open(&reader, bytes, packed.bits - 1, true);
	assert_true(packed_next(&reader));
	assert_false(packed_next(&reader));
	assert_true(reader.damaged);
	packed_open(&reader, bytes, 50, true);
	assert_false(packed_next(&reader));
	assert_true(reader.damaged);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_integers),
		cmocka_unit_test(test_doubles),
		cmocka_unit_test(test_what_does_not_change_takes_a_bit),
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
