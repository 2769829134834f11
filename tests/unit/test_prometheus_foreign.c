/* SPDX-License-Identifier: MIT */
/* A scrape of series that have a metric of their sender's: names, types, histograms, targets, and
 * what collides. */
#include <stdio.h>
#include <string.h>

#include <collector/metadata.h>
#include <collector/metric.h>

#include "foreign.h"
#include "scrape_fixture.h"

/* --- Tools ----------------------------------------------------------------- */

#define LABELS(...)                                                                                \
	{                                                                                          \
		(const struct mc_metric_label[]){ __VA_ARGS__ },                                   \
			sizeof((const struct mc_metric_label[]){ __VA_ARGS__ }) /                  \
				sizeof(struct mc_metric_label)                                     \
	}
#define RESOURCE                                                                                   \
	LABELS({ .name = "service.name", .value = "cart" },                                        \
	       { .name = "service.namespace", .value = "shop" },                                   \
	       { .name = "service.instance.id", .value = "i1" })

static void describe(const char *instance, const char *type, const char *unit, const char *info)
{
	const struct mc_attribute attribute = { "info", info };
	const struct mc_metadata metadata = {
		.unit = unit,
		.warning = { NAN, NAN },
		.failure = { NAN, NAN },
		.attributes = &attribute,
		.attributes_len = info != NULL,
	};

	mc_set_metadata(all.batch,
			mc_series(all.batch, MC_ID(.type = type, .type_instance = instance)), 0,
			&metadata);
}

/* Without times: the interval is longer than what Prometheus remembers. */
static const char *scraped(enum exposition_format format)
{
	return scraped_with(&(struct scrape_options){ .format = format });
}

/* --- Tests ----------------------------------------------------------------- */

static void a_metric_has_its_own_name(void **state)
{
	const struct mc_metric requests = {
		.name = "http.requests",
		.kind = MC_METRIC_COUNTER,
		.labels = LABELS({ .name = "http.method", .value = "GET \"x\"" },
				 { .name = "code", .value = "200" }),
		.resource = RESOURCE,
	};
	const struct mc_metric memory = { .name = "memory", .kind = MC_METRIC_UP_DOWN_COUNTER };

	(void)state;
	put("a", "derive", 5, &requests);
	describe("a", "derive", NULL, "Requests.");
	put("b", "gauge", 1.5, &memory);
	describe("b", "gauge", "bytes", NULL);
	assert_string_equal(
		scraped(EXPOSITION_TEXT),
		"# HELP http_requests_total Requests.\n"
		"# TYPE http_requests_total counter\n"
		"http_requests_total{code=\"200\",http_method=\"GET \\\"x\\\"\",instance=\"i1\","
		"job=\"shop/cart\"} 5\n"
		"# HELP memory_bytes Sent as 'memory'.\n"
		"# TYPE memory_bytes gauge\n"
		"memory_bytes{instance=\"lab\"} 1.5\n");
	assert_string_equal(
		scraped(EXPOSITION_OPENMETRICS),
		"# HELP http_requests Requests.\n"
		"# TYPE http_requests counter\n"
		"http_requests_total{code=\"200\",http_method=\"GET \\\"x\\\"\",instance=\"i1\","
		"job=\"shop/cart\"} 5\n"
		"# HELP memory_bytes Sent as 'memory'.\n"
		"# TYPE memory_bytes gauge\n"
		"# UNIT memory_bytes bytes\n"
		"memory_bytes{instance=\"lab\"} 1.5\n"
		"# EOF\n");
}

/* A series of a type of any unit can have a unit without metadata. */
static void the_type_may_have_the_unit(void **state)
{
	static const char name[] = "lab/shop/gauge-a";
	const struct mc_name_parts parts = { name, 3, 4, 0, 5, 1 };
	const struct mc_metric metric = { .name = "heap" };
	struct mc_series *series = mc_series_in(all.batch, &parts, "bytes/s");

	(void)state;
	mc_set_metric(all.batch, series, &metric);
	mc_gauge(all.batch, series, 1);
	assert_non_null(strstr(scraped(EXPOSITION_TEXT), "\nheap_bytes_per_second{"));
}

