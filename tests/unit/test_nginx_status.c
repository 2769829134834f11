/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "status.h"

static void nginx(void **state)
{
	struct status found;

	(void)state;
	assert_true(status_read("Active connections: 291 \n"
				"server accepts handled requests\n"
				" 16630948 16630940 31070465 \n"
				"Reading: 6 Writing: 179 Waiting: 106 \n",
				&found));
	assert_int_equal(found.active, 291);
	assert_int_equal(found.accepted, 16630948);
	assert_int_equal(found.handled, 16630940);
	assert_int_equal(found.requests, 31070465);
	assert_int_equal(found.reading, 6);
	assert_int_equal(found.writing, 179);
	assert_int_equal(found.waiting, 106);
}

static void tengine(void **state)
{
	struct status found;

	(void)state;
	assert_true(status_read("Active connections: 1 \r\n"
				"server accepts handled requests request_time\r\n"
				" 28 27 58 80298\r\n"
				"Reading: 0 Writing: 1 Waiting: 0\r\n",
				&found));
	assert_int_equal(found.handled, 27);
	assert_int_equal(found.requests, 58);
	assert_int_equal(found.writing, 1);
}

static void garbage(void **state)
{
	static const char *const pages[] = {
		"",
		"<html></html>",
		"Active connections: ",
		"Active connections: -1 \nserver accepts handled requests\n "
		"1 1 1\nReading: 0 Writing: 1 Waiting: 0\n",
		"Active connections: 1 \nserver accepts handled requests\n "
		"1 1\nReading: 0 Writing: 1 Waiting: 0\n",
		"Active connections: 1 \nserver accepts handled requests\n "
		"1 1 18446744073709551615\nReading: 0 Writing: 1 Waiting: 0\n",
		"Active connections: 1 \nserver accepts handled requests\n "
		"1 1 1\nReading: 0 Writing: 1\n",
		"Active connections: 1 \n1 1 1\nReading: 0 Writing: 1 "
		"Waiting: 0\n",
	};
	struct status found = { .active = 5 };

	(void)state;
	for (unsigned i = 0; i < sizeof(pages) / sizeof(*pages); i++)
		assert_false(status_read(pages[i], &found));
	assert_int_equal(found.active, 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nginx),
		cmocka_unit_test(tengine),
		cmocka_unit_test(garbage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
