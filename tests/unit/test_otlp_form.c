/* SPDX-License-Identifier: MIT */
/* Requests like those before are read by their form. */
#include "form.h"

#include "unit.h"

#include "lab.h"

#include "otlp_fixture.h"

static const struct mc_plugin listener = { .api = MC_API, .name = "listener" };

struct desk {
	struct lab lab;
	struct mc_ctx *ctx;
	struct mc_otlp_writer *writer;
	struct forms forms;
};

static void open_desk(struct desk *desk, size_t bytes_max)
{
	lab_open(&desk->lab, 1 << 20);
	desk->ctx =
		engine_ctx(engine_add(desk->lab.engine, &listener, "listener"));
	engine_start_idle(desk->lab.engine);
	desk->writer = mc_otlp_writer_new(MC_OTLP_SIZE_MIN);
	form_init(&desk->forms, bytes_max);
}

static void close_desk(struct desk *desk)
{
	form_done(&desk->forms);
	mc_otlp_writer_free(desk->writer);
	lab_close(&desk->lab);
}

/* A request of a gauge, and what must come of it. */
static void put(struct desk *desk, const char *sender, const char *instance,
		double level)
{
	struct form_request request = { .host = "peer" };
	struct mc_otlp_result result;
	const struct mc_sample *sample;
	struct mc_otlp_bytes bytes;
	struct mc_batch *batch;
	struct otlp_lab from;

	otlp_lab_open(&from);
	mc_gauge(&from.batch,
		 otlp_series(&from,
			     MC_ID(.host = "far", .plugin = "p",
				   .type_instance = instance),
			     &otlp_gauge),
		 level);
	mc_otlp_write(desk->writer, &from.batch, NULL, &bytes);
	request.bytes = bytes.at;
	request.size = bytes.size;
	batch = mc_begin(desk->ctx);
	assert_true(form_put(&desk->forms, sender, batch, &request, &result));
	assert_int_equal(result.samples, 1);
	assert_null(result.form);
	sample = mc_next(batch, NULL);
	assert_string_equal(mc_type_instance(sample->series), instance);
	assert_true(sample->values[0].gauge == level);
	mc_discard(batch);
	otlp_lab_close(&from);
}

/* The third is read by the form that was learnt from the second. */
static void test_learnt(void **state)
{
	struct desk desk;

	(void)state;
	open_desk(&desk, 1 << 20);
	for (unsigned i = 0; i < 5; i++)
		put(&desk, "a", "one", i);
	assert_int_equal(desk.forms.used, 3);
	put(&desk, "b", "one", 7);
	put(&desk, "a", "longer", 7);
	assert_int_equal(desk.forms.used, 3);
	put(&desk, "a", "one", 7);
	assert_int_equal(desk.forms.used, 4);
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
	assert_int_equal(desk.forms.used, 1);
	for (unsigned i = 0; i < 4; i++)
		put(&desk, "a", "two", i);
	assert_int_equal(desk.forms.used, 3);
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
		assert_in_range(desk.forms.bytes, 1, 20000);
	}
	assert_int_equal(desk.forms.used, 100);
	assert_in_range(desk.forms.names.len, 2, 99);
	close_desk(&desk);

	open_desk(&desk, 0);
	for (unsigned i = 0; i < 5; i++)
		put(&desk, "a", "one", i);
	assert_int_equal(desk.forms.used + desk.forms.names.len, 0);
	close_desk(&desk);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_learnt),
		cmocka_unit_test(test_others_come),
		cmocka_unit_test(test_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
