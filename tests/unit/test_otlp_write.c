/* SPDX-License-Identifier: MIT */
/* OTLP, written: the bytes of small requests, and what does not fit. */
#include "unit.h"

#include <collector/writer.h>

#include "formats/otlp/otlp_message.h"
#include "otlp_fixture.h"

static void expect_bytes(const struct mc_otlp_bytes *bytes, const char *expect, size_t size)
{
	assert_int_equal(bytes->size, size);
	assert_memory_equal(bytes->at, expect, size);
}
#define EXPECT(bytes, literal) expect_bytes(bytes, literal, sizeof(literal) - 1)

static void test_one_gauge(void **state)
{
	struct mc_otlp_writer *writer = mc_otlp_writer_new(MC_OTLP_SIZE_MIN);
	struct mc_otlp_bytes bytes;
	struct mc_stamp stamp = { 0x0102030405060708, 10 * MC_SECOND };
	union mc_value one = { .gauge = 1.0 };
	struct otlp_lab lab;

	(void)state;
	otlp_lab_open(&lab);
	mc_put_at(&lab.batch,
		  otlp_series(&lab,
			      MC_ID(.host = "h", .plugin = "cpu", .plugin_instance = "0",
				    .type_instance = "idle"),
			      &otlp_gauge),
		  stamp, &one, 1);
	assert_ptr_equal(mc_otlp_write(writer, &lab.batch, NULL, &bytes), lab.batch.first);
	assert_int_equal(bytes.samples_len, 1);
	EXPECT(&bytes, "\x0a\xb6\x01"
		       "\x0a\x12\x0a\x10\x0a\x09host.name\x12\x03\x0a\x01h"
		       "\x12\x9f\x01"
		       "\x0a\x0f\x0a\x0d"
		       "collector/cpu"
		       "\x12\x8b\x01"
		       "\x0a\x09"
		       "cpu.gauge"
		       "\x2a\x45\x0a\x43"
		       "\x19\x08\x07\x06\x05\x04\x03\x02\x01"
		       "\x21\x00\x00\x00\x00\x00\x00\xf0\x3f"
		       "\x3a\x16\x0a\x0fplugin_instance\x12\x03\x0a\x01"
		       "0"
		       "\x3a\x17\x0a\x0dtype_instance\x12\x06\x0a\x04idle"
		       "\x62\x19\x0a\x0e"
		       "collector.kind\x12\x07\x0a\x05GAUGE"
		       "\x62\x1c\x0a\x12"
		       "collector.interval\x12\x06\x18\x80\xc8\xaf\xa0\x25");
	assert_null(mc_otlp_write(writer, &lab.batch, lab.batch.first, &bytes));
	assert_int_equal(bytes.size, 0);
	otlp_lab_close(&lab);
	mc_otlp_writer_free(writer);
}

static void test_notification(void **state)
{
	struct mc_otlp_writer *writer = mc_otlp_writer_new(MC_OTLP_SIZE_MIN);
	struct mc_otlp_bytes bytes;
	struct mc_notification notification = {
		.severity = MC_WARNING,
		.time = 0x0102030405060708,
		.id = { .host = "h", .plugin = "df" },
		.message = "full",
	};

	(void)state;
	mc_otlp_write_notification(writer, &notification, &bytes);
	EXPECT(&bytes, "\x0a\x5e"
		       "\x0a\x12\x0a\x10\x0a\x09host.name\x12\x03\x0a\x01h"
		       "\x12\x48"
		       "\x0a\x18\x0a\x16"
		       "collector/notification"
		       "\x12\x2c"
		       "\x09\x08\x07\x06\x05\x04\x03\x02\x01"
		       "\x10\x0d"
		       "\x1a\x07WARNING"
		       "\x2a\x06\x0a\x04"
		       "full"
		       "\x32\x0e\x0a\x06plugin\x12\x04\x0a\x02"
		       "df");
	mc_otlp_writer_free(writer);
}

