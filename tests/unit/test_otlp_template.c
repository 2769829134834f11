/* SPDX-License-Identifier: MIT */
/* Requests that match a template are read by it. */
#include "kit/series/otlp_templates.h"

#include "unit.h"

#include "lab.h"

#include "engine/store/store.h"
#include "otlp_fixture.h"

static const struct mc_plugin listener = { .api = MC_API, .name = "listener" };

struct desk {
	struct lab lab;
	struct mc_ctx *ctx;
	struct mc_otlp_writer *writer;
	struct mc_otlp_templates templates;
};

static void open_desk(struct desk *desk, size_t bytes_max)
{
	lab_open(&desk->lab, 1 << 20);
	desk->ctx = engine_ctx(engine_add(desk->lab.engine, &listener, "listener"));
	engine_start_idle(desk->lab.engine);
	desk->writer = mc_otlp_writer_new(MC_OTLP_SIZE_MIN);
	mc_otlp_templates_init(&desk->templates, bytes_max);
}

static void close_desk(struct desk *desk)
{
	mc_otlp_templates_done(&desk->templates);
	mc_otlp_writer_free(desk->writer);
	lab_close(&desk->lab);
}

static struct mc_batch *take(struct desk *desk, const char *sender, struct mc_otlp_request *request,
			     struct mc_otlp_result *result)
{
	struct mc_batch *batch = mc_begin(desk->ctx);

	assert_true(mc_otlp_templates_put(&desk->templates, sender, batch, request, result));
	assert_null(result->template);
	return batch;
}

/* A request of a gauge, and what must come of it. */
static void put_from(struct desk *desk, const char *sender, const char *caller,
		     const char *instance, double level)
{
	struct mc_otlp_request request = { .host = caller };
	struct mc_otlp_result result;
	const struct mc_sample *sample;
	struct mc_otlp_bytes bytes;
	struct mc_batch *batch;
	struct otlp_lab from;

	otlp_lab_open(&from);
	mc_gauge(&from.batch,
		 otlp_series(&from, MC_ID(.host = "far", .plugin = "p", .type_instance = instance),
			     &otlp_gauge),
		 level);
	mc_otlp_write(desk->writer, &from.batch, NULL, &bytes);
	request.bytes = bytes.at;
	request.size = bytes.size;
	batch = take(desk, sender, &request, &result);
	assert_int_equal(result.samples, 1);
	sample = mc_next(batch, NULL);
	assert_string_equal(mc_type_instance(sample->series), instance);
	assert_true(sample->values[0].gauge == level);
	mc_discard(batch);
	otlp_lab_close(&from);
}

static void put(struct desk *desk, const char *sender, const char *instance, double level)
{
	put_from(desk, sender, "peer", instance, level);
}

/* The third is read by the template recorded from the second. */
static void test_recorded(void **state)
{
	struct desk desk;

	(void)state;
	open_desk(&desk, 1 << 20);
	for (unsigned i = 0; i < 5; i++)
		put(&desk, "a", "one", i);
	assert_int_equal(desk.templates.used, 3);
	put(&desk, "b", "one", 7);
	put(&desk, "a", "longer", 7);
	assert_int_equal(desk.templates.used, 3);
	put(&desk, "a", "one", 7);
	assert_int_equal(desk.templates.used, 4);
	close_desk(&desk);
}

/* Of the same size, but not the same. */
static void test_others_come(void **state)
{
	struct desk desk;

	(void)state;
	open_desk(&desk, 1 << 20);
	for (unsigned i = 0; i < 3; i++)
		put(&desk, "a", "one", i);
	assert_int_equal(desk.templates.used, 1);
	for (unsigned i = 0; i < 4; i++)
		put(&desk, "a", "two", i);
	assert_int_equal(desk.templates.used, 3);
	close_desk(&desk);
}