static void seconds_are_seconds(void **state)
{
	const struct mc_metric metric = { .name = "cpu.time", .kind = MC_METRIC_COUNTER };

	(void)state;
	put("a", "total_time_in_ms", 1234567, &metric);
	assert_string_equal(scraped(EXPOSITION_OPENMETRICS),
			    "# HELP cpu_time_seconds Sent as 'cpu.time'.\n"
			    "# TYPE cpu_time_seconds counter\n"
			    "# UNIT cpu_time_seconds seconds\n"
			    "cpu_time_seconds_total{instance=\"lab\"} 1234.567\n"
			    "# EOF\n");
}

static void a_delta_is_a_gauge(void **state)
{
	const struct mc_metric metric = { .name = "hits",
					  .kind = MC_METRIC_COUNTER,
					  .delta = true };

	(void)state;
	put("a", "absolute", 7, &metric);
	assert_string_equal(scraped(EXPOSITION_TEXT), "# HELP hits Sent as 'hits'.\n"
						      "# TYPE hits gauge\n"
						      "hits{instance=\"lab\"} 7\n");
}

static void put_part(const char *instance, const char *type, double value,
		     const struct mc_metric *of, enum mc_metric_part part, double bound)
{
	struct mc_metric metric = *of;

	metric.part = part;
	metric.bound = bound;
	put(instance, type, value, &metric);
}

static void put_histogram(const struct mc_metric *metric)
{
	put_part("b3", "derive", 9, metric, MC_METRIC_BUCKET, 10);
	put_part("b1", "derive", 2, metric, MC_METRIC_BUCKET, 0.5);
	put_part("max", "gauge", 99, metric, MC_METRIC_MAX, 0);
	put_part("count", "derive", 11, metric, MC_METRIC_COUNT, 0);
	put_part("b2", "derive", 4, metric, MC_METRIC_BUCKET, 2.5);
	put_part("sum", "total_time_in_ms", 120500, metric, MC_METRIC_SUM, 0);
	put_part("min", "gauge", 0.1, metric, MC_METRIC_MIN, 0);
	describe("max", "gauge", "seconds", "How long.");
	describe("b1", "derive", NULL, "How long.");
}

static void a_histogram_is_one_family(void **state)
{
	const struct mc_metric metric = {
		.name = "http.duration",
		.kind = MC_METRIC_HISTOGRAM,
		.labels = LABELS({ .name = "le", .value = "the sender's" },
				 { .name = "route", .value = "/" }),
	};

	(void)state;
	put_histogram(&metric);
	assert_string_equal(
		scraped(EXPOSITION_TEXT),
		"# HELP http_duration_seconds How long.\n"
		"# TYPE http_duration_seconds histogram\n"
		"http_duration_seconds_bucket{instance=\"lab\",route=\"/\",le=\"0.5\"} 2\n"
		"http_duration_seconds_bucket{instance=\"lab\",route=\"/\",le=\"2.5\"} 4\n"
		"http_duration_seconds_bucket{instance=\"lab\",route=\"/\",le=\"10\"} 9\n"
		"http_duration_seconds_bucket{instance=\"lab\",route=\"/\",le=\"+Inf\"} 11\n"
		"http_duration_seconds_count{instance=\"lab\",route=\"/\"} 11\n"
		"http_duration_seconds_sum{instance=\"lab\",route=\"/\"} 120.5\n"
		"# HELP http_duration_seconds_max How long.\n"
		"# TYPE http_duration_seconds_max gauge\n"
		"http_duration_seconds_max{instance=\"lab\",route=\"/\"} 99\n"
		"# HELP http_duration_seconds_min How long.\n"
		"# TYPE http_duration_seconds_min gauge\n"
		"http_duration_seconds_min{instance=\"lab\",route=\"/\"} 0.1\n");
}

static void deltas_of_a_histogram_are_gauges(void **state)
{
	const struct mc_metric metric = { .name = "d",
					  .kind = MC_METRIC_EXPONENTIAL_HISTOGRAM,
					  .delta = true };

	(void)state;
	put_part("b1", "absolute", 1, &metric, MC_METRIC_BUCKET, 0x1p-2);
	put_part("count", "absolute", 2, &metric, MC_METRIC_COUNT, 0);
	assert_string_equal(scraped(EXPOSITION_TEXT), "# HELP d_bucket Sent as 'd'.\n"
						      "# TYPE d_bucket gauge\n"
						      "d_bucket{instance=\"lab\",le=\"0.25\"} 1\n"
						      "d_bucket{instance=\"lab\",le=\"+Inf\"} 2\n"
						      "# HELP d_count Sent as 'd'.\n"
						      "# TYPE d_count gauge\n"
						      "d_count{instance=\"lab\"} 2\n");
}

