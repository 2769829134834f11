/* SPDX-License-Identifier: MIT */
/* A request into a batch of a running engine. */
#include "unit.h"

#include "lab.h"

#include "otlp_fixture.h"

static const struct mc_plugin listener = { .api = MC_API, .name = "listener" };

static const struct mc_type counted = { .name = "gauge",
					.sources_len = 1,
					.sources = { { "value", MC_DERIVE, 0,
						       NAN } } };
static const struct mc_type unheard = { .name = "unheard",
					.sources_len = 1,
					.sources = { { "value", MC_GAUGE, 0,
						       NAN } } };

/* One request with samples of these types, of a value each or two. */
static struct mc_otlp_bytes write_types(struct mc_otlp_writer *writer,
					struct otlp_lab *from,
					const struct mc_type *const *types)
{
	union mc_value values[2] = { { .counter = 11 }, { .counter = 12 } };
	struct mc_otlp_bytes bytes;

	for (; *types != NULL; types++)
		mc_put(&from->batch,
		       otlp_series(from, MC_ID(.host = "far", .plugin = "p"),
				   *types),
		       values, (*types)->sources_len);
	mc_otlp_write(writer, &from->batch, NULL, &bytes);
	return bytes;
}

static void test_put(void **state)
{
	static const struct mc_type *const types[] = { &otlp_gauge,
						       &otlp_octets, &counted,
						       &unheard, NULL };
	struct mc_otlp_writer *writer = mc_otlp_writer_new(MC_OTLP_SIZE_MIN);
	struct mc_stamp stamp = { 1, 2 };
	struct mc_otlp_result result;
	const struct mc_sample *sample;
	struct mc_otlp_bytes bytes;
	struct mc_batch *batch;
	struct otlp_lab from;
	struct mc_ctx *ctx;
	struct lab lab;

	(void)state;
	lab_open(&lab, 1 << 20);
	ctx = engine_ctx(engine_add(lab.engine, &listener, "listener"));
	engine_start_idle(lab.engine);
	otlp_lab_open(&from);
	bytes = write_types(writer, &from, types);
	batch = mc_begin(ctx);
	assert_true(mc_otlp_put(batch, stamp, "peer", bytes.at, bytes.size,
				&result));
	assert_int_equal(result.samples, 2);
	assert_int_equal(result.rejected, 2);
	assert_string_equal(result.why, "type has other sources here");
	sample = mc_next(batch, NULL);
	assert_string_equal(mc_name(sample->series), "far/p/gauge");
	assert_int_equal(sample->values[0].counter, 11);
	assert_true(sample->time == OTLP_TIME);
	assert_int_equal(sample->interval, 10 * MC_SECOND);
	sample = mc_next(batch, sample);
	assert_string_equal(mc_name(sample->series), "far/p/if_octets");
	assert_int_equal(sample->values[1].counter, 12);
	assert_null(mc_next(batch, sample));
	assert_false(mc_otlp_put(batch, stamp, "peer", bytes.at, bytes.size - 1,
				 &result));
	assert_string_equal(result.why, "not in the form of protobuf");
	mc_discard(batch);
	otlp_lab_close(&from);
	mc_otlp_writer_free(writer);
	lab_close(&lab);
}

/* What a foreign sender leaves open. */
static void test_stamp(void **state)
{
	struct otlp_message point = { .size = 0 }, data = { .size = 0 };
	struct otlp_message metric = { .size = 0 }, resource = { .size = 0 };
	struct otlp_message request;
	struct mc_stamp stamp = { OTLP_TIME, 60 * MC_SECOND };
	struct mc_otlp_result result;
	const struct mc_sample *sample;
	struct mc_batch *batch;
	struct mc_ctx *ctx;
	struct lab lab;

	(void)state;
	lab_open(&lab, 1 << 20);
	ctx = engine_ctx(engine_add(lab.engine, &listener, "listener"));
	engine_start_idle(lab.engine);
	batch = mc_begin(ctx);
	otlp_add_double(&point, 4, 2.5);
	otlp_add_message(&data, 1, &point);
	otlp_add_text(&metric, 1, "load");
	otlp_add_message(&metric, 5, &data);
	otlp_request(&request, &resource, "", &metric);
	assert_true(mc_otlp_put(batch, stamp, "peer", request.at, request.size,
				&result));
	assert_int_equal(result.samples, 1);
	assert_int_equal(result.rejected, 0);
	assert_null(result.why);
	sample = mc_next(batch, NULL);
	assert_string_equal(mc_name(sample->series), "peer/otlp-load/gauge");
	assert_true(sample->values[0].gauge == 2.5);
	assert_true(sample->time == OTLP_TIME);
	assert_int_equal(sample->interval, 60 * MC_SECOND);
	mc_discard(batch);
	lab_close(&lab);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_put),
		cmocka_unit_test(test_stamp),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
