/* SPDX-License-Identifier: MIT */
/* Names by OpenTelemetry's conventions: the table fits our types, and series get name, attributes,
 * unit and divisor from it. */
#include "unit.h"

#include <collector/metadata.h>
#include <collector/private/convention.h>

#include <math.h>
#include <string.h>

#include "daemon/config/own_types.h"
#include "lab.h"
#include "model/convention.h"

static struct {
	struct lab lab;
	struct mc_batch *batch;
	struct mc_convention got;
} all;

static const struct mc_plugin source_plugin = { .api = MC_API, .name = "source" };

static int open_lab(void **state)
{
	struct mc_ctx *ctx;

	(void)state;
	lab_open_typed(&all.lab, 1 << 20, NULL, own_types_new());
	ctx = engine_ctx(engine_add(all.lab.engine, &source_plugin, "source"));
	if (engine_start_idle(all.lab.engine) != 0)
		return -1;
	all.batch = mc_begin(ctx);
	return 0;
}

static int close_lab(void **state)
{
	(void)state;
	mc_release_metric(&all.got.metric);
	all.got = (struct mc_convention){ 0 };
	mc_discard(all.batch);
	lab_close(&all.lab);
	return 0;
}

/* --- The table ------------------------------------------------------------ */

static const struct mc_type *type_of(const char *name)
{
	struct mc_series *series = mc_series(all.batch, MC_ID(.plugin = "p", .type = name));

	return series != NULL ? mc_type(series) : NULL;
}

static unsigned index_of(const struct mc_type *type, const char *source)
{
	unsigned i = 0;

	while (i < type->sources_len && strcmp(type->sources[i].name, source) != 0)
		i++;
	return i;
}

/* How many sources of the series that a row is about the table has. */
static unsigned count_sources(const struct convention *of)
{
	const struct convention *row;
	unsigned len = 0;

	for (size_t i = 0; (row = convention_row(i)) != NULL; i++)
		len += strcmp(row->plugin, of->plugin) == 0 && strcmp(row->type, of->type) == 0 &&
		       strcmp(row->type_instance, of->type_instance) == 0;
	return len;
}

static void each_row_fits_its_type(void **state)
{
	const struct convention *row;
	size_t len = 0;

	(void)state;
	for (; (row = convention_row(len)) != NULL; len++) {
		const struct mc_type *type = type_of(row->type);
		unsigned source;

		if (type == NULL)
			fail_msg("%s: no type '%s'", row->plugin, row->type);
		source = index_of(type, row->source);
		if (source == type->sources_len)
			fail_msg("%s: '%s' has no source '%s'", row->plugin, row->type,
				 row->source);
		if (count_sources(row) != type->sources_len)
			fail_msg("%s: not all sources of '%s'", row->plugin, row->type);
		if ((type->sources[source].kind != MC_GAUGE) != (row->kind == MC_METRIC_COUNTER))
			fail_msg("%s: '%s' is a metric of another kind", row->plugin, row->type);
		assert_true(row->divisor >= 1);
	}
	assert_true(len > 40);
}

/* One name has one kind and one unit. */
static void equal_names_are_one_metric(void **state)
{
	const struct convention *a, *b;

	(void)state;
	for (size_t i = 0; (a = convention_row(i)) != NULL; i++)
		for (size_t j = 0; (b = convention_row(j)) != NULL; j++)
			if (strcmp(a->metric, b->metric) == 0 &&
			    (a->kind != b->kind || strcmp(a->unit, b->unit) != 0))
				fail_msg("'%s' has two kinds or units", a->metric);
}

/* --- Series --------------------------------------------------------------- */

static const struct mc_metric_label host[] = { { .name = "host.name", .value = "h" } };
static const struct mc_metric_labels resource = { host, 1 };

static bool convention_of(struct mc_series *series, unsigned source)
{
	mc_release_metric(&all.got.metric);
	all.got = (struct mc_convention){ 0 };
	assert_non_null(series);
	return mc_get_convention(series, source, &resource, &all.got);
}

static const char *label(const char *name)
{
	return mc_metric_label(&all.got.metric.labels, name);
}

