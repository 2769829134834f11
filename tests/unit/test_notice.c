/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include <collector/plugin.h>

static void notices_read_as_in_collectd(void **state)
{
	char out[200], cut[40];
	struct mc_notice notice = { .severity = MC_FAILURE,
				    .id = MC_ID(.host = "a", .plugin = "df",
						.plugin_instance = "root",
						.type = "df_complex",
						.type_instance = ""),
				    .message = "is full" };

	(void)state;
	mc_notice_text(&notice, out, sizeof(out));
	assert_string_equal(out, "Notification: severity = FAILURE, host = a, "
				 "plugin = df, plugin_instance = root, "
				 "type = df_complex, message = is full");
	mc_notice_text(&notice, cut, sizeof(cut));
	assert_memory_equal(cut, out, sizeof(cut) - 1);
	assert_int_equal(cut[sizeof(cut) - 1], '\0');
}

static void missing_parts_are_left_out(void **state)
{
	struct mc_notice notice = { .severity = MC_OKAY };
	char out[200];

	(void)state;
	mc_notice_text(&notice, out, sizeof(out));
	assert_string_equal(out, "Notification: severity = OKAY");
	notice.severity = MC_WARNING;
	mc_notice_text(&notice, out, sizeof(out));
	assert_string_equal(out, "Notification: severity = WARNING");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(notices_read_as_in_collectd),
		cmocka_unit_test(missing_parts_are_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
