/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "formats/names/name_template.h"

#define MC_ROWS(rows) (sizeof(rows) / sizeof(*(rows)))

/* "host|plugin|plugin_instance|type|type_instance|source|interval" */
static void check(const char *line, const char *path, const char *expected)
{
	const struct mc_strings lines = { &line, line != NULL };
	static const char *const limits[] = {
		[MC_LIMIT_NONE] = "",    [MC_LIMIT_WARNING] = " warning",
		[MC_LIMIT_MIN] = " min", [MC_LIMIT_FAILURE] = " failure",
		[MC_LIMIT_MAX] = " max",
	};
	static const char *const checks[] = {
		[MC_NAME_CHECK_NONE] = "",
		[MC_NAME_CHECK_STATE] = " state",
		[MC_NAME_CHECK_HOST] = " host",
		[MC_NAME_CHECK_TYPE] = " type",
	};
	struct mc_name_templates *templates;
	char text[2048], why[256] = "";
	struct mc_name_made made;
	size_t wrong;

	templates = mc_name_templates_new(&lines, &wrong, why, sizeof(why));
	assert_string_equal(why, "");
	if (!mc_name_make(templates, path, strlen(path), &made))
		snprintf(text, sizeof(text), "none");
	else
		snprintf(text, sizeof(text), "%s|%s|%s|%s|%s|%s|%g%s%s", made.host, made.plugin,
			 made.plugin_instance, made.type, made.type_instance, made.source,
			 (double)made.interval / 1e9, limits[made.limit], checks[made.check]);
	assert_string_equal(text, expected);
	mc_name_templates_free(templates);
}

static void test_names(void **state)
{
	static const char *const rows[][3] = {
		/* None of one's own. */
		{ NULL, "web.load.short", "web||||load.short||0" },
		{ NULL, "load", "||||load||0" },
		{ NULL, "a.b;host=h;z=2;y=1", "h||||a.b,y=1,z=2||0" },
		{ NULL, "..a...b.", "a||||b||0" },
		{ NULL, "cpu.cpu;host=h;plugin=cpu;plugin_instance=0;type_instance=i",
		  "h|cpu|0|cpu|i||0" },
		{ NULL, "if.if_octets.rx;host=h;plugin=if;type=if_octets;ds_name=rx",
		  "h|if||if_octets||rx|0" },
		/* Words. */
		{ "servers.*.** skip.host.plugin.type_instance*", "servers.w.disk.sda.read",
		  "w|disk|||sda.read||0" },
		{ "servers.*.** skip.host.plugin", "servers.w.disk.sda.read",
		  "w|disk|||sda.read||0" },
		{ "servers.*.** .host..plugin_instance", "servers.w.a.b", "w||b||||0" },
		{ "other.** host", "servers.w", "servers||||w||0" },
		{ "** host.type_instance*.plugin", "a.b.c.d", "a|d|||b.c||0" },
		{ "** host.type_instance*.plugin", "a.b", "a||||b||0" },
		{ "** host.host.type_instance", "a.b.c", "a.b||||c||0" },
		{ "web?.** host.plugin", "web1.x", "web1|x|||||0" },
		{ "web?.** host.plugin", "web12.x", "web12||||x||0" },
		/* Parts that are set. */
		{ "** type_instance* host=h plugin=p interval=30", "a.b", "h|p|||a.b||30" },
		{ "** plugin plugin_instance=$rack", "a;rack=7;row=1", "|a|7||row=1||0" },
		{ "** plugin plugin_instance=$rack", "a;row=1", "|a|||row=1||0" },
		/* Those that come along. */
		{ "collectd", "h.cpu-0.cpu-idle", "h|cpu|0|cpu|idle||0" },
		{ "collectd", "h.interface-eth0.if_octets.rx", "h|interface|eth0|if_octets||rx|0" },
		{ "collectd", "h.df-a-b.gauge-", "h|df|a-b|gauge-|||0" },
		{ "icinga2", "icinga2.h.services.s.c.perfdata.a.b.value", "h||s||a.b||0" },
		{ "icinga2", "icinga2.h.services.s.c.perfdata.a.b.warn", "h||s||a.b||0 warning" },
		{ "icinga2", "icinga2.h.services.s.c.perfdata.a.other", "h||s||a.other||0" },
		{ "icinga2", "icinga2.h.host.c.perfdata.rta.max", "h||host||rta||0 max" },
		{ "icinga2", "icinga2.h.services.s.c.metadata.state",
		  "h||s||metadata.state||0 state" },
		{ "icinga2", "icinga2.h.services.s.c.metadata.state_type",
		  "h||s||metadata.state_type||0 type" },
		{ "icinga2", "icinga2.h.services.s.c.metadata.latency",
		  "h||s||metadata.latency||0" },
		{ "icinga2", "icinga2.h.host.c.perfdata.rta.value", "h||host||rta||0" },
		{ "icinga2", "icinga2.h.host.c.metadata.state", "h||host||metadata.state||0 host" },
		{ "icinga2", "icinga.service.s.load1_warn;host=h", "h|opentsdb|s||load1_warn||0" },
		{ "icinga2", "icinga.host.rta;host=h", "h|opentsdb|host||rta||0" },
		{ "icinga2_influxdb", "load.value;hostname=h;service=s;metric=m", "h||s||m||0" },
		{ "icinga2_influxdb", "load.crit;hostname=h;metric=m", "h||||m||0 failure" },
		{ "icinga2_influxdb", "load.other;hostname=h;metric=m", "h||||m.other||0" },
		{ "icinga2_influxdb", "load.state;hostname=h;service=s", "h||s||state||0 state" },
		{ "icinga2_influxdb", "ping.state_type;hostname=h", "h||||state_type||0 type" },
		{ "*.low skip.skip host=$h limit=min", "m.low;h=a", "a||||||0 min" },
		/* Not a name. */
		{ NULL, "", "none" },
		{ NULL, "...", "none" },
		{ NULL, "a;b", "none" },
		{ NULL, "a;=b", "none" },
		{ NULL, "a;b=", "none" },
	};

	(void)state;
	for (size_t i = 0; i < MC_ROWS(rows); i++)
		check(rows[i][0], rows[i][1], rows[i][2]);
}

