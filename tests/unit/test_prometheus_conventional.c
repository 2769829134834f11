/* SPDX-License-Identifier: MIT */
/* Scrapes of series of ours under OpenTelemetry's names, one after the other: kept ones get new
 * numbers, and series come and go. */
#include <stdio.h>
#include <string.h>

#include <collector/metric.h>

#include "conventional.h"
#include "engine/store/store.h"
#include "scrape_fixture.h"

/* --- Tools ----------------------------------------------------------------- */

static void put_cpu(const char *mode, double percent)
{
	mc_put_gauge(all.batch, percent, .plugin = "cpu", .plugin_instance = "0", .type = "percent",
		     .type_instance = mode);
}

static void ignore(void *argument, struct mc_series *series, mc_time silent)
{
	(void)argument;
	(void)series;
	(void)silent;
}

/* All series end of which no value has come for so long. */
static void end_silent(void)
{
	clock_step(5 * LAB_INTERVAL);
	put_cpu("idle", 100);
	mc_commit(all.batch);
	all.batch = mc_begin(all.ctx);
	store_sweep(all.lab.engine->registry.store, all.batch, ignore, NULL);
}

/* A moment later, with what is kept of the scrape before. */
static const char *scraped_again(struct conventional *kept)
{
	const char *text = scraped_with(&(struct scrape_options){ .conventional = kept });

	clock_step(MC_SECOND);
	all.batch = mc_begin(all.ctx);
	return text;
}

#define CPU_HEAD                                                                                   \
	"# HELP system_cpu_utilization_ratio OpenTelemetry's 'system.cpu.utilization'.\n"          \
	"# TYPE system_cpu_utilization_ratio gauge\n"
#define CPU "system_cpu_utilization_ratio{cpu_logical_number=\"0\",cpu_mode="

/* --- Tests ----------------------------------------------------------------- */

static void what_is_kept_has_new_numbers(void **state)
{
	struct conventional *kept = conventional_new();

	(void)state;
	put_cpu("user", 50);
	assert_string_equal(scraped_again(kept), CPU_HEAD CPU "\"user\",instance=\"lab\"} 0.5\n");
	put_cpu("user", 25);
	put_cpu("idle", 75);
	assert_string_equal(scraped_again(kept),
			    CPU_HEAD CPU "\"idle\",instance=\"lab\"} 0.75\n" CPU
					 "\"user\",instance=\"lab\"} 0.25\n");
	end_silent();
	assert_string_equal(scraped_again(kept), CPU_HEAD CPU "\"idle\",instance=\"lab\"} 1\n");
	put_cpu("user", 10);
	assert_string_equal(scraped_again(kept), CPU_HEAD CPU "\"idle\",instance=\"lab\"} 1\n" CPU
							      "\"user\",instance=\"lab\"} 0.1\n");
	conventional_free(kept);
}

/* They are in one family, and what would be the same twice gets a label while it is there. */
static void ours_and_others_have_one_name(void **state)
{
	static const struct mc_metric_label labels[] = {
		{ .name = "cpu.logical_number", .value = "0" },
		{ .name = "cpu.mode", .value = "idle" },
	};
	const struct mc_metric metric = { .name = "system.cpu.utilization.ratio",
					  .labels = { labels, 2 } };
	struct conventional *kept = conventional_new();
	const char *text;

	(void)state;
	put_cpu("idle", 75);
	put_cpu("user", 25);
	scraped_again(kept);
	put("x", "gauge", 0.5, &metric);
	text = scraped_again(kept);
	assert_non_null(strstr(text, CPU "\"idle\",instance=\"lab\"} 0.75\n"));
	assert_non_null(strstr(text, CPU "\"user\",instance=\"lab\"} 0.25\n"));
	assert_non_null(strstr(text, CPU "\"idle\",instance=\"lab\","
					 "collectd_series=\"lab/shop/gauge-x\"} 0.5\n"));
	assert_null(strstr(strstr(text, "# TYPE") + 1, "# TYPE"));
	end_silent();
	assert_string_equal(scraped_again(kept), CPU_HEAD CPU "\"idle\",instance=\"lab\"} 1\n");
	conventional_free(kept);
}

static void sources_of_a_series_are_points(void **state)
{
	struct conventional *kept = conventional_new();
	const union mc_value numbers[] = { { .derive = 7 }, { .derive = 8 } };

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		mc_put(all.batch,
		       mc_series(all.batch, MC_ID(.plugin = "interface", .plugin_instance = "eth0",
						  .type = "if_octets")),
		       numbers, 2);
		put("x", "gauge", 1, NULL);
		assert_non_null(strstr(scraped_again(kept), "direction=\"transmit\"} 8\n"));
		assert_non_null(strstr(all.text, "direction=\"receive\"} 7\n"));
		assert_non_null(strstr(all.text, "collectd_shop_gauge{shop=\"x\""));
	}
	conventional_free(kept);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_lab, close_lab)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_is_kept_has_new_numbers),
		TEST(ours_and_others_have_one_name),
		TEST(sources_of_a_series_are_points),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