static void a_summary_has_quantiles(void **state)
{
	const struct mc_metric metric = { .name = "rpc", .kind = MC_METRIC_SUMMARY };

	(void)state;
	put_part("q2", "gauge", 8, &metric, MC_METRIC_QUANTILE, 0.99);
	put_part("count", "derive", 3, &metric, MC_METRIC_COUNT, 0);
	put_part("sum", "derive", 12, &metric, MC_METRIC_SUM, 0);
	put_part("q1", "gauge", 4, &metric, MC_METRIC_QUANTILE, 0.5);
	assert_string_equal(scraped(EXPOSITION_TEXT), "# HELP rpc Sent as 'rpc'.\n"
						      "# TYPE rpc summary\n"
						      "rpc{instance=\"lab\",quantile=\"0.5\"} 4\n"
						      "rpc{instance=\"lab\",quantile=\"0.99\"} 8\n"
						      "rpc_count{instance=\"lab\"} 3\n"
						      "rpc_sum{instance=\"lab\"} 12\n");
}

static void resources_are_targets(void **state)
{
	struct mc_metric metric = {
		.name = "a",
		.resource = LABELS({ .name = "service.name", .value = "cart" },
				   { .name = "service.instance.id", .value = "i1" },
				   { .name = "host.name", .value = "h" },
				   { .name = "cloud.region", .value = "eu" }),
	};

	(void)state;
	put("a", "gauge", 1, &metric);
	metric.name = "b";
	put("b", "gauge", 2, &metric);
	metric.resource.len = 3; /* The same job and instance: it has one target. */
	put("c", "gauge", 3, &metric);
	metric.resource = (struct mc_metric_labels)LABELS({ .name = "host.name", .value = "x" });
	put("d", "gauge", 4, &metric); /* It is no service. */
	assert_non_null(strstr(scraped(EXPOSITION_TEXT),
			       "# HELP target_info Target metadata\n"
			       "# TYPE target_info gauge\n"
			       "target_info{cloud_region=\"eu\",host_name=\"h\",instance=\"i1\","
			       "job=\"cart\"} 1\n"));
	assert_null(strstr(strstr(all.text, "target_info{") + 1, "target_info{"));
}

static void equal_names_and_labels_are_told_apart(void **state)
{
	struct mc_metric metric = { .name = "a", .scope = "one" };

	(void)state;
	put("x", "gauge", 1, &metric);
	metric.scope = "two";
	put("y", "gauge", 2, &metric);
	metric.name = "target.info";
	put("z", "gauge", 3, &metric);
	assert_string_equal(scraped(EXPOSITION_TEXT),
			    "# HELP a Sent as 'a'.\n"
			    "# TYPE a gauge\n"
			    "a{instance=\"lab\"} 1\n"
			    "a{instance=\"lab\",collectd_series=\"lab/shop/gauge-y\"} 2\n"
			    "# HELP target_info Sent as 'target.info'.\n"
			    "# TYPE target_info gauge\n"
			    "target_info{instance=\"lab\","
			    "collectd_series=\"lab/shop/gauge-z\"} 3\n");
}

/* The same number by two types, as after a change at the sender: the newer one. */
static void one_number_is_shown_once(void **state)
{
	const struct mc_metric metric = { .name = "a", .kind = MC_METRIC_COUNTER };

	(void)state;
	put("x", "derive", 1, &metric);
	mc_commit(all.batch);
	clock_step(MC_SECOND);
	all.batch = mc_begin(all.ctx);
	put("x", "counter", 2, &metric);
	assert_string_equal(
		scraped_with(&(struct scrape_options){ .staleness_delta = 300 * MC_SECOND }),
		"# HELP a_total Sent as 'a'.\n"
		"# TYPE a_total counter\n"
		"a_total{instance=\"lab\"} 2 1700000001000\n");
}

static void labels_that_collide_are_joined(void **state)
{
	const struct mc_metric metric = {
		.name = "a",
		.labels = LABELS({ .name = "x.y", .value = "1" }, { .name = "x_y", .value = "2" },
				 { .name = "__name__", .value = "3" },
				 { .name = "\xe3\x82\x88", .value = "4" },
				 { .name = "instance", .value = "5" },
				 { .name = "job", .value = "6" }),
	};

	(void)state;
	put("x", "gauge", 1, &metric);
	assert_non_null(strstr(scraped(EXPOSITION_TEXT),
			       "\na{instance=\"5\",job=\"6\",key__name__=\"3\",x_y=\"1;2\"} 1\n"));
}