/* A host that says who it is, and that its certificate says, too. */
static void test_host_is_caller(void **state)
{
	struct desk desk;

	(void)state;
	open_desk(&desk, 1 << 20);
	for (unsigned i = 0; i < 5; i++)
		put_from(&desk, "a", "far", "one", i);
	assert_int_equal(desk.templates.used, 3);
	close_desk(&desk);
}

/* A request of a gauge with that point. */
static void request_of(struct otlp_message *bytes, const struct otlp_message *host,
		       const struct otlp_message *point)
{
	struct otlp_message data = { .size = 0 }, metric = { .size = 0 };
	struct otlp_message interval = { .size = 0 }, any = { .size = 0 };

	otlp_add_message(&data, 1, point);
	otlp_add_text(&metric, 1, "p.gauge");
	otlp_add_message(&metric, 5, &data);
	otlp_add_pair(&metric, 12, "collector.kind", "GAUGE");
	otlp_add_number(&any, 3, MC_SECOND);
	otlp_add_text(&interval, 1, "collector.interval");
	otlp_add_message(&interval, 2, &any);
	otlp_add_message(&metric, 12, &interval);
	otlp_request(bytes, host, "collector/p", &metric);
}

/* Values that the request leaves to the caller are not a part of a template. */
static void test_host_of_caller(void **state)
{
	struct otlp_message point = { .size = 0 }, none = { .size = 0 }, bytes;
	struct mc_otlp_result result;
	struct desk desk;

	(void)state;
	otlp_add_fixed(&point, 3, OTLP_TIME);
	otlp_add_double(&point, 4, 1);
	request_of(&bytes, &none, &point);
	open_desk(&desk, 1 << 20);
	for (unsigned i = 0; i < 5; i++) {
		struct mc_otlp_request request = { .host = i % 2 ? "a" : "b",
						   .bytes = bytes.at,
						   .size = bytes.size };
		struct mc_batch *batch = take(&desk, "s", &request, &result);

		assert_int_equal(result.samples, 1);
		assert_string_equal(mc_host(mc_next(batch, NULL)->series), request.host);
		mc_discard(batch);
	}
	assert_int_equal(desk.templates.used, 0);
	close_desk(&desk);
}

/* A point that says that it has no value, and has one. */
static void test_no_value(void **state)
{
	struct otlp_message point = { .size = 0 }, host = { .size = 0 }, bytes;
	struct mc_otlp_result result;
	struct desk desk;

	(void)state;
	otlp_add_fixed(&point, 3, OTLP_TIME);
	otlp_add_double(&point, 4, 1);
	otlp_add_number(&point, 8, 1);
	otlp_add_pair(&host, 1, "host.name", "far");
	request_of(&bytes, &host, &point);
	open_desk(&desk, 1 << 20);
	for (unsigned i = 0; i < 4; i++) {
		struct mc_otlp_request request = { .host = "peer",
						   .bytes = bytes.at,
						   .size = bytes.size };
		struct mc_batch *batch = take(&desk, "s", &request, &result);

		assert_true(isnan(mc_next(batch, NULL)->values[0].gauge));
		mc_discard(batch);
	}
	close_desk(&desk);
}

/* There was no room for its series; when there is, it is recorded. */
static void test_refused_at_first(void **state)
{
	struct mc_otlp_result result;
	struct mc_otlp_bytes bytes;
	struct otlp_lab from;
	struct desk desk;
	uint64_t samples = 0;

	(void)state;
	open_desk(&desk, 1 << 20);
	otlp_lab_open(&from);
	mc_gauge(&from.batch, otlp_series(&from, MC_ID(.host = "far", .plugin = "p"), &otlp_gauge),
		 1);
	mc_otlp_write(desk.writer, &from.batch, NULL, &bytes);
	struct mc_otlp_request request = { .host = "peer", .bytes = bytes.at, .size = bytes.size };
	const struct mc_quota_limits limits = { .series = 1, .new_series = 1 };
	struct mc_quota *full = mc_quota_new(desk.ctx, MC_QUOTA_CLIENT, "full", &limits);
	struct mc_batch *first = mc_begin(desk.ctx);

	mc_charge(first, full);
	assert_non_null(mc_series(first, MC_ID(.type = "gauge")));
	mc_discard(first);

	for (unsigned i = 0; i < 200; i++) {
		struct mc_batch *batch = mc_begin(desk.ctx);

		if (i < 10)
			mc_charge(batch, full);
		assert_true(mc_otlp_templates_put(&desk.templates, "s", batch, &request, &result));
		samples += result.samples;
		mc_discard(batch);
	}
	assert_int_equal(samples, 190);
	assert_in_range(desk.templates.used, 100, 190);
	mc_quota_free(full);
	otlp_lab_close(&from);
	close_desk(&desk);
}