static void a_state_of_a_cpu_is_a_point(void **state)
{
	struct mc_series *series =
		mc_series(all.batch, MC_ID(.plugin = "cpu", .plugin_instance = "3", .type = "cpu",
					   .type_instance = "wait"));

	(void)state;
	assert_true(convention_of(series, 0));
	assert_string_equal(all.got.metric.name, "system.cpu.time");
	assert_int_equal(all.got.metric.kind, MC_METRIC_COUNTER);
	assert_string_equal(all.got.unit, "s");
	assert_true(all.got.divisor == 100);
	assert_int_equal(all.got.metric.labels.len, 2);
	assert_string_equal(label("cpu.logical_number"), "3");
	assert_string_equal(label("cpu.mode"), "iowait");
	assert_int_equal(all.got.metric.labels.items[0].encoded_size, 2);
	assert_memory_equal(all.got.metric.labels.items[0].encoded, "\x18\x03", 2);
	assert_string_equal(mc_metric_label(&all.got.metric.resource, "host.name"), "h");
}

static void sources_are_points_of_one_metric(void **state)
{
	struct mc_series *series =
		mc_series(all.batch, MC_ID(.plugin = "interface", .plugin_instance = "eth0",
					   .type = "if_octets"));

	(void)state;
	assert_true(convention_of(series, 0));
	assert_string_equal(all.got.metric.name, "system.network.io");
	assert_string_equal(label("network.interface.name"), "eth0");
	assert_string_equal(label("network.io.direction"), "receive");
	assert_true(all.got.metric.integer);
	assert_true(convention_of(series, 1));
	assert_string_equal(all.got.metric.name, "system.network.io");
	assert_string_equal(label("network.io.direction"), "transmit");
}

static void without_an_instance_there_is_no_attribute(void **state)
{
	struct mc_series *series = mc_series(
		all.batch, MC_ID(.plugin = "cpu", .type = "percent", .type_instance = "idle"));

	(void)state;
	assert_true(convention_of(series, 0));
	assert_int_equal(all.got.metric.labels.len, 1);
	assert_string_equal(label("cpu.mode"), "idle");
}

static void a_word_is_no_number(void **state)
{
	struct mc_series *series =
		mc_series(all.batch, MC_ID(.plugin = "cpu", .plugin_instance = "all", .type = "cpu",
					   .type_instance = "idle"));

	(void)state;
	assert_true(convention_of(series, 0));
	assert_string_equal(label("cpu.logical_number"), "all");
	assert_int_equal(all.got.metric.labels.items[0].encoded_size, 0);
}

static void a_mount_point_is_what_the_plugin_knows(void **state)
{
	const struct mc_attribute attributes[] = { { "mountpoint", "/var-log" },
						   { "device", "/dev/sda1" } };
	const struct mc_metadata metadata = {
		.warning = { NAN, NAN },
		.failure = { NAN, NAN },
		.attributes = attributes,
		.attributes_len = 2,
	};
	struct mc_series *series =
		mc_series(all.batch, MC_ID(.plugin = "df", .plugin_instance = "var-log",
					   .type = "df_complex", .type_instance = "free"));

	(void)state;
	assert_true(convention_of(series, 0));
	assert_string_equal(label("system.filesystem.mountpoint"), "var-log");
	assert_null(label("system.device"));
	mc_set_metadata(all.batch, series, 0, &metadata);
	assert_true(convention_of(series, 0));
	assert_string_equal(label("system.filesystem.mountpoint"), "/var-log");
	assert_string_equal(label("system.device"), "/dev/sda1");
}

static void other_series_have_none(void **state)
{
	(void)state;
	assert_false(convention_of(
		mc_series(all.batch, MC_ID(.plugin = "aggregation", .plugin_instance = "cpu-sum",
					   .type = "cpu", .type_instance = "idle")),
		0));
	assert_false(
		convention_of(mc_series(all.batch, MC_ID(.plugin = "conntrack", .type = "percent",
							 .type_instance = "used")),
			      0));
	assert_false(convention_of(mc_series(all.batch, MC_ID(.plugin = "cpu", .type = "cpu")), 0));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_lab, close_lab)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(each_row_fits_its_type),
		cmocka_unit_test(equal_names_are_one_metric),
		TEST(a_state_of_a_cpu_is_a_point),
		TEST(sources_are_points_of_one_metric),
		TEST(without_an_instance_there_is_no_attribute),
		TEST(a_word_is_no_number),
		TEST(a_mount_point_is_what_the_plugin_knows),
		TEST(other_series_have_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
