/* SPDX-License-Identifier: MIT */
/* The binary protocol, read: what a sender says, and what nobody should. */
#include "formats/binary/binary.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "binary_fixture.h"

/* Opens a copy that ends where its memory ends, so that reading beyond is
 * seen.  The copy is to be freed. */
static unsigned char *open_copy(struct mc_binary *binary, const struct binary_bytes *bytes)
{
	unsigned char *copy = malloc(bytes->size > 0 ? bytes->size : 1);

	assert_non_null(copy);
	memcpy(copy, bytes->at, bytes->size);
	mc_binary_open(binary, copy, bytes->size);
	return copy;
}

static void expect_fault(const struct binary_bytes *bytes, enum mc_binary_fault fault)
{
	struct mc_binary binary;
	unsigned char *copy = open_copy(&binary, bytes);

	assert_int_equal(mc_binary_next(&binary), MC_BINARY_FAULT);
	assert_int_equal(binary.fault, fault);
	assert_int_equal(mc_binary_next(&binary), MC_BINARY_END);
	free(copy);
}

static void test_values_of_every_kind(void **state)
{
	static const unsigned char values[] = {
		0,    4,    0,    1,    2,    3, /* Kinds. */
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe,
		0,    0,    0,    0,    0,    0,    0x04, 0xc0, /* -2.5 */
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
		0,    0,    0,    0,    0,    0,    1,    0,
	};
	struct binary_bytes bytes = { 0 };
	struct mc_binary binary;
	unsigned char *copy;

	(void)state;
	binary_add_text(&bytes, 0, "host");
	binary_add_text(&bytes, 2, "plugin");
	binary_add_text(&bytes, 3, "pi");
	binary_add_text(&bytes, 4, "mixed");
	binary_add_text(&bytes, 5, "ti");
	binary_add_number(&bytes, 8, (UINT64_C(1700000000) << 30) + (1 << 29));
	binary_add_number(&bytes, 9, UINT64_C(10) << 30);
	binary_add(&bytes, 6, 4 + sizeof(values), values, sizeof(values));
	copy = open_copy(&binary, &bytes);
	assert_int_equal(mc_binary_next(&binary), MC_BINARY_VALUES);
	assert_string_equal(binary.name.name, "host/plugin-pi/mixed-ti");
	assert_int_equal(binary.name_size, 23);
	assert_int_equal(binary.name.host_size, 4);
	assert_int_equal(binary.name.plugin_size, 6);
	assert_int_equal(binary.name.plugin_instance_size, 2);
	assert_int_equal(binary.name.type_size, 5);
	assert_int_equal(binary.name.type_instance_size, 2);
	assert_int_equal(binary.stamp.time, 1700000000500000000);
	assert_int_equal(binary.stamp.interval, 10 * MC_SECOND);
	assert_int_equal(binary.values_len, 4);
	assert_true(binary.values[0].counter == UINT64_MAX - 1);
	assert_true(binary.values[1].gauge == -2.5);
	assert_int_equal(binary.values[2].derive, -1);
	assert_int_equal(binary.values[3].absolute, 256);
	assert_true(mc_binary_is(&binary, &binary_mixed));
	assert_false(mc_binary_is(&binary, &binary_gauge));
	assert_int_equal(mc_binary_next(&binary), MC_BINARY_END);
	free(copy);
}

static void test_parts_hold_until_changed(void **state)
{
	static const unsigned char two[] = { 0, 1, 2, 0, 0, 0, 0, 0, 0, 0, 2 };
	struct binary_bytes bytes = { 0 };
	struct mc_binary binary;
	unsigned char *copy;

	(void)state;
	binary_add_sample(&bytes);
	binary_add_text(&bytes, 5, "x");
	binary_add(&bytes, 6, 15, two, sizeof(two));
	binary_add_text(&bytes, 3, "0");
	binary_add_text(&bytes, 5, "");
	binary_add(&bytes, 6, 15, two, sizeof(two));
	binary_add_text(&bytes, 0, "longer");
	binary_add(&bytes, 6, 15, two, sizeof(two));
	copy = open_copy(&binary, &bytes);
	assert_int_equal(mc_binary_next(&binary), MC_BINARY_VALUES);
	assert_string_equal(binary.name.name, "h/p/gauge");
	assert_true(mc_binary_is(&binary, &binary_gauge));
	assert_true(binary.values[0].gauge == 1.0);
	assert_int_equal(mc_binary_next(&binary), MC_BINARY_VALUES);
	assert_string_equal(binary.name.name, "h/p/gauge-x");
	assert_int_equal(binary.stamp.time, 1700000000 * MC_SECOND);
	assert_int_equal(binary.values[0].derive, 2);
	assert_false(mc_binary_is(&binary, &binary_gauge)); /* A derive. */
	assert_int_equal(mc_binary_next(&binary), MC_BINARY_VALUES);
	assert_string_equal(binary.name.name, "h/p-0/gauge");
	assert_int_equal(mc_binary_next(&binary), MC_BINARY_VALUES);
	assert_string_equal(binary.name.name, "longer/p-0/gauge");
	assert_int_equal(mc_binary_next(&binary), MC_BINARY_END);
	free(copy);
}

