/* SPDX-License-Identifier: MIT */
/* What is remembered of paths is bounded, whatever a sender sends. */
#include "kit/series/paths.h"

#include "unit.h"

#include <stdio.h>
#include <string.h>

#include <collector/check.h>
#include <collector/private/alerts.h>
#include <collector/serve.h>
#include <collector/writer.h>

#include "kit/series/check_metrics.h"

/* --- In place of the core ------------------------------------------------- */

static struct {
	mc_time now;
	unsigned put, held;
	enum mc_limit limit; /* The last one that was set. */
	double limit_value;
	const char *instance; /* Of the series. */
	unsigned stood;
	enum mc_severity severity; /* The last that was set to stand. */
	char reason[64];
} core;

double mc_timeout(const struct mc_ctx *ctx)
{
	(void)ctx;
	return 2;
}

mc_time mc_now(void)
{
	return core.now;
}

mc_time mc_wall(void)
{
	return 1700000000 * MC_SECOND + core.now;
}

struct mc_series *mc_series(struct mc_batch *batch, struct mc_id id)
{
	(void)id;
	return (struct mc_series *)batch;
}

struct mc_series *mc_hold(struct mc_series *series)
{
	core.held++;
	return series;
}

void mc_release(struct mc_series *series)
{
	assert_non_null(series);
	core.held--;
}

void mc_put_at(struct mc_batch *batch, struct mc_series *series, struct mc_stamp stamp,
	       const union mc_value *values, unsigned values_len)
{
	(void)batch;
	(void)series;
	(void)stamp;
	(void)values;
	assert_int_equal(values_len, 1);
	core.put++;
}

void mc_set_limit(struct mc_batch *batch, struct mc_series *series, unsigned source,
		  enum mc_limit limit, double value)
{
	(void)batch;
	(void)source;
	assert_non_null(series);
	core.limit = limit;
	core.limit_value = value;
}

const struct mc_type *mc_type_find(struct mc_ctx *ctx, const char *name)
{
	(void)ctx;
	(void)name;
	return NULL;
}

int mc_fail(struct mc_ctx *ctx, int errnum, const char *fmt, ...)
{
	(void)ctx;
	(void)errnum;
	(void)fmt;
	return -1;
}

void mc_check_error(struct mc_ctx *ctx, const void *field, const char *fmt, ...)
{
	(void)ctx;
	(void)field;
	(void)fmt;
}

const char *mc_name(const struct mc_series *series)
{
	static char name[64];

	(void)series;
	snprintf(name, sizeof(name), "web/icinga2-%s/gauge-state", core.instance);
	return name;
}

const char *mc_host(const struct mc_series *series)
{
	(void)series;
	return "web";
}

const char *mc_plugin(const struct mc_series *series)
{
	(void)series;
	return "icinga2";
}

const char *mc_plugin_instance(const struct mc_series *series)
{
	(void)series;
	return core.instance;
}

void mc_stand(struct mc_ctx *ctx, const struct mc_standing *standing)
{
	(void)ctx;
	assert_string_equal(standing->id.plugin_instance, core.instance);
	assert_string_equal(standing->id.type_instance, "state");
	assert_true(standing->quiet);
	core.stood++;
	core.severity = standing->severity;
	snprintf(core.reason, sizeof(core.reason), "%s", standing->reason);
}

/* --- Paths ---------------------------------------------------------------- */

enum { LIMIT = 100 };

static char batch;
static struct mc_batch *const paths_batch = (struct mc_batch *)&batch;

static struct mc_paths *make_paths(void)
{
	const struct mc_paths_options options = { .interval = MC_SECOND, .limit = LIMIT };
	struct mc_paths *paths;
	int rc = 0;

	memset(&core, 0, sizeof(core));
	paths = mc_paths_new(NULL, &options, &rc);
	assert_non_null(paths);
	mc_paths_begin(paths, paths_batch);
	return paths;
}

static enum mc_point_result put(struct mc_paths *paths, const char *path, size_t size)
{
	return mc_paths_put(paths, &(struct mc_point){ .path = path, .size = size, .number = 1 });
}

/* Of one series: "host.....a", with ever more dots. */
static void test_dots(void **state)
{
	struct mc_paths *paths = make_paths();
	char path[MC_PATH_SIZE_MAX + 2];

	(void)state;
	memset(path, '.', sizeof(path));
	memcpy(path, "host", 4);
	for (size_t size = 6; size <= MC_PATH_SIZE_MAX; size++) {
		path[size - 1] = 'a';
		assert_int_equal(put(paths, path, size), MC_POINT_TAKEN);
		path[size - 1] = '.';
		assert_true(mc_paths_len(paths) <= LIMIT);
		assert_true(mc_paths_size(paths) <= LIMIT * 256);
	}
	assert_int_equal(core.put, MC_PATH_SIZE_MAX - 5);
	assert_int_equal(core.held, mc_paths_len(paths));
	path[MC_PATH_SIZE_MAX] = 'a';
	assert_int_equal(put(paths, path, MC_PATH_SIZE_MAX + 1), MC_POINT_NAME);
	mc_paths_free(paths);
	assert_int_equal(core.held, 0);
}

