/* SPDX-License-Identifier: MIT */
/* Lines of the InfluxDB line protocol. */
#include "formats/influx.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

#include "unit.h"

static size_t show_field(char *out, size_t room, const struct mc_influx_field *field)
{
	switch (field->kind) {
	case MC_INFLUX_FLOAT:
		return (size_t)snprintf(out, room, " %s=%.10g", field->key, field->value.number);
	case MC_INFLUX_SIGNED:
		return (size_t)snprintf(out, room, " %s=%" PRId64 "i", field->key,
					field->value.signed_number);
	case MC_INFLUX_UNSIGNED:
		return (size_t)snprintf(out, room, " %s=%" PRIu64 "u", field->key,
					field->value.unsigned_number);
	case MC_INFLUX_BOOL:
		return (size_t)snprintf(out, room, " %s=%s", field->key,
					field->value.truth ? "true" : "false");
	case MC_INFLUX_TEXT:
		return (size_t)snprintf(out, room, " %s='%s'", field->key, field->value.text);
	}
	return 0;
}

/* "MEASUREMENT <KEY|VALUE> FIELD=... @TIME", or "? ERROR". */
static const char *read_line(const char *line)
{
	static char out[512];
	char *copy = mc_alloc_copy(line);
	struct mc_influx influx;
	struct mc_influx_field field;
	size_t at;

	if (!mc_influx_parse(&influx, copy, strlen(copy))) {
		snprintf(out, sizeof(out), "? %s", influx.error);
		free(copy);
		return out;
	}
	at = (size_t)snprintf(out, sizeof(out), "%s",
			      influx.measurement != NULL ? influx.measurement : "-");
	for (size_t i = 0; i < influx.tags_len; i++)
		at += (size_t)snprintf(out + at, sizeof(out) - at, " <%s|%s>", influx.tags[i].key,
				       influx.tags[i].value);
	while (mc_influx_next(&influx, &field))
		at += show_field(out + at, sizeof(out) - at, &field);
	if (influx.has_time)
		snprintf(out + at, sizeof(out) - at, " @%" PRId64, influx.time);
	free(copy);
	return out;
}

static void points(void **state)
{
	(void)state;
	assert_string_equal(read_line("cpu,cpu=cpu0,host=a idle=98.5,user=2 1700000000000"),
			    "cpu <cpu|cpu0> <host|a> idle=98.5 user=2 @1700000000000");
	assert_string_equal(read_line("m v=-7i,w=18446744073709551615u,x=t,"
				      "y=False,z=1e3\r"),
			    "m v=-7i w=18446744073709551615u x=true y=false "
			    "z=1000");
	assert_string_equal(read_line("m  v=+1.5   -5 "), "m v=1.5 @-5");
	assert_string_equal(read_line("# m v=1"), "-");
	assert_string_equal(read_line("  "), "-");
}

/* As telegraf writes 1e-300, and what no number has. */
static void numbers_are_long(void **state)
{
	char line[512];
	int size = snprintf(line, sizeof(line), "m v=0.%0300d", 1);

	(void)state;
	assert_string_equal(read_line(line), "m v=1e-300");
	memset(line + size, '0', 100);
	line[size + 100] = '\0';
	assert_string_equal(read_line(line), "? a field is wrong");
}

static void escapes(void **state)
{
	(void)state;
	assert_string_equal(read_line("a\\,b\\ c\\d,k\\=\\,=v\\ w f\\=g\\ =1"),
			    "a,b c\\d <k=,|v w> f=g =1");
	assert_string_equal(read_line("m t=\"a \\\"b\\\", c=1 \\\\ \\d\",v=2 3"),
			    "m t='a \"b\", c=1 \\ \\d' v=2 @3");
}

static void wrong_lines(void **state)
{
	static const char *const fields[] = {
		"m v",
		"m v=",
		"m v=x",
		"m v=1,",
		"m v=1,w",
		"m v=\"a",
		"m v=1ii",
		"m v=1.5i",
		"m v=-1u",
		"m v=nan",
		"m v=1e400",
		"m =1",
		"m v=0x10",
		"m v=t1",
		"m ,v=1",
		"m v=\"a\"b",
		"m v=9223372036854775808i",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		assert_string_equal(read_line(fields[i]), "? a field is wrong");
	assert_string_equal(read_line("m"), "? it has no fields");
	assert_string_equal(read_line(",t=1 v=1"), "? it has no measurement");
	assert_string_equal(read_line("m,t v=1"), "? a tag is wrong, or one too many");
	assert_string_equal(read_line("m,t= v=1"), "? a tag is wrong, or one too many");
	assert_string_equal(read_line("m,t=1,=2 v=1"), "? a tag is wrong, or one too many");
	assert_string_equal(read_line("m v=1 1.5"), "? its time is not one whole number");
	assert_string_equal(read_line("m v=1 15 x"), "? its time is not one whole number");
	assert_string_equal(read_line("m v=1 15 16"), "? its time is not one whole number");
	assert_string_equal(read_line("m v=1 9223372036854775808"),
			    "? its time is not one whole number");
}

static void tags_are_limited(void **state)
{
	char line[2048] = "m";
	size_t at = 1;

	(void)state;
	for (unsigned i = 0; i < MC_INFLUX_TAGS_MAX; i++)
		at += (size_t)snprintf(line + at, sizeof(line) - at, ",t%u=1", i);
	snprintf(line + at, sizeof(line) - at, " v=1");
	assert_memory_equal(read_line(line), "m <t0|1>", 8);
	snprintf(line + at, sizeof(line) - at, ",u=1 v=1");
	assert_string_equal(read_line(line), "? a tag is wrong, or one too many");
}

/* 0 is a time for InfluxDB, but means none for a series. */
static void times_are_after_1970(void **state)
{
	static const struct {
		const char *line;
		mc_time unit;
		bool good;
		mc_time time;
	} cases[] = {
		{ "m v=1", 1, true, 0 },
		{ "m v=1 1", 1, true, 1 },
		{ "m v=1 1700000000", MC_SECOND, true, 1700000000 * MC_SECOND },
		{ "m v=1 9223372036854775807", 1000, true, INT64_MAX },
		{ "m v=1 0", 1, false, 0 },
		{ "m v=1 -1", MC_SECOND, false, 0 },
		{ "m v=1 -9223372036854775808", 1000, false, 0 },
		{ "# m v=1 0", 1, true, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct mc_influx influx;
		mc_time time = -1;
		char line[64];

		snprintf(line, sizeof(line), "%s", cases[i].line);
		assert_true(mc_influx_parse(&influx, line, strlen(line)));
		assert_int_equal(mc_influx_time(&influx, cases[i].unit, &time), cases[i].good);
		assert_int_equal(time, cases[i].good ? cases[i].time : -1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(points),           cmocka_unit_test(numbers_are_long),
		cmocka_unit_test(escapes),          cmocka_unit_test(wrong_lines),
		cmocka_unit_test(tags_are_limited), cmocka_unit_test(times_are_after_1970),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
