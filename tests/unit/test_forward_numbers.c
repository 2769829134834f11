/* SPDX-License-Identifier: MIT */
/* The number of a request of the forward plugin, and the gap that it reports. */
#include "numbers.h"

#include <string.h>

#include "unit.h"

static struct numbers start(void)
{
	struct numbers numbers = { .wanted = true };

	assert_int_equal(numbers_start(&numbers), 0);
	return numbers;
}

static struct number next(struct numbers *numbers, uint64_t record, uint32_t crc, uint64_t missed)
{
	struct numbers_request request = {
		.instance = "forward",
		.records = { record > 0 ? 17 : 0, record, record },
		.last = true,
		.crc = crc,
		.missed = missed,
	};

	return numbers_next(numbers, &request);
}

static void test_counted(void **state)
{
	struct numbers numbers = start();

	(void)state;
	assert_int_equal(next(&numbers, 0, 7, 0).last, 1);
	assert_int_equal(next(&numbers, 0, 7, 0).last, 1); /* The same again. */
	assert_int_equal(next(&numbers, 0, 8, 0).last, 2); /* Another one. */
	numbers_done(&numbers, true);
	assert_int_equal(next(&numbers, 0, 8, 0).last, 3);
	assert_int_equal(strlen(next(&numbers, 0, 8, 0).stream), 49);
}

static void test_of_records(void **state)
{
	struct numbers numbers = start();
	struct numbers_request request = {
		.instance = "forward",
		.records = { 17, 5, 9 },
		.missed = 3,
	};
	struct number number;

	(void)state;
	number = numbers_next(&numbers, &request);
	assert_int_equal(number.last, 0);
	assert_int_equal(number.gap, 0); /* It could be taken twice. */
	request.last = true;
	number = numbers_next(&numbers, &request);
	assert_int_equal(number.first, 5);
	assert_int_equal(number.last, 9);
	assert_int_equal(number.gap, 3);
	assert_memory_equal(number.stream, "0000000000000011", 16);
	request.instance = "forward.b";
	assert_string_not_equal(numbers_next(&numbers, &request).stream, number.stream);
}

static void test_gap_is_told_until_it_is_known(void **state)
{
	struct numbers numbers = start();

	(void)state;
	assert_int_equal(next(&numbers, 1, 0, 0).gap, 0);
	numbers_done(&numbers, true);
	assert_int_equal(next(&numbers, 2, 0, 10).gap, 10);
	/* It may have been taken: later losses are reported later. */
	assert_int_equal(next(&numbers, 2, 0, 15).gap, 10);
	numbers_done(&numbers, true);
	assert_int_equal(next(&numbers, 3, 0, 15).gap, 5);
	numbers_done(&numbers, false); /* It was refused. */
	assert_int_equal(next(&numbers, 4, 0, 16).gap, 6);
	numbers_done(&numbers, true);
	assert_int_equal(next(&numbers, 5, 0, 16).gap, 0);
}

/* Of a batch of two requests the second has the gap, and is to be sent again,
 * which may begin with the first. */
static void test_gap_outlives_requests_without_it(void **state)
{
	struct numbers numbers = start();
	struct numbers_request request = {
		.instance = "forward",
		.records = { 17, 5, 5 },
		.missed = 3,
	};

	(void)state;
	assert_int_equal(numbers_next(&numbers, &request).gap, 0);
	numbers_done(&numbers, true);
	request.last = true;
	assert_int_equal(numbers_next(&numbers, &request).gap, 3);
	request.last = false;
	assert_int_equal(numbers_next(&numbers, &request).gap, 0);
	numbers_done(&numbers, true);
	request.last = true;
	request.missed = 4;
	assert_int_equal(numbers_next(&numbers, &request).gap, 3);
	numbers_done(&numbers, true);
	assert_int_equal(numbers_next(&numbers, &request).gap, 1);
}

static void test_gap_without_numbers(void **state)
{
	struct numbers numbers = { .wanted = false };

	(void)state;
	assert_int_equal(next(&numbers, 0, 0, 4).last, 0);
	assert_int_equal(next(&numbers, 0, 0, 4).gap, 4);
	numbers_done(&numbers, true);
	assert_int_equal(next(&numbers, 0, 0, 4).gap, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counted),
		cmocka_unit_test(test_of_records),
		cmocka_unit_test(test_gap_is_told_until_it_is_known),
		cmocka_unit_test(test_gap_outlives_requests_without_it),
		cmocka_unit_test(test_gap_without_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