static void names_of_several_types(void **state)
{
	const struct mc_metric histogram = { .name = "h", .kind = MC_METRIC_HISTOGRAM };
	const struct mc_metric gauge = { .name = "h.count" }, total = { .name = "c.total" };
	const struct mc_metric counter = { .name = "c", .kind = MC_METRIC_COUNTER };

	(void)state;
	put_part("b1", "derive", 2, &histogram, MC_METRIC_BUCKET, 1);
	put_part("n", "derive", 3, &histogram, MC_METRIC_COUNT, 0);
	put("g", "gauge", 4, &gauge);
	put("c1", "derive", 5, &counter);
	put("c2", "gauge", 6, &total);
	assert_string_equal(
		scraped(EXPOSITION_TEXT),
		"# HELP c_total Sent as 'c'.\n"
		"# TYPE c_total untyped\n"
		"c_total{instance=\"lab\"} 5\n"
		"c_total{instance=\"lab\",collectd_series=\"lab/shop/gauge-c2\"} 6\n"
		"# HELP h_bucket Sent as 'h'.\n"
		"# TYPE h_bucket untyped\n"
		"h_bucket{instance=\"lab\",collectd_series=\"lab/shop/derive-b1\",le=\"1\"} 2\n"
		"h_bucket{instance=\"lab\",collectd_series=\"lab/shop/derive-b1\",le=\"+Inf\"} 3\n"
		"# HELP h_count Sent as 'h'.\n"
		"# TYPE h_count untyped\n"
		"h_count{instance=\"lab\",collectd_series=\"lab/shop/derive-b1\"} 3\n"
		"h_count{instance=\"lab\"} 4\n");
}

/* In OpenMetrics a counter has two names. */
static void a_gauge_beside_a_counter(void **state)
{
	const struct mc_metric gauge = { .name = "a" };
	const struct mc_metric counter = { .name = "a", .kind = MC_METRIC_COUNTER };

	(void)state;
	put("x", "gauge", 1, &gauge);
	put("y", "derive", 2, &counter);
	assert_string_equal(scraped(EXPOSITION_OPENMETRICS), "# HELP a Sent as 'a'.\n"
							     "# TYPE a gauge\n"
							     "a{instance=\"lab\"} 1\n"
							     "# HELP a_total Sent as 'a'.\n"
							     "# TYPE a_total unknown\n"
							     "a_total{instance=\"lab\"} 2\n"
							     "# EOF\n");
	assert_non_null(strstr(scraped(EXPOSITION_TEXT), "# TYPE a_total counter\n"));
}

/* A counter of ours has a family without its "_total", too: with a metric of that name it has no
 * type. */
static void the_stem_of_our_counter_is_one_family(void **state)
{
	const struct mc_metric stem = { .name = "collectd_shop_derive" };
	const char *text;

	(void)state;
	put("a", "gauge", 1, &stem);
	mc_put(all.batch, mc_series(all.batch, MC_ID(.type = "derive", .type_instance = "b")),
	       &(union mc_value){ .derive = 2 }, 1);
	text = scraped(EXPOSITION_OPENMETRICS);
	assert_non_null(strstr(text, "# TYPE collectd_shop_derive gauge\n"
				     "collectd_shop_derive{instance=\"lab\"} 1"));
	assert_non_null(strstr(text, "# TYPE collectd_shop_derive_total unknown\n"
				     "collectd_shop_derive_total{shop=\"b\",instance=\"lab\"} 2"));
	assert_null(strstr(text, "# TYPE collectd_shop_derive counter"));
	text = scraped(EXPOSITION_TEXT);
	assert_non_null(strstr(text, "# TYPE collectd_shop_derive_total counter\n"));
	assert_non_null(strstr(text, "# TYPE collectd_shop_derive gauge\n"));
}

