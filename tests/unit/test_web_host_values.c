/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "host_values.h"

struct mc_series { /* What the functions below say of it. */
	const struct mc_type *type;
	char plugin[32], instance[32], type_instance[32];
};

const char *mc_plugin(const struct mc_series *series)
{
	return series->plugin;
}

const char *mc_plugin_instance(const struct mc_series *series)
{
	return series->instance;
}

const char *mc_type_instance(const struct mc_series *series)
{
	return series->type_instance;
}

#define SERIES_MAX (4 * HOST_FILE_SYSTEMS_MAX)

struct host {
	struct mc_type types[SERIES_MAX];
	struct mc_series series[SERIES_MAX];
	unsigned len;
	struct host_sums *sums;
	double values[HOST_VALUES_LEN];
};

static void add_latest(struct host *host, const char *plugin, const char *instance,
		       const char *type, const char *type_instance, const struct mc_latest *latest)
{
	struct mc_series *series = &host->series[host->len];

	host->types[host->len] = (struct mc_type){ .name = type };
	*series = (struct mc_series){ .type = &host->types[host->len++] };
	snprintf(series->plugin, sizeof(series->plugin), "%s", plugin);
	snprintf(series->instance, sizeof(series->instance), "%s", instance);
	snprintf(series->type_instance, sizeof(series->type_instance), "%s", type_instance);
	host_values_add(&host->sums, series, latest);
}

/* A series "PLUGIN-INSTANCE/TYPE-INSTANCE". */
static void add(struct host *host, const char *name, double rate)
{
	char plugin[32] = "", instance[32] = "", type[32] = "", type_instance[32] = "";
	const struct mc_latest latest = { .values_len = 1, .rates = { rate } };
	const char *slash = strchr(name, '/');

	assert_true(sscanf(name, "%31[^-/]-%31[^/]", plugin, instance) >= 1);
	assert_true(sscanf(slash + 1, "%31[^-]-%31s", type, type_instance) >= 1);
	add_latest(host, plugin, instance, type, type_instance, &latest);
}

static double value(struct host *host, enum host_value which)
{
	host_values_end(host->sums, host->values);
	host->sums = NULL;
	return host->values[which];
}

static void cpu_is_what_is_not_idle(void **state)
{
	struct host host = { .len = 0 };

	(void)state;
	for (unsigned i = 0; i < 2; i++) { /* Two of 100 jiffies a second. */
		add(&host, i == 0 ? "cpu-0/cpu-idle" : "cpu-1/cpu-idle", 60);
		add(&host, i == 0 ? "cpu-0/cpu-user" : "cpu-1/cpu-user", 30);
		add(&host, i == 0 ? "cpu-0/cpu-wait" : "cpu-1/cpu-wait", 10);
	}
	assert_float_equal(value(&host, HOST_CPU), 40, 1e-9);
	assert_float_equal(host.values[HOST_WAIT], 10, 1e-9);
	assert_true(isnan(host.values[HOST_MEMORY]) && isnan(host.values[HOST_DISK]) &&
		    isnan(host.values[HOST_LOAD]));
}

static void shares_of_cpu_are_understood(void **state)
{
	struct host host = { .len = 0 };

	(void)state;
	add(&host, "cpu/percent-idle", 95);
	add(&host, "cpu/percent-system", 5);
	assert_float_equal(value(&host, HOST_CPU), 5, 1e-9);
	add(&host, "cpu-0/percent-active", 10);
	add(&host, "cpu-1/percent-active", 30);
	assert_float_equal(value(&host, HOST_CPU), 20, 1e-9);
	assert_true(isnan(host.values[HOST_WAIT]));
}

static void memory_is_a_share(void **state)
{
	struct host host = { .len = 0 };

	(void)state;
	add(&host, "memory/memory-used", 1e9);
	add(&host, "memory/memory-free", 1e9);
	add(&host, "memory/memory-cached", 2e9);
	add(&host, "virt-guest/memory-total", 9e9); /* Of a guest. */
	assert_float_equal(value(&host, HOST_MEMORY), 25, 1e-9);
	add(&host, "memory/percent-used", 77);
	assert_float_equal(value(&host, HOST_MEMORY), 77, 1e-9);
}

static void the_fullest_file_system_counts(void **state)
{
	struct host host = { .len = 0 };
	char name[64];

	(void)state;
	add(&host, "df-var/df_complex-used", 30); /* In any order. */
	add(&host, "df-root/df_complex-used", 10);
	add(&host, "df-var/df_complex-reserved", 10);
	add(&host, "df-root/df_complex-free", 90);
	add(&host, "df-var/df_complex-free", 60);
	assert_float_equal(value(&host, HOST_DISK), 30, 1e-9);
	add(&host, "df-a/percent_bytes-used", 40);
	add(&host, "df-b/percent_bytes-used", 50);
	add(&host, "df-b/percent_bytes-free", 90);
	assert_float_equal(value(&host, HOST_DISK), 50, 1e-9);
	for (unsigned i = 0; i <= HOST_FILE_SYSTEMS_MAX; i++) {
		snprintf(name, sizeof(name), "df-%u/df_complex-used", i);
		add(&host, name, 1);
		snprintf(name, sizeof(name), "df-%u/df_complex-free", i);
		add(&host, name, i == HOST_FILE_SYSTEMS_MAX ? 0 : 99);
	}
	assert_float_equal(value(&host, HOST_DISK), 1, 1e-9); /* One too many is not looked at. */
}

static void load_is_that_of_a_minute(void **state)
{
	struct host host = { .len = 0 };

	(void)state;
	add_latest(&host, "load", "", "load", "",
		   &(struct mc_latest){ .values_len = 3, .rates = { 1.5, 2, 3 } });
	assert_float_equal(value(&host, HOST_LOAD), 1.5, 1e-9);
}

static void what_is_unknown_is_none(void **state)
{
	struct host host = { .len = 0 };
	const struct mc_latest missing = { .missing = true, .values_len = 1, .rates = { 5 } };

	(void)state;
	add(&host, "cpu/percent-idle", NAN);
	add_latest(&host, "load", "", "load", "", &missing);
	assert_null(host.sums);
	assert_true(isnan(value(&host, HOST_LOAD)));
	add(&host, "df-x/df_complex-used", 0);
	assert_true(isnan(value(&host, HOST_DISK))); /* Of nothing. */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cpu_is_what_is_not_idle),
		cmocka_unit_test(shares_of_cpu_are_understood),
		cmocka_unit_test(memory_is_a_share),
		cmocka_unit_test(the_fullest_file_system_counts),
		cmocka_unit_test(load_is_that_of_a_minute),
		cmocka_unit_test(what_is_unknown_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
