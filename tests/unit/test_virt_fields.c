/* SPDX-License-Identifier: MIT */
/* Fields of notifications about guests. */
#include "fields.h"

#include "unit.h"

#include <stdio.h>
#include <string.h>

static void a_message_ends_with_its_fields(void **state)
{
	struct fields fields = { 0 };
	char out[128];

	(void)state;
	fields_add(&fields, "disk", "vda[1]");
	fields_add_number(&fields, "threshold", 18446744073709551615ULL);
	fields_add(&fields, "path", NULL);
	fields_add(&fields, "uuid", "0-a");
	fields_add(&fields, "odd", "a\n\"b");
	fields_message(&fields, "It is full.", out, sizeof(out));
	assert_string_equal(out, "It is full. disk=\"vda[1]\" "
				 "threshold=18446744073709551615 path=\"\" "
				 "uuid=0-a odd=\"a_'b\"");
	assert_int_equal(fields.len, 5);
	assert_string_equal(fields.items[0].name, "disk");
	assert_string_equal(fields.items[0].value, "vda[1]");
	assert_string_equal(fields.items[2].value, "");
	assert_string_equal(fields.items[4].value, "a_\"b");
}

static void too_long_is_left_out_whole(void **state)
{
	struct fields fields = { 0 };
	char out[16], longest[4096];

	(void)state;
	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	fields_add(&fields, "long", longest);
	assert_int_equal(fields.len, 0);
	fields_add(&fields, "a", "123456789");
	fields_add(&fields, "b", "1");
	fields_message(&fields, "Word.", out, sizeof(out));
	assert_string_equal(out, "Word. b=1");
	fields_message(&fields, longest, out, sizeof(out));
	assert_int_equal(strlen(out), sizeof(out) - 1);
}

static void there_is_a_limit(void **state)
{
	struct fields fields = { 0 };

	(void)state;
	for (int i = 0; i < MC_FIELDS_MAX + 5; i++)
		fields_add(&fields, fields_name(&fields, "n"), "v");
	assert_int_equal(fields.len, MC_FIELDS_MAX);
	for (int i = 0; i < MC_FIELDS_MAX; i++)
		assert_string_equal(fields.items[i].name, "n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_message_ends_with_its_fields),
		cmocka_unit_test(too_long_is_left_out_whole),
		cmocka_unit_test(there_is_a_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
