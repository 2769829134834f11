/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include <collector/serve.h>
#include <collector/writer.h>

#include <string.h>

#include "kinds.h"
#include "model/series.h"

static void assert_name(struct mc_id id, const char *expected)
{
	char name[SERIES_NAME_SIZE];
	struct mc_name_parts parts;

	assert_true(series_join(&id, name, &parts));
	assert_null(series_fault(&parts));
	assert_string_equal(name, expected);
	assert_int_equal(series_name_size(&parts), strlen(expected));
}

static const char *fault_of(struct mc_id id)
{
	char name[SERIES_NAME_SIZE];
	struct mc_name_parts parts;

	if (!series_join(&id, name, &parts))
		return "too long";
	return series_fault(&parts);
}

static void names_are_those_of_collectd(void **state)
{
	(void)state;
	assert_name((struct mc_id){ "h", "cpu", "0", "cpu", "idle" }, "h/cpu-0/cpu-idle");
	assert_name((struct mc_id){ "h", "load", NULL, "load", "" }, "h/load/load");
	assert_name((struct mc_id){ "h", "df", "/", "df_complex", "free" },
		    "h/df-root/df_complex-free");
	assert_name((struct mc_id){ "h", "df", "/var/lib", "df", NULL }, "h/df-var_lib/df");
}

static void no_name_leads_out_of_a_directory(void **state)
{
	(void)state;
	assert_non_null(fault_of((struct mc_id){ "..", "p", "", "t", "" }));
	assert_non_null(fault_of((struct mc_id){ ".", "p", "", "t", "" }));
	assert_non_null(fault_of((struct mc_id){ "h", "..", "", "t", "" }));
	assert_non_null(fault_of((struct mc_id){ "h", "p", "", ".t", "" }));
}

static void a_host_of_dots_and_slashes_is_refused(void **state)
{
	(void)state;
	assert_non_null(fault_of((struct mc_id){ "../../etc", "p", "", "t", "" }));
	assert_name((struct mc_id){ "h", "p", "../x", "t", "../y" }, "h/p-.._x/t-.._y");
}

static void empty_and_broken_parts_are_refused(void **state)
{
	char long_part[SERIES_PART_MAX + 2];

	(void)state;
	memset(long_part, 'x', sizeof(long_part) - 1);
	long_part[sizeof(long_part) - 1] = '\0';
	assert_non_null(fault_of((struct mc_id){ "", "p", "", "t", "" }));
	assert_non_null(fault_of((struct mc_id){ "h", "", "", "t", "" }));
	assert_non_null(fault_of((struct mc_id){ "h", "p", "", NULL, "" }));
	assert_non_null(fault_of((struct mc_id){ "/", "/p", "", "/", "\n" }));
	assert_non_null(fault_of((struct mc_id){ "h", "p", "a\nb", "t", "" }));
	assert_non_null(fault_of((struct mc_id){ "h", "p", "\xff", "t", "" }));
	assert_non_null(fault_of((struct mc_id){ "h", "p", long_part, "t", "" }));
	long_part[SERIES_PART_MAX] = '\0';
	assert_null(fault_of((struct mc_id){ long_part, "p", "", "t", "" }));
	/* Each part fits, but not the two as the name of a file. */
	assert_non_null(fault_of((struct mc_id){ "h", long_part, long_part, "t", "" }));
}

static void a_series_gives_its_parts_back(void **state)
{
	struct mc_id id = { "host.example", "cpu", "0", "if_octets", "idle" };
	struct type_set *types = kinds_new();
	char name[SERIES_NAME_SIZE];
	struct mc_name_parts parts;
	struct mc_series *series;

	(void)state;
	assert_true(series_join(&id, name, &parts));
	assert_null(series_fault(&parts));
	series = series_new(kind(types, "if_octets"), &parts, 3);
	assert_string_equal(mc_name(series), "host.example/cpu-0/if_octets-idle");
	assert_string_equal(mc_host(series), "host.example");
	assert_string_equal(mc_plugin(series), "cpu");
	assert_string_equal(mc_plugin_instance(series), "0");
	assert_string_equal(mc_type_instance(series), "idle");
	*series_slot(series, 2) = series;
	series_rates(series)[1].gauge = 1;
	assert_string_equal(mc_host(series), "host.example");
	series_free(series, 3);

	id = (struct mc_id){ "h", "p", NULL, "gauge", NULL };
	assert_true(series_join(&id, name, &parts));
	assert_null(series_fault(&parts));
	series = series_new(kind(types, "gauge"), &parts, 0);
	assert_string_equal(mc_plugin_instance(series), "");
	assert_string_equal(mc_type_instance(series), "");
	series_free(series, 0);
	type_set_free(types);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_those_of_collectd),
		cmocka_unit_test(no_name_leads_out_of_a_directory),
		cmocka_unit_test(a_host_of_dots_and_slashes_is_refused),
		cmocka_unit_test(empty_and_broken_parts_are_refused),
		cmocka_unit_test(a_series_gives_its_parts_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
