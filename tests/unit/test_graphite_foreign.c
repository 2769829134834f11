/* SPDX-License-Identifier: MIT */
/* Paths of metrics that came with a name and labels. */
#include "unit.h"

#include <string.h>

#include "foreign_path.h"

const char *mc_host(const struct mc_series *series)
{
	(void)series;
	return "here";
}

static struct mc_buffer out;

static const char *path_of(const struct mc_metric *metric)
{
	const struct mc_graphite_options options = { .escape = "_" };

	mc_buffer_clear(&out);
	foreign_path(&out, &options, NULL, metric);
	return out.at;
}

static int done(void **state)
{
	(void)state;
	mc_buffer_free(&out);
	return 0;
}

#define LABELS(...)                                                                                \
	{                                                                                          \
		(const struct mc_metric_label[]){ __VA_ARGS__ },                                   \
			sizeof((const struct mc_metric_label[]){ __VA_ARGS__ }) /                  \
				sizeof(struct mc_metric_label)                                     \
	}

static void labels_are_tags(void **state)
{
	(void)state;
	assert_string_equal(
		path_of(&(struct mc_metric){ .name = "disk.used",
					     .labels = LABELS({ .name = "dc", .value = "north" },
							      { .name = "host", .value = "db" }) }),
		"disk.used;dc=north;host=db");
}

static void resources_that_tell_apart_are_tags(void **state)
{
	(void)state;
	assert_string_equal(
		path_of(&(struct mc_metric){
			.name = "a",
			.labels = LABELS({ .name = "service.name", .value = "of the point" }),
			.resource = LABELS({ .name = "cloud.region", .value = "eu" },
					   { .name = "service.instance.id", .value = "i1" },
					   { .name = "service.name", .value = "cart" }) }),
		"a;service.name=of_the_point;service.instance.id=i1;host=here");
	assert_string_equal(
		path_of(&(struct mc_metric){
			.name = "a", .resource = LABELS({ .name = "host.name", .value = "db" }) }),
		"a;host=db");
	assert_string_equal(path_of(&(struct mc_metric){
				    .name = "a",
				    .labels = LABELS({ .name = "host", .value = "x" }),
				    .resource = LABELS({ .name = "host.name", .value = "db" }) }),
			    "a;host=x");
}

static void parts_of_a_histogram(void **state)
{
	struct mc_metric metric = { .name = "h", .kind = MC_METRIC_HISTOGRAM };

	(void)state;
	metric.part = MC_METRIC_BUCKET;
	metric.bound = 0.25;
	assert_string_equal(path_of(&metric), "h_bucket;le=0.25");
	metric.part = MC_METRIC_SUM;
	assert_string_equal(path_of(&metric), "h_sum");
	metric.part = MC_METRIC_QUANTILE;
	assert_string_equal(path_of(&metric), "h;quantile=0.25");
}

/* A blank ends a path, and ';' a tag; the rest of the line must not be another one. */
static void what_graphite_refuses_is_replaced(void **state)
{
	(void)state;
	assert_string_equal(path_of(&(struct mc_metric){
				    .name = "a;b c\n1",
				    .labels = LABELS({ .name = "k;!^= ", .value = "v;w=x y\n" },
						     { .name = "t", .value = "~z~" },
						     { .name = "u", .value = "m\xc3\xa9" },
						     { .name = "v", .value = "" }) }),
			    "a_b_c_1;k_____=v_w=x_y_;t=_z~;u=m\xc3\xa9");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(labels_are_tags),
		cmocka_unit_test(resources_that_tell_apart_are_tags),
		cmocka_unit_test(parts_of_a_histogram),
		cmocka_unit_test(what_graphite_refuses_is_replaced),
	};

	return cmocka_run_group_tests(tests, NULL, done);
}
