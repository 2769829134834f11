/* SPDX-License-Identifier: MIT */
/* Metrics of series, as their senders call them: kept, shared, replaced, gone with the series,
 * bounded. */
#include "unit.h"

#include <collector/control.h>
#include <collector/metric.h>

#include <stdio.h>
#include <string.h>

#include "engine/store/metric.h"
#include "engine/store/quota/quota.h"
#include "lab.h"

static const struct mc_plugin source_plugin = { .api = MC_API, .name = "source" };
static struct {
	struct lab lab;
	struct mc_ctx *ctx;
} all;

static int open_lab(void **state)
{
	(void)state;
	lab_open(&all.lab, 1 << 20);
	all.ctx = engine_ctx(engine_add(all.lab.engine, &source_plugin, "source"));
	return engine_start_idle(all.lab.engine);
}

static int close_lab(void **state)
{
	(void)state;
	lab_close(&all.lab);
	return 0;
}

static struct mc_series *series_of(struct mc_batch *batch, const char *instance)
{
	return mc_series(batch, MC_ID(.type = "gauge", .type_instance = instance));
}

static const struct mc_metric_label point_labels[] = {
	{ .name = "state", .value = "idle" },
	{ .name = "cpu", .value = "3", .encoded = "\x18\x03", .encoded_size = 2 },
};
static const struct mc_metric_label resource_labels[] = {
	{ .name = "service.name", .value = "shop" },
};
static const struct mc_metric cpu_time = {
	.name = "cpu.time",
	.scope = "hostmetrics",
	.kind = MC_METRIC_COUNTER,
	.start = 5,
	.labels = { point_labels, 2 },
	.resource = { resource_labels, 1 },
};

static struct mc_metric got(const struct mc_series *series)
{
	struct mc_metric metric = { .name = NULL };

	assert_true(mc_get_metric(series, &metric));
	mc_release_metric(&metric);
	return metric;
}

static void is_kept_as_it_came(void **state)
{
	struct mc_batch *batch = mc_begin(all.ctx);
	struct mc_series *series = series_of(batch, "a");
	struct mc_metric out = { .name = NULL };

	(void)state;
	assert_false(mc_get_metric(series, &out));
	mc_release_metric(&out);
	mc_set_metric(batch, series, &cpu_time);
	mc_set_metric(batch, NULL, &cpu_time);
	out = got(series);
	assert_string_equal(out.name, "cpu.time");
	assert_string_equal(out.scope, "hostmetrics");
	assert_string_equal(out.scope_version, "");
	assert_int_equal(out.kind, MC_METRIC_COUNTER);
	assert_int_equal(out.start, 5);
	assert_int_equal(out.labels.len, 2);
	assert_string_equal(out.labels.items[0].name, "cpu"); /* They are sorted. */
	assert_string_equal(out.labels.items[0].value, "3");
	assert_memory_equal(out.labels.items[0].encoded, "\x18\x03", 2);
	assert_null(out.labels.items[1].encoded);
	assert_string_equal(mc_metric_label(&out.resource, "service.name"), "shop");
	assert_null(mc_metric_label(&out.resource, "host.name"));
	mc_discard(batch);
}

static void equal_parts_are_kept_once(void **state)
{
	struct mc_batch *batch = mc_begin(all.ctx);
	struct mc_series *a = series_of(batch, "a"), *b = series_of(batch, "b");
	struct mc_metric other = cpu_time, first, second;

	(void)state;
	other.part = MC_METRIC_BUCKET;
	other.bound = 0.5;
	mc_set_metric(batch, a, &cpu_time);
	mc_set_metric(batch, b, &other);
	first = got(a);
	second = got(b);
	assert_true(mc_metric_is_same_point(&first, &second));
	assert_true(second.bound == 0.5);
	other.labels.len = 1;
	mc_set_metric(batch, b, &other);
	second = got(b);
	assert_false(mc_metric_is_same_point(&first, &second));
	assert_ptr_equal(first.resource.items, second.resource.items);
	mc_discard(batch);
}