static void test_notification(void **state)
{
	struct binary_bytes bytes = { 0 };
	struct mc_binary binary;
	unsigned char *copy;

	(void)state;
	binary_add_number(&bytes, 8, UINT64_C(1700000000) << 30);
	binary_add_number(&bytes, 0x101, 2);
	binary_add_text(&bytes, 0, "h");
	binary_add_text(&bytes, 2, "p");
	binary_add_text(&bytes, 0x100, "beware");
	copy = open_copy(&binary, &bytes);
	assert_int_equal(mc_binary_next(&binary), MC_BINARY_NOTICE);
	assert_int_equal(binary.notification.severity, MC_WARNING);
	assert_int_equal(binary.notification.time, 1700000000 * MC_SECOND);
	assert_string_equal(binary.notification.id.host, "h");
	assert_string_equal(binary.notification.id.plugin, "p");
	assert_string_equal(binary.notification.id.type, "");
	assert_string_equal(binary.notification.message, "beware");
	assert_int_equal(mc_binary_next(&binary), MC_BINARY_END);
	free(copy);
}

static void test_notification_without_severity_or_host(void **state)
{
	struct binary_bytes bytes = { 0 };

	(void)state;
	binary_add_number(&bytes, 8, UINT64_C(1700000000) << 30);
	binary_add_text(&bytes, 0, "h");
	binary_add_text(&bytes, 0x100, "beware");
	expect_fault(&bytes, MC_BINARY_NO_NOTICE);
	bytes.size = 0;
	binary_add_number(&bytes, 8, UINT64_C(1700000000) << 30);
	binary_add_number(&bytes, 0x101, 3);
	binary_add_text(&bytes, 0, "h");
	binary_add_text(&bytes, 0x100, "beware");
	expect_fault(&bytes, MC_BINARY_NO_NOTICE);
	bytes.size = 0;
	binary_add_number(&bytes, 8, UINT64_C(1700000000) << 30);
	binary_add_number(&bytes, 0x101, 4);
	binary_add_text(&bytes, 0x100, "beware");
	expect_fault(&bytes, MC_BINARY_NO_NOTICE);
}

static void test_part_sizes(void **state)
{
	static const unsigned sizes[] = { 0, 1, 3 };
	struct binary_bytes bytes = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		bytes.size = 0;
		binary_add(&bytes, 0, sizes[i], "h", 2);
		expect_fault(&bytes, MC_BINARY_SIZE);
	}
	bytes.size = 0;
	binary_add(&bytes, 0, 65535, "h", 2);
	expect_fault(&bytes, MC_BINARY_TRUNCATED);
	bytes.size = 0;
	binary_add(&bytes, 0xabcd, 7, "h", 2);
	expect_fault(&bytes, MC_BINARY_TRUNCATED);
	bytes.size = 0;
	binary_add(&bytes, 8, 11, "1234567", 7);
	expect_fault(&bytes, MC_BINARY_SIZE);
	bytes.size = 0;
	binary_add(&bytes, 8, 13, "123456789", 9);
	expect_fault(&bytes, MC_BINARY_SIZE);
	bytes.size = 3; /* Half a head. */
	expect_fault(&bytes, MC_BINARY_TRUNCATED);
}

