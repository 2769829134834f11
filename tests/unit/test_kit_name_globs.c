/* SPDX-License-Identifier: MIT */
/* Series that are selected by globs of their names, and which notifications
 * become results of checks. */
#include "unit.h"

#include "kit/base/name_globs.h"

#include "formats/check_result.h"

static const struct mc_id disk = { .host = "web1",
				   .plugin = "df",
				   .plugin_instance = "root",
				   .type = "percent_bytes",
				   .type_instance = "used" };
static const struct mc_id load = { .plugin = "load", .type = "load" };
static const struct mc_id check = { .host = "web1",
				    .plugin = "perfdata",
				    .plugin_instance = "Load",
				    .type = "gauge",
				    .type_instance = "load1" };

static bool matches(const char *glob, const struct mc_id *id)
{
	const struct mc_strings globs = { .items = &glob, .len = 1 };

	return mc_name_globs_match(&globs, id, "here");
}

static void names_are_matched_as_a_whole(void **state)
{
	(void)state;
	assert_true(matches("web1/df-root/percent_bytes-used", &disk));
	assert_true(matches("*/df-*/percent_bytes-*", &disk));
	assert_true(matches("web1/*", &disk));
	assert_false(matches("web1/df-root", &disk));
	assert_false(matches("df-root/*", &disk));
	assert_true(matches("here/load/load", &load));
	assert_false(matches("web1/load/load", &load));
	assert_false(mc_name_globs_match(&(struct mc_strings){ 0 }, &load, ""));
}

static bool wanted(const char *glob, const struct mc_id *id)
{
	const struct mc_strings globs = { .items = &glob, .len = glob != NULL };

	return mc_check_result_wanted(&globs, id, "here");
}

static void what_nagios_has_judged_is_no_result(void **state)
{
	(void)state;
	assert_true(wanted(NULL, &disk));
	assert_true(wanted(NULL, &(struct mc_id){ 0 }));
	assert_false(wanted(NULL, &check));
	assert_true(wanted("*/perfdata-Load/*", &check));
	assert_false(wanted("*/perfdata-Load/*", &disk));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_matched_as_a_whole),
		cmocka_unit_test(what_nagios_has_judged_is_no_result),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