/* Every kind says what it is in OTLP's own words, too. */
static void test_kinds(void **state)
{
	static const char sums[][7] = {
		"\x10\x02\x18\x01\x62", /* COUNTER: cumulative, monotonic. */
		"",                     /* GAUGE: no sum. */
		"\x10\x02\x62",         /* DERIVE that may fall. */
		"\x10\x01\x18\x01\x62", /* ABSOLUTE: delta, monotonic. */
	};
	struct mc_otlp_writer *writer = mc_otlp_writer_new(MC_OTLP_SIZE_MIN);
	union mc_value values[4] = { { .counter = UINT64_MAX },
				     { .gauge = NAN },
				     { .derive = INT64_MIN },
				     { .absolute = 7 } };
	struct mc_otlp_bytes bytes;
	struct otlp_lab lab;

	(void)state;
	otlp_lab_open(&lab);
	mc_put(&lab.batch, otlp_series(&lab, MC_ID(.host = "h", .plugin = "p"), &otlp_mixed),
	       values, 4);
	assert_non_null(mc_otlp_write(writer, &lab.batch, NULL, &bytes));
	for (unsigned i = 0; i < 4; i++)
		assert_non_null(memmem(bytes.at, bytes.size, sums[i], strlen(sums[i])));
	assert_non_null(memmem(bytes.at, bytes.size, "\x31\xff\xff\xff\xff\xff\xff\xff\xff", 9));
	otlp_lab_close(&lab);
	mc_otlp_writer_free(writer);
}

static unsigned label_first(struct mc_ctx *ctx, const char *host,
			    void (*visit)(void *argument, const struct mc_field *), void *argument)
{
	unsigned *asked = ctx->self;

	(*asked)++;
	if (strcmp(host, "labelled") != 0)
		return 0;
	visit(argument, &(struct mc_field){ "uuid", "0-a" });
	visit(argument, &(struct mc_field){ "title", "" });
	return 2;
}

/* Once for a host, whatever the number of its samples. */
/* The unit of a type comes with its metric, and as it was. */
static void test_units(void **state)
{
	static const struct mc_type level = { .name = "level",
					      .unit = "bytes",
					      .sources_len = 1,
					      .sources = { { "value", MC_GAUGE, NAN, NAN } } };
	struct mc_otlp_writer *writer = mc_otlp_writer_new(MC_OTLP_SIZE_MIN);
	struct mc_otlp_bytes bytes;
	struct otlp_lab lab;
	struct mc_otlp otlp;

	(void)state;
	otlp_lab_open(&lab);
	mc_gauge(&lab.batch, otlp_series(&lab, MC_ID(.host = "h", .plugin = "p"), &level), 1);
	mc_otlp_write(writer, &lab.batch, NULL, &bytes);
	mc_otlp_open(&otlp, bytes.at, bytes.size, false, "h");
	assert_int_equal(mc_otlp_next(&otlp), MC_OTLP_SAMPLE);
	assert_int_equal(otlp.said[0].unit.size, 2);
	assert_memory_equal(otlp.said[0].unit.at, "By", 2);
	otlp_lab_close(&lab);
	mc_otlp_writer_free(writer);
}

static void test_labels(void **state)
{
	struct mc_otlp_writer *writer = mc_otlp_writer_new(MC_OTLP_SIZE_MIN);
	unsigned asked = 0;
	struct mc_ctx ctx = { .self = &asked };
	struct mc_otlp_bytes bytes;
	struct mc_otlp otlp;
	struct otlp_lab lab;

	(void)state;
	mc_otlp_writer_label(writer, &ctx, label_first);
	otlp_lab_open(&lab);
	for (unsigned i = 0; i < 6; i++)
		mc_gauge(&lab.batch,
			 otlp_series(&lab,
				     MC_ID(.host = i < 3 ? "labelled" : "bare", .plugin = "p",
					   .type_instance = i % 3 == 0   ? "a"
							    : i % 3 == 1 ? "b"
									 : "c"),
				     &otlp_gauge),
			 i);
	assert_non_null(mc_otlp_write(writer, &lab.batch, NULL, &bytes));
	assert_int_equal(asked, 2);
	assert_non_null(memmem(bytes.at, bytes.size,
			       "\x0a\x0b\x0a\x05title\x12\x02\x0a\x00"
			       "\x0a\x0d\x0a\x04uuid\x12\x05\x0a\x03"
			       "0-a",
			       28));
	mc_otlp_open(&otlp, bytes.at, bytes.size, false, "nobody");
	for (unsigned i = 0; i < 6; i++)
		assert_int_equal(mc_otlp_next(&otlp), MC_OTLP_SAMPLE);
	assert_int_equal(mc_otlp_next(&otlp), MC_OTLP_END);
	otlp_lab_close(&lab);
	mc_otlp_writer_free(writer);
}