static void test_strings(void **state)
{
	struct binary_bytes bytes = { 0 };
	struct mc_binary binary;
	unsigned char *copy;
	char text[MC_BINARY_PART_SIZE + 2];

	(void)state;
	binary_add(&bytes, 0, 4, "", 0);
	expect_fault(&bytes, MC_BINARY_STRING);
	bytes.size = 0;
	binary_add(&bytes, 0, 6, "ho", 2);
	expect_fault(&bytes, MC_BINARY_STRING);
	bytes.size = 0;
	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	binary_add_text(&bytes, 0, text);
	expect_fault(&bytes, MC_BINARY_STRING);
	bytes.size = 0;
	binary_add_text(&bytes, 0, text + 1);
	copy = open_copy(&binary, &bytes);
	assert_int_equal(mc_binary_next(&binary), MC_BINARY_END);
	assert_string_equal(binary.id.host, text + 1);
	free(copy);
}

static void test_counts_and_kinds(void **state)
{
	unsigned char content[2 + 9 * 65] = { 0, 1, 1 };
	struct binary_bytes bytes = { 0 };

	(void)state;
	binary_add(&bytes, 6, 14, content, 10); /* A byte is missing. */
	expect_fault(&bytes, MC_BINARY_COUNT);
	bytes.size = 0;
	binary_add(&bytes, 6, 16, content, 12); /* One too many. */
	expect_fault(&bytes, MC_BINARY_COUNT);
	bytes.size = 0;
	binary_add(&bytes, 6, 5, content, 1); /* Half a number. */
	expect_fault(&bytes, MC_BINARY_COUNT);
	bytes.size = 0;
	content[2] = 4; /* No such kind. */
	binary_add(&bytes, 6, 15, content, 11);
	expect_fault(&bytes, MC_BINARY_KIND);
	bytes.size = 0;
	content[1] = 0; /* No values. */
	binary_add(&bytes, 6, 6, content, 2);
	expect_fault(&bytes, MC_BINARY_COUNT);
	bytes.size = 0;
	content[0] = 0xff, content[1] = 0xff;
	binary_add(&bytes, 6, 15, content, 11);
	expect_fault(&bytes, MC_BINARY_COUNT);
	bytes.size = 0;
	content[0] = content[2] = 0, content[1] = 65; /* No type has as many. */
	binary_add(&bytes, 6, 4 + sizeof(content), content, sizeof(content));
	expect_fault(&bytes, MC_BINARY_COUNT);
}

static void test_unknown_parts_are_passed(void **state)
{
	struct binary_bytes bytes = { 0 };
	struct mc_binary binary;
	unsigned char *copy;

	(void)state;
	binary_add(&bytes, 0x7777, 4, "", 0);
	binary_add(&bytes, 0x0300, 9, "12345", 5);
	binary_add_sample(&bytes);
	copy = open_copy(&binary, &bytes);
	assert_int_equal(mc_binary_next(&binary), MC_BINARY_VALUES);
	assert_int_equal(binary.unknown_len, 2);
	free(copy);
}

static void test_absurd_times_do_not_overflow(void **state)
{
	struct binary_bytes bytes = { 0 };
	struct mc_binary binary;
	unsigned char *copy;

	(void)state;
	binary_add_number(&bytes, 1, UINT64_MAX);
	binary_add_number(&bytes, 9, UINT64_MAX);
	copy = open_copy(&binary, &bytes);
	assert_int_equal(mc_binary_next(&binary), MC_BINARY_END);
	assert_true(binary.stamp.time == INT64_MAX);
	assert_true(binary.stamp.interval == INT64_MAX);
	free(copy);
}

static void test_what_holds_before_a_fault_counts(void **state)
{
	struct binary_bytes bytes = { 0 };
	struct mc_binary binary;
	unsigned char *copy;

	(void)state;
	binary_add_sample(&bytes);
	binary_add(&bytes, 6, 0, "", 0);
	binary_add_sample(&bytes);
	copy = open_copy(&binary, &bytes);
	assert_int_equal(mc_binary_next(&binary), MC_BINARY_VALUES);
	assert_int_equal(mc_binary_next(&binary), MC_BINARY_FAULT);
	assert_int_equal(binary.fault, MC_BINARY_SIZE);
	assert_int_equal(mc_binary_next(&binary), MC_BINARY_END);
	free(copy);
}