/* It stays what it is as long as somebody has it. */
static void is_replaced(void **state)
{
	struct mc_batch *batch = mc_begin(all.ctx);
	struct mc_series *series = series_of(batch, "a");
	struct mc_metric other = cpu_time, held;
	uint16_t change;

	(void)state;
	mc_set_metric(batch, series, &cpu_time);
	change = series->described;
	assert_int_not_equal(change, 0);
	mc_set_metric(batch, series, &cpu_time);
	assert_int_equal(series->described, change);
	assert_true(mc_get_metric(series, &held));
	assert_true(mc_metric_is_current(series, &held));
	other.name = "another";
	mc_set_metric(batch, series, &other);
	assert_false(mc_metric_is_current(series, &held));
	assert_int_not_equal(series->described, change);
	assert_string_equal(held.name, "cpu.time");
	mc_release_metric(&held);
	assert_string_equal(got(series).name, "another");
	mc_discard(batch);
}

static void labels_are_bounded_and_printable(void **state)
{
	struct mc_metric_label labels[MC_METRIC_LABELS_MAX + 3];
	char names[MC_METRIC_LABELS_MAX + 3][8], large[MC_METRIC_VALUE_SIZE + 1];
	const struct mc_metric in = { .name = "a\n",
				      .labels = { labels, MC_METRIC_LABELS_MAX + 3 } };
	struct mc_quota *client = mc_quota_new(all.ctx, MC_QUOTA_CLIENT, "greedy",
					       &(struct mc_quota_limits){ .new_series = 1 });
	struct mc_batch *batch = mc_begin(all.ctx);
	struct mc_metric out;

	(void)state;
	memset(large, 'x', MC_METRIC_VALUE_SIZE);
	large[MC_METRIC_VALUE_SIZE] = '\0';
	for (unsigned i = 0; i < MC_METRIC_LABELS_MAX + 3; i++) {
		snprintf(names[i], sizeof(names[i]), "%03u", i);
		labels[i] = (struct mc_metric_label){ .name = names[i], .value = "\033[2J\xff" };
	}
	labels[1].name = "000";  /* The first of one name is kept. */
	labels[2].value = large; /* Too large. */
	labels[3].name = NULL;
	mc_charge(batch, client);
	mc_set_metric(batch, series_of(batch, "a"), &in);
	out = got(series_of(batch, "a"));
	assert_string_equal(out.name, "a ");
	assert_int_equal(out.labels.len, MC_METRIC_LABELS_MAX);
	assert_string_equal(out.labels.items[0].value, " [2J?");
	assert_null(mc_metric_label(&out.labels, "002"));
	assert_int_equal(client->metadata_refused, 1);
	assert_non_null(strstr(all.lab.log, "metadata of client 'greedy'"));
	mc_quota_free(client);
	mc_discard(batch);
}

/* One client that makes up labels does not take the room of others; and what was charged is free
 * with the series. */
static void a_client_has_a_share(void **state)
{
	char value[MC_METRIC_VALUE_SIZE];
	struct mc_metric_label label = { .name = "a", .value = value };
	const struct mc_metric in = { .name = "a", .labels = { &label, 1 } };
	const int each = METADATA_METRICS_BYTES_MAX / MC_METRIC_VALUE_SIZE / 4;
	const struct mc_quota_limits limits = { .new_series = 1 };
	struct mc_quota *client = mc_quota_new(all.ctx, MC_QUOTA_CLIENT, "greedy", &limits);
	struct mc_batch *batch = mc_begin(all.ctx);
	struct mc_metric out;
	int len = 0;

	(void)state;
	store_set_limits(all.lab.engine->registry.store, 4 * (uint64_t)each, 2);
	mc_charge(batch, client);
	memset(value, 'x', sizeof(value) - 1);
	value[sizeof(value) - 1] = '\0';
	for (int i = 0; i < each; i++) {
		struct mc_series *series;
		char name[16];

		snprintf(name, sizeof(name), "%d", i);
		snprintf(value, sizeof(value), "%08d", i);
		value[8] = 'x';
		series = series_of(batch, name);
		mc_set_metric(batch, series, &in);
		if (mc_get_metric(series, &out)) {
			len++;
			mc_release_metric(&out);
		}
	}
	assert_in_range(len, each / 3, each / 2); /* An eighth of seven eighths. */
	assert_int_equal(client->metadata[METADATA_METRICS].sources, len);
	assert_int_equal(client->metadata_refused, each - len);
	mc_charge(batch, NULL);
	mc_set_metric(batch, series_of(batch, "mine"), &in);
	assert_string_equal(got(series_of(batch, "mine")).name, "a");
	mc_discard(batch);
	for (int i = 0; i < 2; i++) { /* The newest ones go with the next batch. */
		clock_step(200 * MC_SECOND);
		engine_read_once(all.lab.engine);
	}
	assert_int_equal(client->metadata[METADATA_METRICS].sources, 0);
	assert_int_equal(client->metadata[METADATA_METRICS].bytes, 0);
	mc_quota_free(client);
}

