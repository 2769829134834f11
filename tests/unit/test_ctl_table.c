/* SPDX-License-Identifier: MIT */
/* Tables whose columns line up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ctl/print/table.h"

static struct table two_columns(void)
{
	struct table table;

	table_init(&table);
	table_column(&table, "NAME", TABLE_LEFT);
	table_column(&table, "N", TABLE_RIGHT);
	table_column(&table, "REST", TABLE_LEFT);
	return table;
}

static void assert_line(const struct table *table, long row, size_t width, const char *expected)
{
	char *line = table_line(table, row, width);

	assert_string_equal(line, expected);
	free(line);
}

static void columns_line_up(void **state)
{
	struct table table = two_columns();

	(void)state;
	table_cell(&table, "cpu");
	table_cell(&table, "%d", 12345);
	table_cell(&table, "ok");
	table_cell(&table, "interface");
	table_cell(&table, "%d", 7);
	table_cell(&table, "%s", "");
	assert_int_equal(table_rows(&table), 2);
	assert_line(&table, -1, 0, "NAME           N  REST");
	assert_line(&table, 0, 0, "cpu        12345  ok");
	assert_line(&table, 1, 0, "interface      7");
	table_done(&table);
}

static void characters_count_not_bytes(void **state)
{
	struct table table = two_columns();

	(void)state;
	table_cell(&table, "größe");
	table_cell(&table, "1");
	table_cell(&table, "x");
	assert_int_equal(table_text_width("größe"), 5);
	assert_line(&table, -1, 0, "NAME   N  REST");
	assert_line(&table, 0, 0, "größe  1  x");
	table_done(&table);
}

static void a_long_line_is_cut(void **state)
{
	struct table table = two_columns();

	(void)state;
	table_cell(&table, "größer als breit");
	table_cell(&table, "1");
	table_cell(&table, "x");
	assert_line(&table, 0, 10, "größer al>");
	assert_line(&table, 0, 1, ">");
	assert_line(&table, 0, 22, "größer als breit  1  x");
	table_done(&table);
}

static void nothing_in_a_cell_steers_a_terminal(void **state)
{
	struct table table = two_columns();

	(void)state;
	table_cell(&table, "%s", "a\033[2J");
	table_cell(&table, "1");
	table_cell(&table, "%s",
		   "\xc2\x9b"
		   "31m \xe2\x80\xaex");
	assert_line(&table, 0, 0, "a [2J  1  ??31m ???x");
	table_done(&table);
}

static void a_table_can_be_empty(void **state)
{
	struct table table = two_columns();

	(void)state;
	assert_int_equal(table_rows(&table), 0);
	assert_line(&table, -1, 0, "NAME  N  REST");
	table_done(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_line_up),
		cmocka_unit_test(characters_count_not_bytes),
		cmocka_unit_test(a_long_line_is_cut),
		cmocka_unit_test(nothing_in_a_cell_steers_a_terminal),
		cmocka_unit_test(a_table_can_be_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