static void test_forgotten(void **state)
{
	struct mc_paths *paths = make_paths();
	char path[32];

	(void)state;
	for (unsigned i = 0; i < 3 * LIMIT; i++) {
		int size = snprintf(path, sizeof(path), "host.a%03u", i);

		put(paths, path, (size_t)size);
		put(paths, path, (size_t)size);
	}
	assert_int_equal(core.put, 6 * LIMIT);
	assert_int_equal(mc_paths_len(paths), LIMIT);
	assert_int_equal(mc_paths_size(paths), LIMIT * strlen("host.a000"));
	core.now = 3600 * MC_SECOND;
	mc_paths_sweep(paths);
	assert_int_equal(mc_paths_len(paths), 0);
	assert_int_equal(mc_paths_size(paths), 0);
	mc_paths_free(paths);
}

/* Names that are gone go with their series, and others do not keep them. */
static void test_gone(void **state)
{
	struct mc_paths *paths = make_paths();

	(void)state;
	put(paths, "slow.a", 6); /* Its interval becomes 60 s. */
	core.now += 60 * MC_SECOND;
	mc_paths_begin(paths, paths_batch);
	put(paths, "slow.a", 6);
	put(paths, "once.a", 6);
	put(paths, "fast.a", 6);
	core.now += MC_SECOND;
	mc_paths_begin(paths, paths_batch);
	put(paths, "fast.a", 6);
	core.now += 2 * MC_SECOND;
	mc_paths_sweep(paths);
	assert_int_equal(mc_paths_len(paths), 3);
	core.now += MC_SECOND;
	mc_paths_sweep(paths);
	assert_int_equal(mc_paths_len(paths), 2);
	core.now += 8 * MC_SECOND;
	mc_paths_sweep(paths);
	assert_int_equal(mc_paths_len(paths), 1);
	core.now += 110 * MC_SECOND;
	mc_paths_sweep(paths);
	assert_int_equal(mc_paths_len(paths), 0);
	assert_int_equal(core.held, 0);
	mc_paths_free(paths);
}

/* A limit is no value. */
static void test_limit(void **state)
{
	static const char *const lines[] = { "*.warn host.skip limit=warning" };
	const struct mc_paths_options options = {
		.templates = { lines, 1 },
		.interval = MC_SECOND,
		.limit = LIMIT,
	};
	struct mc_paths *paths;
	int rc = 0;

	(void)state;
	memset(&core, 0, sizeof(core));
	paths = mc_paths_new(NULL, &options, &rc);
	assert_non_null(paths);
	mc_paths_begin(paths, paths_batch);
	assert_int_equal(put(paths, "host.warn", 9), MC_POINT_TAKEN);
	assert_int_equal(core.put, 0);
	assert_int_equal(core.limit, MC_LIMIT_WARNING);
	assert_true(core.limit_value == 1);
	assert_null(mc_paths_found(paths));
	assert_int_equal(put(paths, "host.value", 10), MC_POINT_TAKEN);
	assert_int_equal(core.put, 1);
	assert_non_null(mc_paths_found(paths));
	mc_paths_free(paths);
	assert_int_equal(core.held, 0);
}

/* Of InfluxDB's writer: the state and its type at that second; returns how often one stood. */
static unsigned check_of(struct mc_paths *paths, const char *tags, int second, int value, int hard)
{
	const double values[] = { value, hard };
	const char *const fields[] = { "state", "state_type" };
	unsigned before = core.stood;
	char path[64];

	for (unsigned i = 0; i < 2; i++) {
		int size = snprintf(path, sizeof(path), "disk.%s;%s", fields[i], tags);

		assert_int_equal(mc_paths_put(paths, &(struct mc_point){ .path = path,
									 .size = (size_t)size,
									 .time = second * MC_SECOND,
									 .number = values[i] }),
				 MC_POINT_TAKEN);
	}
	return core.stood - before;
}

static struct mc_paths *make_icinga(const char *instance)
{
	static const char *const lines[] = { "icinga2_influxdb" };
	const struct mc_paths_options options = {
		.templates = { lines, 1 },
		.interval = MC_SECOND,
		.limit = LIMIT,
	};
	struct mc_paths *paths;
	int rc = 0;

	memset(&core, 0, sizeof(core));
	core.instance = instance;
	paths = mc_paths_new(NULL, &options, &rc);
	assert_non_null(paths);
	mc_paths_begin(paths, paths_batch);
	return paths;
}