static void ignore(void *argument, struct mc_series *series, mc_time silent)
{
	(void)argument;
	(void)series;
	(void)silent;
}

/* All series end, and are freed. */
static void end_all(struct desk *desk)
{
	struct mc_batch *batch = mc_begin(desk->ctx);

	clock_step(5 * 60 * MC_SECOND);
	store_sweep(desk->lab.engine->registry.store, batch, ignore, NULL);
	mc_discard(batch);
}

/* A template outlives the series that it has found, and has them made again. */
static void test_series_end(void **state)
{
	struct store_counts counts;
	struct desk desk;

	(void)state;
	open_desk(&desk, 1 << 20);
	for (unsigned i = 0; i < 4; i++)
		put(&desk, "a", "one", i);
	for (unsigned i = 1; i < 4; i++) {
		end_all(&desk);
		store_count(desk.lab.engine->registry.store, &counts);
		assert_int_equal(counts.series, 0);
		put(&desk, "a", "one", 7);
		put(&desk, "a", "one", 8);
		assert_int_equal(desk.templates.used, 2 + 2 * i);
		store_count(desk.lab.engine->registry.store, &counts);
		assert_int_equal(counts.series, 1);
	}
	close_desk(&desk);
}

static void test_bounded(void **state)
{
	struct desk desk;
	char sender[16];

	(void)state;
	open_desk(&desk, 20000);
	for (unsigned i = 0; i < 300; i++) {
		snprintf(sender, sizeof(sender), "s%u", i / 3);
		put(&desk, sender, "one", i);
		assert_in_range(desk.templates.bytes, 1, 20000);
	}
	assert_int_equal(desk.templates.used, 100);
	assert_in_range(desk.templates.names.map.len, 2, 99);
	close_desk(&desk);

	open_desk(&desk, 0);
	for (unsigned i = 0; i < 5; i++)
		put(&desk, "a", "one", i);
	assert_int_equal(desk.templates.used + desk.templates.names.map.len, 0);
	close_desk(&desk);
}

/* Senders and hosts that are gone leave nothing, long before the limit. */
static void test_unused(void **state)
{
	struct desk desk;
	char sender[16];

	(void)state;
	open_desk(&desk, 1 << 30);
	for (unsigned i = 0; i < 300; i++) {
		snprintf(sender, sizeof(sender), "s%u", i / 3);
		put(&desk, sender, "one", i);
	}
	assert_int_equal(desk.templates.names.map.len, 100);
	for (unsigned i = 0; i < 3; i++) {
		clock_step(4 * 60 * MC_SECOND);
		put(&desk, "s7", "one", 300 + i);
	}
	assert_int_equal(desk.templates.names.map.len, 1);
	assert_int_equal(desk.templates.used, 103);
	assert_in_range(desk.templates.bytes, 1, 20000);
	close_desk(&desk);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_recorded),       cmocka_unit_test(test_others_come),
		cmocka_unit_test(test_host_is_caller), cmocka_unit_test(test_host_of_caller),
		cmocka_unit_test(test_no_value),       cmocka_unit_test(test_refused_at_first),
		cmocka_unit_test(test_series_end),     cmocka_unit_test(test_bounded),
		cmocka_unit_test(test_unused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
