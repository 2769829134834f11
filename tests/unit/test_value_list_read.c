/* SPDX-License-Identifier: MIT */
/* Value lists are read as collectd 5.12 and value_list.h write them. */
#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "formats/collectd/value_list_read.h"

struct found {              /* What was taken. */
	unsigned len, stop; /* Objects; 0: all. */
	char text[1024];
};

static void add_value(struct found *found, const struct mc_value_list_in *list, unsigned source)
{
	static const char *const kinds = "cgda";
	enum mc_kind kind = list->typed ? list->kinds[source] : MC_GAUGE;
	size_t size = strlen(found->text);
	char *out = found->text + size;
	union mc_value value;

	if (!mc_value_list_read_value(list, source, kind, &value))
		snprintf(out, sizeof(found->text) - size, " %c:refused", kinds[kind]);
	else if (kind == MC_GAUGE)
		snprintf(out, sizeof(found->text) - size, " g:%.15g", value.gauge);
	else if (kind == MC_DERIVE)
		snprintf(out, sizeof(found->text) - size, " d:%lld", (long long)value.derive);
	else
		snprintf(out, sizeof(found->text) - size, " %c:%llu", kinds[kind],
			 (unsigned long long)value.counter);
}

static bool take(void *argument, const struct mc_value_list_in *list)
{
	struct found *found = argument;
	size_t size = strlen(found->text);
	char *out = found->text + size;

	found->len++;
	if (list->why != NULL) {
		snprintf(out, sizeof(found->text) - size, "(%s)", list->why);
		return found->len != found->stop;
	}
	snprintf(out, sizeof(found->text) - size, "%s/%s-%s/%s-%s@%lld+%lld", list->id.host,
		 list->id.plugin, list->id.plugin_instance, list->id.type, list->id.type_instance,
		 (long long)list->time, (long long)list->interval);
	for (unsigned i = 0; i < list->values_len; i++)
		add_value(found, list, i);
	return found->len != found->stop;
}

static void expect(const char *json, const char *expected, const char *why)
{
	struct found found = { .len = 0 };
	const char *fault = mc_value_list_read(json, strlen(json), take, &found);

	assert_string_equal(found.text, expected);
	if (why == NULL)
		assert_null(fault);
	else
		assert_string_equal(fault, why);
}

/* The bytes are those of a collectd. */
static void test_collectd(void **state)
{
	(void)state;
	expect("[{\"values\":[1901474177],\"dstypes\":[\"counter\"],\"dsnames\":[\"value\"],"
	       "\"time\":1280959128.123,\"interval\":10.000,\"host\":\"leeloo.example\","
	       "\"plugin\":\"cpu\",\"plugin_instance\":\"0\",\"type\":\"cpu\","
	       "\"type_instance\":\"idle\"}]",
	       "leeloo.example/cpu-0/cpu-idle@1280959128123000000+10000000000 c:1901474177", NULL);
	expect("[{\"values\":[-1000,9223372036854775807],\"dstypes\":[\"derive\",\"derive\"],"
	       "\"time\":1700000000.123,\"interval\":2.500,\"host\":\"h\",\"plugin\":\"interface\","
	       "\"plugin_instance\":\"eth0\",\"type\":\"if_octets\",\"type_instance\":\"\","
	       "\"meta\":{\"a\":[1,{\"values\":[2]}],\"host\":\"x\"}}]",
	       "h/interface-eth0/if_octets-@1700000000123000000+2500000000 d:-1000 "
	       "d:9223372036854775807",
	       NULL);
}

static void test_several(void **state)
{
	(void)state;
	expect("[{\"values\":[1],\"host\":\"a\",\"plugin\":\"p\",\"type\":\"t\"},"
	       "{\"values\":[null,2.5],\"dstypes\":[\"gauge\",\"gauge\"],\"host\":\"b\","
	       "\"plugin\":\"p\",\"type\":\"t\"}]",
	       "a/p-/t-@0+0 g:1b/p-/t-@0+0 g:nan g:2.5", NULL);
	expect("{\"values\":[7],\"dstypes\":[\"absolute\"],\"host\":\"a\",\"plugin\":\"p\","
	       "\"type\":\"t\",\"time\":1.5e3}",
	       "a/p-/t-@1500000000000+0 a:7", NULL);
	expect("[]", "", NULL);
}

/* A change per second is no total. */
static void test_refused_values(void **state)
{
	(void)state;
	expect("[{\"values\":[0.5,null,-1,9223372036854775808,18446744073709551616],\"dstypes\":"
	       "[\"derive\",\"derive\",\"counter\",\"derive\",\"counter\"],\"host\":\"a\","
	       "\"plugin\":\"p\",\"type\":\"t\"}]",
	       "a/p-/t-@0+0 d:refused d:refused c:refused d:refused c:refused", NULL);
}

static void test_refused_objects(void **state)
{
	(void)state;
	expect("[{\"host\":\"a\",\"plugin\":\"p\",\"type\":\"t\"},{\"values\":[1],\"host\":\"a\","
	       "\"type\":\"t\"},{\"values\":[1],\"dstypes\":[\"gauge\",\"gauge\"],\"host\":\"a\","
	       "\"plugin\":\"p\",\"type\":\"t\"},{\"values\":[1],\"dstypes\":[\"level\"]},"
	       "{\"values\":[1],\"time\":-1},{\"values\":[1],\"host\":\"a\\u0000b\"}]",
	       "(it has no values)(it has no host, plugin or type)"
	       "(it has not as many dstypes as values)(one of its dstypes is unknown)"
	       "(its time or interval is invalid)"
	       "(a part of its name is too long, or has a zero byte)",
	       NULL);
}

static void test_foreign(void **state)
{
	(void)state;
	expect("{", "", "it is not JSON");
	expect("[1]", "", "it has something else than value lists");
	expect("[[{}]]", "", "it has something else than value lists");
	expect("\"text\"", "", "it has something else than value lists");
	expect("{\"a\":[[[[[[[[1]]]]]]]]}", "", "it is JSON with too many levels");
}

static void test_stop(void **state)
{
	static const char json[] = "[{},{},{}]";
	struct found found = { .stop = 2 };

	(void)state;
	assert_null(mc_value_list_read(json, strlen(json), take, &found));
	assert_int_equal(found.len, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_collectd),       cmocka_unit_test(test_several),
		cmocka_unit_test(test_refused_values), cmocka_unit_test(test_refused_objects),
		cmocka_unit_test(test_foreign),        cmocka_unit_test(test_stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