static bool add_instance(void *argument, struct mc_series *series, const struct mc_latest *latest)
{
	size_t size = strlen(argument);

	(void)latest;
	snprintf((char *)argument + size, 64 - size, "%s", mc_type_instance(series));
	return true;
}

/* The instances of series with that label. */
static const char *found(const char *glob, const char *label)
{
	static char text[64];

	text[0] = '\0';
	mc_page_series(all.ctx,
		       &(struct mc_series_page){ .glob = glob, .limit = SIZE_MAX, .label = label },
		       add_instance, text);
	return text;
}

static void is_found_by_its_labels(void **state)
{
	struct mc_metric other = cpu_time, unnamed = { .name = "" };
	struct mc_batch *batch = mc_begin(all.ctx);
	struct mc_metric metric;

	(void)state;
	other.name = "other";
	other.labels.len = 1;
	other.scope_labels = (struct mc_metric_labels){ resource_labels, 1 };
	other.resource.len = 0;
	mc_set_metric(batch, series_of(batch, "a"), &cpu_time);
	mc_set_metric(batch, series_of(batch, "b"), &other);
	mc_set_metric(batch, series_of(batch, "c"), &unnamed);
	for (const char *one = "abcd"; *one != '\0'; one++)
		mc_gauge(batch, series_of(batch, (char[]){ *one, '\0' }), 1);
	mc_commit(batch);
	assert_string_equal(found(NULL, NULL), "abcd");
	assert_string_equal(found(NULL, "state=idle"), "ab");
	assert_string_equal(found("*b", "state=idle"), "b");
	assert_string_equal(found(NULL, "cpu=3"), "a");
	assert_string_equal(found(NULL, "cpu=[0-9]"), "a");
	assert_string_equal(found(NULL, "cpu=4"), "");
	assert_string_equal(found(NULL, "service.name=sh*"), "ab");
	assert_string_equal(found(NULL, "service.name=*p*"), "ab");
	assert_string_equal(found(NULL, "service.name="), "");
	assert_string_equal(found(NULL, "__name__=cpu.time"), "a");
	assert_string_equal(found(NULL, "__name__=*"), "abc");
	assert_string_equal(found(NULL, "name=cpu.time"), "");
	assert_string_equal(found(NULL, "="), "");
	assert_string_equal(found(NULL, ""), "");
	batch = mc_begin(all.ctx);
	assert_true(mc_get_metric(series_of(batch, "b"), &metric));
	assert_true(mc_metric_matches(&metric, "service.name=shop"));
	assert_true(mc_metric_matches(&metric, "__name__=oth*"));
	assert_false(mc_metric_matches(&metric, "cpu=3"));
	mc_release_metric(&metric);
	mc_discard(batch);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_lab, close_lab)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(is_kept_as_it_came),   TEST(equal_parts_are_kept_once),
		TEST(is_replaced),          TEST(labels_are_bounded_and_printable),
		TEST(a_client_has_a_share), TEST(is_found_by_its_labels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
