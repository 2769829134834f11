/* SPDX-License-Identifier: MIT */
/* The binary protocol, written: exact bytes, and what is read back. */
#include "formats/binary/binary.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "binary_fixture.h"

static struct mc_binary_series *new_series(struct mc_id id)
{
	const struct mc_type *type = strcmp(id.type, "mixed") == 0 ? &binary_mixed : &binary_gauge;
	struct mc_binary_series *series = malloc(mc_binary_series_size(&id, type));

	assert_non_null(series);
	mc_binary_series_init(series, &id, type);
	return series;
}

/* The same bytes that collectd 5.12 sends for these two value lists. */
static void test_exact_bytes(void **state)
{
	static const unsigned char expected[] = {
		/* host "ab", time 1.5 s, interval 10 s, plugin "cpu" */
		0,
		0,
		0,
		7,
		'a',
		'b',
		0,
		0,
		8,
		0,
		12,
		0,
		0,
		0,
		0,
		0x60,
		0,
		0,
		0,
		0,
		9,
		0,
		12,
		0,
		0,
		0,
		2,
		0x80,
		0,
		0,
		0,
		0,
		2,
		0,
		8,
		'c',
		'p',
		'u',
		0,
		/* plugin instance "0", type "gauge", 1.0 */
		0,
		3,
		0,
		6,
		'0',
		0,
		0,
		4,
		0,
		10,
		'g',
		'a',
		'u',
		'g',
		'e',
		0,
		0,
		6,
		0,
		15,
		0,
		1,
		1,
		0,
		0,
		0,
		0,
		0,
		0,
		0xf0,
		0x3f,
		/* time 2 s, no plugin instance, type instance "x", 1.0 */
		0,
		8,
		0,
		12,
		0,
		0,
		0,
		0,
		0x80,
		0,
		0,
		0,
		0,
		3,
		0,
		5,
		0,
		0,
		5,
		0,
		6,
		'x',
		0,
		0,
		6,
		0,
		15,
		0,
		1,
		1,
		0,
		0,
		0,
		0,
		0,
		0,
		0xf0,
		0x3f,
	};
	struct mc_binary_series *one = new_series(MC_ID("ab", "cpu", "0", "gauge", "")),
				*two = new_series(MC_ID("ab", "cpu", "", "gauge", "x"));
	struct mc_stamp stamp = { 3 * MC_SECOND / 2, 10 * MC_SECOND };
	const union mc_value value = { .gauge = 1.0 };
	struct mc_binary_packet packet;
	unsigned char out[256];

	(void)state;
	mc_binary_start(&packet, out, sizeof(out));
	assert_true(mc_binary_put(&packet, one, stamp, &value));
	stamp.time = 2 * MC_SECOND;
	assert_true(mc_binary_put(&packet, two, stamp, &value));
	assert_int_equal(packet.lists_len, 2);
	assert_int_equal(packet.size, sizeof(expected));
	assert_memory_equal(out, expected, sizeof(expected));
	free(one);
	free(two);
}

/* The same bytes, whether the series before is at hand or not. */
static void test_rest_changes_nothing(void **state)
{
	static const struct mc_id ids[] = {
		{ "h", "p", "", "gauge", "" },
		{ "h", "p", "", "gauge", "" },
		{ "h", "p", "", "gauge", "used" },
		{ "h", "p", "", "gauge", "free" },
		{ "h", "p", "", "gauge", "a much longer instance" },
		{ "h", "p", "", "gauge", "a much longer instancE" },
		{ "h", "p", "0", "gauge", "a much longer instancE" },
		{ "i", "p", "0", "gauge", "a much longer instancE" },
		{ "i", "p", "0", "gaugf", "a much longer instancE" },
		{ "i", "q", "0", "gaugf", "" },
	};
	const union mc_value value = { .gauge = 1.0 };
	struct mc_binary_packet quick, slow;
	unsigned char quick_bytes[1024], slow_bytes[1024];
	struct mc_binary_series *before = NULL;

	(void)state;
	mc_binary_start(&quick, quick_bytes, sizeof(quick_bytes));
	mc_binary_start(&slow, slow_bytes, sizeof(slow_bytes));
	for (size_t i = 0; i < sizeof(ids) / sizeof(*ids); i++) {
		struct mc_binary_series *series = new_series(ids[i]);
		struct mc_stamp stamp = { MC_SECOND * (mc_time)(i / 2), MC_SECOND };

		assert_true(mc_binary_put(&quick, series, stamp, &value));
		assert_true(mc_binary_put(&slow, series, stamp, &value));
		mc_binary_rest(&slow);
		assert_int_equal(quick.size, slow.size);
		free(before);
		before = series;
	}
	free(before);
	assert_memory_equal(quick_bytes, slow_bytes, quick.size);
}