/* Each family of ours is looked for among all others. */
static void many_counters_of_ours_keep_their_types(void **state)
{
	const char *text;
	char line[64], plugin[16];

	(void)state;
	for (unsigned i = 0; i < 64; i++) {
		snprintf(plugin, sizeof(plugin), "p%u", i);
		mc_put(all.batch, mc_series(all.batch, MC_ID(.plugin = plugin, .type = "derive")),
		       &(union mc_value){ .derive = i }, 1);
	}
	text = scraped(EXPOSITION_OPENMETRICS);
	for (unsigned i = 0; i < 64; i++) {
		snprintf(line, sizeof(line), "# TYPE collectd_p%u_derive counter\n", i);
		assert_non_null(strstr(text, line));
	}
}

/* Our own keep name, help and type; what collides with them is theirs, with the label. */
static void names_of_ours_stay(void **state)
{
	const struct mc_metric metric = { .name = "collectd.shop.gauge",
					  .kind = MC_METRIC_UP_DOWN_COUNTER };
	const struct mc_metric nothing = { .name = "@" };
	const struct mc_metric labels = {
		.name = "",
		.labels = LABELS({ .name = "sysName", .value = "router" },
				 { .name = "instance", .value = "not this" }),
	};
	static const char head[] = "# HELP collectd_shop_gauge For tests. [any]\n"
				   "# TYPE collectd_shop_gauge gauge\n";
	static const char *const lines[] = {
		"collectd_shop_gauge{shop=\"ours\",instance=\"lab\"} 1\n",
		"collectd_shop_gauge{shop=\"y\",instance=\"lab\"} 3\n",
		"collectd_shop_gauge{shop=\"z\",instance=\"lab\",sysName=\"router\"} 4\n",
	};
	size_t size = strlen(head);
	const char *text;

	(void)state;
	mc_put_gauge(all.batch, 1, .type = "gauge", .type_instance = "ours");
	put("x", "gauge", 2, &metric);
	put("y", "gauge", 3, &nothing);
	put("z", "gauge", 4, &labels);
	text = scraped(EXPOSITION_TEXT);
	assert_int_equal(strncmp(text, head, strlen(head)), 0);
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) { /* In any order. */
		assert_non_null(strstr(text, lines[i]));
		size += strlen(lines[i]);
	}
	assert_string_equal(text + size, "collectd_shop_gauge{instance=\"lab\",collectd_series="
					 "\"lab/shop/gauge-x\"} 2\n");
}

static unsigned lines_with(const char *selector_text)
{
	char why[SELECTOR_WHY];
	struct selector *selector = selector_new(selector_text, why);
	unsigned lines = 0;

	scraped_with(&(struct scrape_options){ .selectors = &selector, .selectors_len = 1 });
	for (const char *at = all.text; *at != '\0'; at = strchr(at, '\n') + 1)
		lines += at[0] != '#';
	selector_free(selector);
	return lines;
}

static void selectors_see_what_is_shown(void **state)
{
	const struct mc_metric metric = { .name = "h",
					  .kind = MC_METRIC_HISTOGRAM,
					  .resource = LABELS(
						  { .name = "a", .value = "b" },
						  { .name = "service.name", .value = "c" }) };

	(void)state;
	put_histogram(&metric);
	assert_int_equal(lines_with("h_seconds_bucket"), 4);
	assert_int_equal(lines_with("h_seconds_bucket{le=\"+Inf\"}"), 1);
	assert_int_equal(lines_with("{le=\"2.5\"}"), 1);
	assert_int_equal(lines_with("h"), 0);
	assert_int_equal(lines_with("{instance=\"lab\"}"), 9);
	assert_int_equal(lines_with("{a=\"b\"}"), 1);
	assert_int_equal(lines_with("{__name__=~\"h_seconds_.*\"}"), 8);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_lab, close_lab)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_metric_has_its_own_name),
		TEST(the_type_may_have_the_unit),
		TEST(seconds_are_seconds),
		TEST(a_delta_is_a_gauge),
		TEST(a_histogram_is_one_family),
		TEST(deltas_of_a_histogram_are_gauges),
		TEST(a_summary_has_quantiles),
		TEST(resources_are_targets),
		TEST(equal_names_and_labels_are_told_apart),
		TEST(one_number_is_shown_once),
		TEST(labels_that_collide_are_joined),
		TEST(the_stem_of_our_counter_is_one_family),
		TEST(many_counters_of_ours_keep_their_types),
		TEST(names_of_several_types),
		TEST(a_gauge_beside_a_counter),
		TEST(names_of_ours_stay),
		TEST(selectors_see_what_is_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