/* A state stands when it is hard, and ends with the first good one. */
static void test_states_of_services(void **state)
{
	static const char tags[] = "hostname=web;service=disk";
	struct mc_paths *paths = make_icinga("disk");

	(void)state;
	assert_int_equal(check_of(paths, tags, 1, 0, 1), 1); /* One of before may stand. */
	assert_int_equal(core.severity, MC_OKAY);
	assert_int_equal(check_of(paths, tags, 2, 2, 0), 0);
	assert_int_equal(check_of(paths, tags, 3, 2, 1), 1);
	assert_int_equal(core.severity, MC_FAILURE);
	assert_string_equal(core.reason, "disk of web is CRITICAL");
	assert_int_equal(check_of(paths, tags, 4, 1, 1), 1);
	assert_int_equal(core.severity, MC_WARNING);
	assert_int_equal(check_of(paths, tags, 5, 3, 1), 1);
	assert_string_equal(core.reason, "disk of web is UNKNOWN");
	assert_int_equal(check_of(paths, tags, 6, 0, 1), 1);
	assert_int_equal(core.severity, MC_OKAY);
	assert_int_equal(check_of(paths, tags, 7, 0, 1), 0);
	assert_int_equal(core.put, 14); /* They are values, too. */
	mc_paths_free(paths);
}

static void test_states_of_hosts(void **state)
{
	struct mc_paths *paths = make_icinga("");

	(void)state;
	assert_int_equal(check_of(paths, "hostname=web", 1, 1, 1), 1);
	assert_string_equal(core.reason, "web is DOWN");
	assert_int_equal(core.severity, MC_FAILURE);
	assert_int_equal(check_of(paths, "hostname=web", 2, 0, 1), 1);
	assert_string_equal(core.reason, "web is UP");
	mc_paths_free(paths);
}

/* Bad ones of ever more services. */
static void test_states_are_bounded(void **state)
{
	struct mc_check_metrics metrics = { .checks = { .map = { 0 } } };
	struct mc_check_metric metric = { .series = (struct mc_series *)&batch,
					  .check = MC_NAME_CHECK_STATE,
					  .value = 2 };
	char name[16];

	(void)state;
	memset(&core, 0, sizeof(core));
	core.instance = name;
	for (int i = 0; i <= MC_CHECK_METRICS_MAX; i++) {
		snprintf(name, sizeof(name), "s%d", i);
		metric.time = i;
		mc_check_metrics_take(&metrics, NULL, &metric);
	}
	assert_int_equal(metrics.checks.map.len, MC_CHECK_METRICS_MAX);
	metric.check = MC_NAME_CHECK_TYPE;
	metric.value = 1;
	mc_check_metrics_take(&metrics, NULL, &metric);
	assert_int_equal(core.stood, 1);
	snprintf(name, sizeof(name), "s0");
	metric.time = 0;
	mc_check_metrics_take(&metrics, NULL, &metric);
	assert_int_equal(core.stood, 1);
	mc_check_metrics_done(&metrics);
}

/* A limit of 0 is none. */
static void test_limit_of_nothing(void **state)
{
	struct mc_paths *paths = make_icinga("swap");
	struct mc_point point = { .path = "swap.crit;hostname=web;metric=a", .size = 31 };

	(void)state;
	assert_int_equal(mc_paths_put(paths, &point), MC_POINT_TAKEN);
	assert_int_equal(core.limit, MC_LIMIT_NONE);
	point.number = 5;
	assert_int_equal(mc_paths_put(paths, &point), MC_POINT_TAKEN);
	assert_int_equal(core.limit, MC_LIMIT_FAILURE);
	point.path = "swap.min;hostname=web;metric=a";
	point.size = 30;
	point.number = 0;
	assert_int_equal(mc_paths_put(paths, &point), MC_POINT_TAKEN);
	assert_int_equal(core.limit, MC_LIMIT_MIN);
	mc_paths_free(paths);
}

/* The last time that is taken, and the first that is not. */
static void test_ahead(void **state)
{
	struct mc_paths *paths = make_paths();
	struct mc_point point = { .path = "a", .size = 1, .number = 1 };

	(void)state;
	point.time = mc_wall() + MC_AHEAD_MAX;
	assert_int_equal(mc_paths_put(paths, &point), MC_POINT_TAKEN);
	point.time++;
	assert_int_equal(mc_paths_put(paths, &point), MC_POINT_FUTURE);
	assert_int_equal(core.put, 1);
	mc_paths_free(paths);
}

/* Only a path that is not remembered is to be described. */
static void test_found(void **state)
{
	struct mc_paths *paths = make_paths();

	(void)state;
	assert_null(mc_paths_found(paths));
	put(paths, "a.b;c=d", 7);
	assert_ptr_equal(mc_paths_found(paths), paths_batch);
	put(paths, "a.b;c=d", 7);
	assert_null(mc_paths_found(paths));
	put(paths, "a.b;c=e", 7);
	assert_non_null(mc_paths_found(paths));
	put(paths, "", 0); /* It has no name. */
	assert_null(mc_paths_found(paths));
	mc_paths_free(paths);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dots),
		cmocka_unit_test(test_forgotten),
		cmocka_unit_test(test_gone),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_limit_of_nothing),
		cmocka_unit_test(test_states_of_services),
		cmocka_unit_test(test_states_of_hosts),
		cmocka_unit_test(test_states_are_bounded),
		cmocka_unit_test(test_ahead),
		cmocka_unit_test(test_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
