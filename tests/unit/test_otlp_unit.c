/* SPDX-License-Identifier: MIT */
/* Units, as types.db and as OpenTelemetry has them. */
#include "formats/otlp/otlp_unit.h"

#include "unit.h"

/* Of OTLP_UNIT_SIZE bytes. */
#define LONG_UNIT "a unit that is longer than all others, as an instrument has none"

static void assert_written(const char *unit, const char *expected)
{
	char out[OTLP_UNIT_SIZE];

	assert_int_equal(otlp_unit_write(out, unit), strlen(expected));
	assert_memory_equal(out, expected, strlen(expected));
}

static void assert_read(const char *unit, bool sum, const char *expected)
{
	char out[OTLP_UNIT_SIZE];

	otlp_unit_read(out, otlp_literal(unit), sum);
	assert_string_equal(out, expected);
}

static void test_written(void **state)
{
	(void)state;
	assert_written("bytes", "By");
	assert_written("bytes/s", "By/s");
	assert_written("seconds", "s");
	assert_written("ns/s", "ns/s");
	assert_written("percent", "%");
	assert_written("packets/s", "{packets}/s");
	assert_written("32 MiB", "{32 MiB}");
	assert_written("any", "");
	assert_written("code", "");
	assert_written("", "");
	assert_written(NULL, "");
	assert_written(LONG_UNIT, "");
}

/* A sum has the unit of what it sums up. */
static void test_metric(void **state)
{
	static const struct mc_type octets = { .name = "octets", .unit = "bytes/s" };
	static const struct mc_type load = { .name = "load", .unit = "any" };
	struct otlp_unit units[OTLP_UNITS] = { { 0 } };
	const struct otlp_unit *unit;

	(void)state;
	for (int i = 0; i < 2; i++) {
		unit = otlp_unit_find(units, &octets);
		assert_int_equal(unit->gauge_size, 6);
		assert_memory_equal(unit->gauge,
				    "\x1a\x04"
				    "By/s",
				    6);
		assert_int_equal(unit->sum_size, 4);
		assert_memory_equal(unit->sum,
				    "\x1a\x02"
				    "By",
				    4);
		unit = otlp_unit_find(units, &load);
		assert_int_equal(unit->gauge_size, 0);
		assert_int_equal(unit->sum_size, 0);
	}
}

static void test_read(void **state)
{
	(void)state;
	assert_read("By", false, "bytes");
	assert_read("By", true, "bytes/s");
	assert_read("By/s", false, "bytes/s");
	assert_read("s", false, "seconds");
	assert_read("1", false, "ratio");
	assert_read("{packets}", true, "packets/s");
	assert_read("{}", false, "{}");
	assert_read("MiBy", false, "MiBy");
	assert_read("", true, "");
	assert_read("\x1b[31m", false, "");
	assert_read(LONG_UNIT, false, "");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_written),
		cmocka_unit_test(test_metric),
		cmocka_unit_test(test_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