static void test_too_long(void **state)
{
	char path[4 * MC_NAME_PART_SIZE];

	(void)state;
	memset(path, 'a', sizeof(path));
	path[1] = '.';
	path[MC_NAME_PART_SIZE + 2] = '\0';
	check(NULL, path, "none");
	path[MC_NAME_PART_SIZE] = '\0';
	path[0] = '.';
	check("** skip host=h", path, "h||||||0");
	for (size_t i = 0; i < 2 * (MC_NAME_COMPONENTS_MAX + 1); i += 2)
		memcpy(path + i, "a.", 2);
	path[2 * MC_NAME_COMPONENTS_MAX] = '\0';
	check("** skip*", path, "||||||0");
	path[2 * MC_NAME_COMPONENTS_MAX] = 'a';
	path[2 * MC_NAME_COMPONENTS_MAX + 1] = '\0';
	check("** skip*", path, "none");
}

/* The number of the wrong line, and some error text. */
static void test_wrong(void **state)
{
	static const char *const wrong[] = {
		"nothing",         "** nothing",         "**.** host",
		"** host*.skip*",  "** host x",          "** host x=y",
		"** host plugin=", "** host plugin=$",   "** host interval=x",
		"** host limit=x", "** host interval=0", "a ",
		"** host check=x",
	};

	(void)state;
	for (size_t i = 0; i < MC_ROWS(wrong); i++) {
		const char *const items[] = { "icinga2", wrong[i] };
		const struct mc_strings lines = { items, 2 };
		char why[256] = "";
		size_t number = 7;

		assert_null(mc_name_templates_new(&lines, &number, why, sizeof(why)));
		assert_int_equal(number, 1);
		assert_string_not_equal(why, "");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_too_long),
		cmocka_unit_test(test_wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
