/* SPDX-License-Identifier: MIT */
/* Value lists: the expected bytes are those that write_kafka of collectd 5.12 has sent for the same
 * values. */
#include "unit.h"

#include <math.h>
#include <string.h>

#include "formats/collectd/value_list.h"

static const struct mc_type load = {
	.name = "load",
	.sources_len = 3,
	.sources = { { "shortterm", MC_GAUGE, 0, NAN },
		     { "midterm", MC_GAUGE, 0, NAN },
		     { "longterm", MC_GAUGE, 0, NAN } },
};
static const struct mc_type octets = {
	.name = "if_octets",
	.sources_len = 2,
	.sources = { { "rx", MC_DERIVE, 0, NAN }, { "tx", MC_DERIVE, 0, NAN } },
};
static const struct mc_type gauge = {
	.name = "gauge",
	.sources_len = 1,
	.sources = { { "value", MC_GAUGE, NAN, NAN } },
};
static const struct mc_type counter = {
	.name = "counter",
	.sources_len = 1,
	.sources = { { "value", MC_COUNTER, 0, NAN } },
};
static const struct mc_type absolute = {
	.name = "absolute",
	.sources_len = 1,
	.sources = { { "value", MC_ABSOLUTE, 0, NAN } },
};

enum form { JSON, JSON_RATES, PUTVAL };

static void expect(const struct mc_value_list *list, enum form form, const char *expected)
{
	struct mc_buffer out = { 0 };

	if (form == PUTVAL)
		mc_value_list_putval(&out, list, false);
	else
		mc_value_list_json(&out, list, form == JSON_RATES);
	assert_string_equal(out.at, expected);
	assert_int_equal(out.size, strlen(expected));
	mc_buffer_free(&out);
}

static void test_gauges(void **state)
{
	const union mc_value values[] = { { .gauge = 0.1 }, { .gauge = 0.25 }, { .gauge = 3 },
					  { .gauge = 0.1 }, { .gauge = 0.25 }, { .gauge = 3 } };
	const struct mc_value_list list = {
		.name = "h.example/load/load",
		.id = { "h.example", "load", "", "load", "" },
		.type = &load,
		.time = 1700000000 * MC_SECOND,
		.interval = 10 * MC_SECOND,
		.values = values,
	};
	static const char json[] =
		"{\"values\":[0.1,0.25,3],\"dstypes\":[\"gauge\",\"gauge\",\"gauge\"],"
		"\"dsnames\":[\"shortterm\",\"midterm\",\"longterm\"],\"time\":1700000000.000,"
		"\"interval\":10.000,\"host\":\"h.example\",\"plugin\":\"load\","
		"\"plugin_instance\":\"\",\"type\":\"load\",\"type_instance\":\"\"}";

	(void)state;
	expect(&list, JSON, json);
	expect(&list, JSON_RATES, json);
	expect(&list, PUTVAL,
	       "PUTVAL h.example/load/load interval=10.000 1700000000.000:0.1:0.25:3");
}

static void test_rates(void **state)
{
	union mc_value values[] = {
		{ .derive = -1000 }, { .derive = INT64_MAX }, { .gauge = 30.8 }, { .gauge = NAN }
	};
	const struct mc_value_list list = {
		.name = "h.example/interface-eth0/if_octets",
		.id = { "h.example", "interface", "eth0", "if_octets", "" },
		.type = &octets,
		.time = 1700000000123456789,
		.interval = 2500 * MC_MILLISECOND,
		.values = values,
	};

	(void)state;
	expect(&list, JSON,
	       "{\"values\":[-1000,9223372036854775807],\"dstypes\":[\"derive\",\"derive\"],"
	       "\"dsnames\":[\"rx\",\"tx\"],\"time\":1700000000.123,\"interval\":2.500,"
	       "\"host\":\"h.example\",\"plugin\":\"interface\",\"plugin_instance\":\"eth0\","
	       "\"type\":\"if_octets\",\"type_instance\":\"\"}");
	expect(&list, JSON_RATES,
	       "{\"values\":[30.8,null],\"dstypes\":[\"derive\",\"derive\"],"
	       "\"dsnames\":[\"rx\",\"tx\"],\"time\":1700000000.123,\"interval\":2.500,"
	       "\"host\":\"h.example\",\"plugin\":\"interface\",\"plugin_instance\":\"eth0\","
	       "\"type\":\"if_octets\",\"type_instance\":\"\"}");
	expect(&list, PUTVAL,
	       "PUTVAL h.example/interface-eth0/if_octets interval=2.500 "
	       "1700000000.123:-1000:9223372036854775807");
}

static void expect_number(const struct mc_type *type, union mc_value value, const char *expected)
{
	const union mc_value values[] = { value, { .gauge = NAN } };
	const struct mc_value_list list = { .type = type, .values = values };
	struct mc_buffer out = { 0 };

	mc_value_list_number(&out, &list, 0, false);
	assert_string_equal(out.at, expected);
	mc_buffer_free(&out);
}

static void test_numbers(void **state)
{
	(void)state;
	expect_number(&gauge, (union mc_value){ .gauge = 1e300 }, "1e+300");
	expect_number(&gauge, (union mc_value){ .gauge = 0.000000123456789012345678 },
		      "1.23456789012346e-07");
	expect_number(&gauge, (union mc_value){ .gauge = 123456789012 }, "123456789012");
	expect_number(&gauge, (union mc_value){ .gauge = NAN }, "nan");
	expect_number(&gauge, (union mc_value){ .gauge = INFINITY }, "inf");
	expect_number(&counter, (union mc_value){ .counter = UINT64_MAX }, "18446744073709551615");
	expect_number(&absolute, (union mc_value){ .absolute = 77 }, "77");
}

static void test_names(void **state)
{
	const union mc_value values[] = { { .gauge = INFINITY }, { .gauge = INFINITY } };
	const struct mc_value_list list = {
		.name = "h/df-ro ot/gauge-fr\"ee\\t\xc3\xbc",
		.id = { "h", "df", "ro ot", "gauge", "fr\"ee\\t\xc3\xbc" },
		.type = &gauge,
		.time = MC_SECOND,
		.interval = MC_SECOND,
		.values = values,
	};

	(void)state;
	expect(&list, JSON,
	       "{\"values\":[null],\"dstypes\":[\"gauge\"],\"dsnames\":[\"value\"],"
	       "\"time\":1.000,\"interval\":1.000,\"host\":\"h\",\"plugin\":\"df\","
	       "\"plugin_instance\":\"ro ot\",\"type\":\"gauge\","
	       "\"type_instance\":\"fr\\\"ee\\\\t\?\?\"}");
	expect(&list, PUTVAL,
	       "PUTVAL \"h/df-ro ot/gauge-fr\\\"ee\\\\t\xc3\xbc\" interval=1.000 1.000:inf");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gauges),
		cmocka_unit_test(test_rates),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