/* Samples of one type and host share a metric, wherever they stand. */
static void test_grouping(void **state)
{
	struct mc_otlp_writer *writer = mc_otlp_writer_new(MC_OTLP_SIZE_MIN);
	union mc_value values[2] = { { .derive = 1 }, { .derive = 2 } };
	struct mc_otlp_bytes bytes;
	const unsigned char *at;
	struct otlp_lab lab;
	unsigned found = 0;
	char name[8];

	(void)state;
	otlp_lab_open(&lab);
	for (unsigned i = 0; i < 20; i++) {
		snprintf(name, sizeof(name), "%u", i);
		mc_put(&lab.batch,
		       otlp_series(
			       &lab,
			       MC_ID(.host = "h", .plugin = "interface", .plugin_instance = name),
			       &otlp_octets),
		       values, 2);
		mc_put(&lab.batch,
		       otlp_series(
			       &lab,
			       MC_ID(.host = "h", .plugin = "interface", .plugin_instance = name),
			       &otlp_gauge),
		       values, 1);
	}
	mc_otlp_write(writer, &lab.batch, NULL, &bytes);
	assert_int_equal(bytes.samples_len, 40);
	for (at = bytes.at; (at = memmem(at, bytes.at + bytes.size - at, "interface.", 10)); at++)
		found++;
	assert_int_equal(found, 2);
	otlp_lab_close(&lab);
	mc_otlp_writer_free(writer);
}

/* A batch that is too large comes in parts, none larger than is allowed, and
 * no sample twice or never. */
static void test_parts(void **state)
{
	struct mc_otlp_writer *writer = mc_otlp_writer_new(MC_OTLP_SIZE_MIN);
	const struct mc_sample *last = NULL, *next;
	struct mc_otlp_bytes bytes;
	union mc_value value = { .gauge = 1 };
	char instance[127 + 1];
	struct otlp_lab lab;
	unsigned parts = 0, samples = 0;

	(void)state;
	otlp_lab_open(&lab);
	memset(instance, 'i', 127);
	instance[127] = '\0';
	for (unsigned i = 0; i < 1000; i++) {
		struct mc_id id = MC_ID(.host = "h", .plugin = "p", .plugin_instance = instance,
					.type_instance = instance);

		snprintf(instance, 5, "%04u", i);
		instance[4] = 'i';
		id.plugin_instance = instance + (i % 20);
		mc_put(&lab.batch, otlp_series(&lab, id, &otlp_gauge), &value, 1);
	}
	while ((next = mc_otlp_write(writer, &lab.batch, last, &bytes))) {
		assert_true(bytes.size <= MC_OTLP_SIZE_MIN);
		assert_true(bytes.size > MC_OTLP_SIZE_MIN / 2 || next == lab.batch.last);
		samples += bytes.samples_len;
		parts++;
		last = next;
	}
	assert_int_equal(samples, 1000);
	assert_true(parts > 2);
	otlp_lab_close(&lab);
	mc_otlp_writer_free(writer);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_gauge), cmocka_unit_test(test_units),
		cmocka_unit_test(test_labels),    cmocka_unit_test(test_notification),
		cmocka_unit_test(test_kinds),     cmocka_unit_test(test_grouping),
		cmocka_unit_test(test_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