static void test_kinds(void **state)
{
	static const unsigned char expected[] = {
		0,    6,    0,    42,   0,    4,    0, 1, 2, 3, 0xff, 0xff, 0xff, 0xff,
		0xff, 0xff, 0xff, 0xfe, 0,    0,    0, 0, 0, 0, 0x04, 0xc0, 0xff, 0xff,
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0,    0,    1,    0,
	};
	const union mc_value values[] = { { .counter = UINT64_MAX - 1 },
					  { .gauge = -2.5 },
					  { .derive = -1 },
					  { .absolute = 256 } };
	struct mc_binary_series *series = new_series(MC_ID("h", "p", "", "mixed", ""));
	struct mc_binary_packet packet;
	unsigned char out[256];

	(void)state;
	mc_binary_start(&packet, out, sizeof(out));
	assert_true(
		mc_binary_put(&packet, series, (struct mc_stamp){ MC_SECOND, MC_SECOND }, values));
	assert_memory_equal(out + packet.size - sizeof(expected), expected, sizeof(expected));
	free(series);
}

static void test_full_packet_stays_as_it_is(void **state)
{
	struct mc_binary_series *series = new_series(MC_ID("h", "p", "", "gauge", ""));
	const union mc_value value = { .gauge = 1.0 };
	struct mc_stamp stamp = { MC_SECOND, MC_SECOND };
	struct mc_binary_packet packet;
	unsigned char out[61]; /* 6 + 12 + 12 + 6 + 10 + 15 */

	(void)state;
	mc_binary_start(&packet, out, sizeof(out) - 1);
	assert_false(mc_binary_put(&packet, series, stamp, &value));
	assert_int_equal(packet.size, 0);
	mc_binary_start(&packet, out, sizeof(out));
	assert_true(mc_binary_put(&packet, series, stamp, &value));
	assert_int_equal(packet.size, sizeof(out));
	assert_false(mc_binary_put(&packet, series, stamp, &value));
	assert_int_equal(packet.size, sizeof(out));
	assert_int_equal(packet.lists_len, 1);
	free(series);
}

static void test_times_come_back(void **state)
{
	static const mc_time times[] = { 1, 999999999, 1700000000123456789, 1700000000999999999,
					 4102444800 * MC_SECOND - 1 };
	struct mc_binary_series *series = new_series(MC_ID("h", "p", "", "gauge", ""));
	const union mc_value value = { .gauge = 1.0 };

	(void)state;
	for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++) {
		struct mc_stamp stamp = { times[i], 10 * MC_SECOND + i };
		struct mc_binary_packet packet;
		unsigned char out[128];
		struct mc_binary binary;

		mc_binary_start(&packet, out, sizeof(out));
		mc_binary_put(&packet, series, stamp, &value);
		mc_binary_open(&binary, out, packet.size);
		assert_int_equal(mc_binary_next(&binary), MC_BINARY_VALUES);
		assert_int_equal(binary.stamp.time, stamp.time);
		assert_int_equal(binary.stamp.interval, stamp.interval);
	}
	free(series);
}

