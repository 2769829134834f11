/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include <collector/plugin.h>
#include <collector/writer.h>

static void notifications_read_as_in_collectd(void **state)
{
	char out[200], cut[40];
	struct mc_notification notification = {
		.severity = MC_FAILURE,
		.id = MC_ID(.host = "a", .plugin = "df", .plugin_instance = "root",
			    .type = "df_complex", .type_instance = ""),
		.message = "is full"
	};

	(void)state;
	mc_notification_text(&notification, out, sizeof(out));
	assert_string_equal(out, "Notification: severity = FAILURE, host = a, "
				 "plugin = df, plugin_instance = root, "
				 "type = df_complex, message = is full");
	mc_notification_text(&notification, cut, sizeof(cut));
	assert_memory_equal(cut, out, sizeof(cut) - 1);
	assert_int_equal(cut[sizeof(cut) - 1], '\0');
}

static void missing_parts_are_left_out(void **state)
{
	struct mc_notification notification = { .severity = MC_OKAY };
	char out[200];

	(void)state;
	mc_notification_text(&notification, out, sizeof(out));
	assert_string_equal(out, "Notification: severity = OKAY");
	notification.severity = MC_WARNING;
	mc_notification_text(&notification, out, sizeof(out));
	assert_string_equal(out, "Notification: severity = WARNING");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(notifications_read_as_in_collectd),
		cmocka_unit_test(missing_parts_are_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