static void test_signed(void **state)
{
	unsigned char content[32 + 4] = { [0] = 0xaa, [31] = 0xbb, [32] = 'u', 'v', 'w', 'x' };
	struct binary_bytes bytes = { 0 };
	struct mc_binary binary;
	unsigned char *copy;

	(void)state;
	binary_add(&bytes, 0x200, 40, content, sizeof(content));
	binary_add_sample(&bytes);
	copy = open_copy(&binary, &bytes);
	assert_int_equal(mc_binary_next(&binary), MC_BINARY_SIGNED);
	assert_int_equal(binary.envelope.user_size, 4);
	assert_memory_equal(binary.envelope.user, "uvwx", 4);
	assert_int_equal(binary.envelope.code[0], 0xaa);
	assert_int_equal(binary.envelope.code[31], 0xbb);
	assert_ptr_equal(binary.envelope.covered, copy + 36);
	assert_int_equal(binary.envelope.covered_size, bytes.size - 36);
	assert_int_equal(mc_binary_next(&binary), MC_BINARY_VALUES);
	assert_int_equal(mc_binary_next(&binary), MC_BINARY_END);
	free(copy);

	bytes.size = 0; /* No user. */
	binary_add(&bytes, 0x200, 36, content, 32);
	expect_fault(&bytes, MC_BINARY_SIZE);
	bytes.size = 0; /* Not at the start. */
	binary_add_text(&bytes, 0, "h");
	binary_add(&bytes, 0x200, 40, content, sizeof(content));
	expect_fault(&bytes, MC_BINARY_MISPLACED);
}

static void test_encrypted(void **state)
{
	unsigned char content[2 + 3 + 16 + 20 + 5] = { 0, 3, 'a', 'b', 'c', 0x11 };
	struct binary_bytes bytes = { 0 };
	struct mc_binary binary;
	unsigned char *copy;

	(void)state;
	content[21] = 0x22;
	binary_add(&bytes, 0x210, 4 + sizeof(content), content, sizeof(content));
	copy = open_copy(&binary, &bytes);
	assert_int_equal(mc_binary_next(&binary), MC_BINARY_ENCRYPTED);
	assert_int_equal(binary.envelope.user_size, 3);
	assert_memory_equal(binary.envelope.user, "abc", 3);
	assert_int_equal(binary.envelope.code[0], 0x11);
	assert_int_equal(binary.envelope.covered[0], 0x22);
	assert_int_equal(binary.envelope.covered_size, 25);
	assert_int_equal(mc_binary_next(&binary), MC_BINARY_END);
	free(copy);

	binary_add_text(&bytes, 0, "h"); /* Something after it. */
	expect_fault(&bytes, MC_BINARY_MISPLACED);
	bytes.size = 0; /* A user that is longer than the part. */
	content[0] = 0xff;
	binary_add(&bytes, 0x210, 4 + sizeof(content), content, sizeof(content));
	expect_fault(&bytes, MC_BINARY_SIZE);
	bytes.size = 0; /* Too short for the checksum. */
	content[0] = 0;
	binary_add(&bytes, 0x210, 4 + 40, content, 40);
	expect_fault(&bytes, MC_BINARY_SIZE);
	bytes.size = 0; /* Too short for the size of the user. */
	binary_add(&bytes, 0x210, 5, content, 1);
	expect_fault(&bytes, MC_BINARY_SIZE);
}

static void test_every_length_of_a_packet(void **state)
{
	struct binary_bytes bytes = { 0 };
	size_t whole;

	(void)state;
	binary_add_sample(&bytes);
	whole = bytes.size;
	for (bytes.size = 1; bytes.size < whole; bytes.size++) {
		struct mc_binary binary;
		unsigned char *copy = open_copy(&binary, &bytes);

		assert_int_not_equal(mc_binary_next(&binary), MC_BINARY_VALUES);
		free(copy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values_of_every_kind),
		cmocka_unit_test(test_parts_hold_until_changed),
		cmocka_unit_test(test_notification),
		cmocka_unit_test(test_notification_without_severity_or_host),
		cmocka_unit_test(test_part_sizes),
		cmocka_unit_test(test_strings),
		cmocka_unit_test(test_counts_and_kinds),
		cmocka_unit_test(test_unknown_parts_are_passed),
		cmocka_unit_test(test_absurd_times_do_not_overflow),
		cmocka_unit_test(test_what_holds_before_a_fault_counts),
		cmocka_unit_test(test_signed),
		cmocka_unit_test(test_encrypted),
		cmocka_unit_test(test_every_length_of_a_packet),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