static void test_notification(void **state)
{
	static const unsigned char expected[] = {
		0, 8, 0, 12, 0, 0, 0,   0, 0x40, 0, 0, 0, 1,   1, 0, 12, 0, 0, 0,   0,   0, 0,
		0, 1, 0, 0,  0, 6, 'h', 0, 0,    4, 0, 6, 't', 0, 1, 0,  0, 7, 'n', 'o', 0,
	};
	const struct mc_notification notification = { .severity = MC_FAILURE,
						      .time = MC_SECOND,
						      .id = { .host = "h", .type = "t" },
						      .message = "no" };
	unsigned char out[256];

	(void)state;
	assert_int_equal(mc_binary_notification(out, sizeof(out), &notification), sizeof(expected));
	assert_memory_equal(out, expected, sizeof(expected));
	assert_int_equal(mc_binary_notification(out, 41, &notification), 0);
}

static void test_long_message_is_cut(void **state)
{
	char message[400];
	struct mc_notification notification = {
		.severity = MC_OKAY, .time = MC_SECOND, .id = { .host = "h" }, .message = message
	};
	unsigned char out[512];
	struct mc_binary binary;
	size_t size;

	(void)state;
	memset(message, 'm', sizeof(message) - 1);
	message[sizeof(message) - 1] = '\0';
	memcpy(message + 254, "\xc3\xa4", 2); /* Across the limit. */
	size = mc_binary_notification(out, sizeof(out), &notification);
	mc_binary_open(&binary, out, size);
	assert_int_equal(mc_binary_next(&binary), MC_BINARY_NOTICE);
	assert_int_equal(strlen(binary.notification.message), 254);
	assert_int_equal(binary.notification.message[253], 'm');
}

/* Nobody takes a longer one, and with it the rest of the packet would go. */
static void test_long_parts_are_cut(void **state)
{
	char part[200];
	struct mc_notification notification = { .severity = MC_OKAY,
						.time = MC_SECOND,
						.id = { part, part, part, part, part },
						.message = "m" };
	unsigned char out[1024];
	struct mc_binary binary;
	size_t size;

	(void)state;
	memset(part, 'p', sizeof(part) - 1);
	part[sizeof(part) - 1] = '\0';
	memcpy(part + MC_BINARY_PART_SIZE - 1, "\xc3\xa4", 2);
	size = mc_binary_notification(out, sizeof(out), &notification);
	assert_true(size > 5 * (MC_BINARY_PART_SIZE - 1));
	mc_binary_open(&binary, out, size);
	assert_int_equal(mc_binary_next(&binary), MC_BINARY_NOTICE);
	for (int i = 0; i < 5; i++)
		assert_int_equal(strlen(binary.texts[i]), MC_BINARY_PART_SIZE - 1);
	assert_string_equal(binary.notification.message, "m");
}

static void test_seals_come_back(void **state)
{
	static const enum mc_binary_item kinds[] = { MC_BINARY_SIGNED, MC_BINARY_ENCRYPTED };

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct mc_binary_envelope envelope;
		struct mc_binary binary;
		unsigned char out[256] = { 0 };
		size_t size = mc_binary_envelope_size(kinds[i], 3);

		assert_int_equal(size, i == 0 ? 39 : 45);
		mc_binary_envelope(out, kinds[i], "abc", 100, &envelope);
		assert_ptr_equal(envelope.covered + envelope.covered_size, out + size + 100);
		mc_binary_open(&binary, out, size + 100);
		assert_int_equal(mc_binary_next(&binary), kinds[i]);
		assert_ptr_equal(binary.envelope.code, envelope.code);
		assert_ptr_equal(binary.envelope.covered, envelope.covered);
		assert_int_equal(binary.envelope.covered_size, envelope.covered_size);
		assert_int_equal(binary.envelope.user_size, 3);
		assert_memory_equal(binary.envelope.user, "abc", 3);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exact_bytes),
		cmocka_unit_test(test_rest_changes_nothing),
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_full_packet_stays_as_it_is),
		cmocka_unit_test(test_times_come_back),
		cmocka_unit_test(test_notification),
		cmocka_unit_test(test_long_message_is_cut),
		cmocka_unit_test(test_long_parts_are_cut),
		cmocka_unit_test(test_seals_come_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
