/* SPDX-License-Identifier: MIT */
/* A request into a batch of a running engine. */
#include "unit.h"

#include "lab.h"

#include "otlp_fixture.h"

static const struct mc_plugin listener = { .api = MC_API, .name = "listener" };

static const struct mc_type counted = { .name = "gauge",
					.sources_len = 1,
					.sources = { { "value", MC_DERIVE, 0, NAN } } };
static const struct mc_type absolute = { .name = "absolute",
					 .sources_len = 1,
					 .sources = { { "value", MC_ABSOLUTE, 0, NAN } } };
static const struct mc_type unheard = { .name = "unheard",
					.sources_len = 1,
					.sources = { { "value", MC_GAUGE, 0, NAN } } };

/* One request with samples of these types, of a value each or two. */
static struct mc_otlp_bytes write_types(struct mc_otlp_writer *writer, struct otlp_lab *from,
					const struct mc_type *const *types)
{
	union mc_value values[2] = { { .counter = 11 }, { .counter = 12 } };
	struct mc_otlp_bytes bytes;

	for (; *types != NULL; types++)
		mc_put(&from->batch, otlp_series(from, MC_ID(.host = "far", .plugin = "p"), *types),
		       values, (*types)->sources_len);
	mc_otlp_write(writer, &from->batch, NULL, &bytes);
	return bytes;
}

/* What does not say them gets this time and an interval of a minute. */
static bool put(struct mc_batch *batch, const void *bytes, size_t size,
		struct mc_otlp_result *result)
{
	struct mc_otlp_owners owners = { 0 };
	const struct mc_otlp_request request = {
		.stamp = { OTLP_TIME, 60 * MC_SECOND },
		.host = "peer",
		.bytes = bytes,
		.size = size,
		.owners = &owners,
	};
	bool fine = mc_otlp_put(batch, &request, result);

	mc_otlp_owners_done(&owners);
	return fine;
}

static bool put_and_record(struct mc_batch *batch, const char *host,
			   const struct mc_otlp_bytes *bytes, struct mc_otlp_result *result)
{
	return mc_otlp_put_record(batch,
				  &(struct mc_otlp_request){
					  .stamp = { 1, 2 },
					  .host = host,
					  .bytes = bytes->at,
					  .size = bytes->size,
				  },
				  result);
}

static void test_put(void **state)
{
	static const struct mc_type *const types[] = { &otlp_gauge, &otlp_octets, &counted,
						       &unheard, NULL };
	struct mc_otlp_writer *writer = mc_otlp_writer_new(MC_OTLP_SIZE_MIN);
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
	assert_true(put(batch, bytes.at, bytes.size, &result));
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
	assert_false(put(batch, bytes.at, bytes.size - 1, &result));
	assert_string_equal(result.why, "not in the form of protobuf");
	mc_discard(batch);
	otlp_lab_close(&from);
	mc_otlp_writer_free(writer);
	lab_close(&lab);
}

/* A batch of a listener in an engine that was started. */
static struct mc_batch *open_lab(struct lab *lab)
{
	struct mc_ctx *ctx;

	lab_open(lab, 1 << 20);
	ctx = engine_ctx(engine_add(lab->engine, &listener, "listener"));
	engine_start_idle(lab->engine);
	return mc_begin(ctx);
}

/* What a foreign sender leaves open. */
static void test_stamp(void **state)
{
	struct otlp_message point = { .size = 0 }, data = { .size = 0 };
	struct otlp_message metric = { .size = 0 }, resource = { .size = 0 };
	struct otlp_message request;
	struct mc_otlp_result result;
	const struct mc_sample *sample;
	struct mc_batch *batch;
	struct lab lab;

	(void)state;
	batch = open_lab(&lab);
	otlp_add_double(&point, 4, 2.5);
	otlp_add_message(&data, 1, &point);
	otlp_add_text(&metric, 1, "load");
	otlp_add_text(&metric, 3, "By");
	otlp_add_message(&metric, 5, &data);
	otlp_request(&request, &resource, "", &metric);
	assert_true(put(batch, request.at, request.size, &result));
	assert_int_equal(result.samples, 1);
	assert_int_equal(result.rejected, 0);
	assert_null(result.why);
	sample = mc_next(batch, NULL);
	assert_string_equal(mc_name(sample->series), "peer/otlp-load/gauge");
	assert_string_equal(mc_type(sample->series)->unit, "bytes");
	assert_string_equal(mc_type(sample->series)->name, "gauge");
	assert_true(sample->values[0].gauge == 2.5);
	assert_true(sample->time == OTLP_TIME);
	assert_int_equal(sample->interval, 60 * MC_SECOND);
	mc_discard(batch);
	lab_close(&lab);
}

/* The metric of a resource on a system of that version, as a request of its own. */
static void add_request(struct otlp_message *to, struct otlp_message *resource,
			const struct otlp_message *metric, const char *version)
{
	struct otlp_message request;

	otlp_add_pair(resource, 1, "os.version", version);
	otlp_request(&request, resource, "", metric);
	otlp_add(to, request.at, request.size);
}

/* A gauge of a container, as a request of its own. */
static void add_container(struct otlp_message *to, const char *name, const char *version,
			  double level)
{
	struct otlp_message point = { .size = 0 }, data = { .size = 0 };
	struct otlp_message metric = { .size = 0 }, resource = { .size = 0 };

	otlp_add_pair(&resource, 1, "host.name", "dock1");
	otlp_add_fixed(&point, 3, OTLP_TIME);
	otlp_add_double(&point, 4, level);
	otlp_add_message(&data, 1, &point);
	otlp_add_text(&metric, 1, "container.memory.usage");
	otlp_add_message(&metric, 5, &data);
	otlp_add_pair(&resource, 1, "container.name", name);
	add_request(to, &resource, &metric, version);
}

/* Two containers are two series; two resources that differ in what is not part
 * of the name are one, so the second has none. */
static void test_resources(void **state)
{
	struct otlp_message request = { .size = 0 };
	struct mc_otlp_result result;
	const struct mc_sample *sample;
	struct mc_batch *batch;
	struct lab lab;

	(void)state;
	batch = open_lab(&lab);
	add_container(&request, "nginx", "12", 10);
	add_container(&request, "mysql", "12", 900);
	add_container(&request, "nginx", "13", 11);
	add_container(&request, "nginx", "12", 12);
	assert_true(put(batch, request.at, request.size, &result));
	assert_int_equal(result.samples, 3);
	assert_int_equal(result.rejected, 1);
	assert_string_equal(result.why, "another resource of the request has that series");
	sample = mc_next(batch, NULL);
	assert_string_equal(mc_name(sample->series), "dock1/otlp-container.memory.usage/"
						     "gauge-container.name=nginx");
	assert_true(sample->values[0].gauge == 10);
	sample = mc_next(batch, sample);
	assert_string_equal(mc_name(sample->series), "dock1/otlp-container.memory.usage/"
						     "gauge-container.name=mysql");
	assert_true(sample->values[0].gauge == 900);
	sample = mc_next(batch, sample);
	assert_true(sample->values[0].gauge == 12);
	assert_null(mc_next(batch, sample));
	mc_discard(batch);
	lab_close(&lab);
}

/* A histogram of a count and one bucket. */
static void add_histogram(struct otlp_message *to, const char *version)
{
	struct otlp_message point = { .size = 0 }, data = { .size = 0 };
	struct otlp_message metric = { .size = 0 }, resource = { .size = 0 };

	otlp_add_pair(&resource, 1, "host.name", "dock1");
	otlp_add_fixed(&point, 3, OTLP_TIME);
	otlp_add_fixed(&point, 4, 3);
	otlp_add_fixed(&point, 6, 1);
	otlp_add_fixed(&point, 6, 2);
	otlp_add_double(&point, 7, 0.5);
	otlp_add_message(&data, 1, &point);
	otlp_add_number(&data, 2, 2);
	otlp_add_text(&metric, 1, "latency");
	otlp_add_text(&metric, 3, "s");
	otlp_add_message(&metric, 9, &data);
	add_request(to, &resource, &metric, version);
}

/* A point is several samples; if these are refused it is one point that is. */
static void test_histogram(void **state)
{
	struct otlp_message request = { .size = 0 };
	struct mc_otlp_result result;
	const struct mc_sample *sample;
	struct mc_batch *batch;
	struct lab lab;

	(void)state;
	batch = open_lab(&lab);
	add_histogram(&request, "12");
	add_histogram(&request, "13");
	assert_true(put(batch, request.at, request.size, &result));
	assert_int_equal(result.samples, 2);
	assert_int_equal(result.rejected, 1);
	assert_string_equal(result.why, "another resource of the request has that series");
	sample = mc_next(batch, NULL);
	assert_string_equal(mc_name(sample->series), "dock1/otlp-latency_count/derive");
	assert_int_equal(sample->values[0].derive, 3);
	sample = mc_next(batch, sample);
	assert_string_equal(mc_name(sample->series), "dock1/otlp-latency_bucket/derive-le=0.5");
	assert_int_equal(sample->values[0].derive, 1);
	assert_null(mc_next(batch, sample));
	mc_discard(batch);
	lab_close(&lab);
}

/* --- By template --------------------------------------------------------- */

struct desk { /* A request of some of our own series, and its reader. */
	struct lab lab;
	struct mc_ctx *ctx;
	struct otlp_lab from;
	struct mc_otlp_writer *writer;
	struct mc_otlp_bytes bytes;
};

static void open_desk(struct desk *desk)
{
	static const struct mc_type *const types[] = { &otlp_gauge, &otlp_octets, &absolute, NULL };

	lab_open(&desk->lab, 1 << 20);
	desk->ctx = engine_ctx(engine_add(desk->lab.engine, &listener, "listener"));
	engine_start_idle(desk->lab.engine);
	otlp_lab_open(&desk->from);
	desk->writer = mc_otlp_writer_new(MC_OTLP_SIZE_MIN);
	desk->bytes = write_types(desk->writer, &desk->from, types);
}

static void close_desk(struct desk *desk)
{
	otlp_lab_close(&desk->from);
	mc_otlp_writer_free(desk->writer);
	lab_close(&desk->lab);
}

static struct mc_otlp_template *record(struct desk *desk)
{
	struct mc_batch *batch = mc_begin(desk->ctx);
	struct mc_otlp_result result;

	assert_true(put_and_record(batch, "peer", &desk->bytes, &result));
	assert_int_equal(result.samples, 3);
	assert_non_null(result.template);
	mc_discard(batch);
	return result.template;
}

static void assert_same_samples(const struct mc_batch *a, const struct mc_batch *b)
{
	const struct mc_sample *one = NULL, *two = NULL;

	for (;;) {
		one = mc_next(a, one);
		two = mc_next(b, two);
		if (one == NULL || two == NULL)
			break;
		assert_ptr_equal(one->series, two->series);
		assert_true(one->time == two->time);
		assert_true(one->interval == two->interval);
		assert_int_equal(one->values_len, two->values_len);
		assert_memory_equal(one->values, two->values,
				    one->values_len * sizeof(*one->values));
	}
	assert_null(one);
	assert_null(two);
}

/* Whatever bit is turned: either it does not match, or what comes of it is
 * what comes of reading all of it. */
static void test_any_bit(void **state)
{
	unsigned char bytes[MC_OTLP_SIZE_MIN];
	struct mc_otlp_result by_template, by_reading;
	struct mc_otlp_template *template;
	struct mc_batch *one, *two;
	struct desk desk;
	unsigned known = 0;

	(void)state;
	open_desk(&desk);
	template = record(&desk);
	assert_in_range(mc_otlp_template_size(template), desk.bytes.size, 8192);
	for (size_t i = 0; i < desk.bytes.size * 8; i++) {
		memcpy(bytes, desk.bytes.at, desk.bytes.size);
		bytes[i / 8] ^= (unsigned char)(1 << i % 8);
		one = mc_begin(desk.ctx);
		two = mc_begin(desk.ctx);
		if (mc_otlp_put_as(one, template, bytes, desk.bytes.size, &by_template)) {
			known++;
			assert_true(put(two, bytes, desk.bytes.size, &by_reading));
			assert_int_equal(by_template.samples, by_reading.samples);
			assert_int_equal(by_template.rejected, 0);
			assert_true(by_template.newest == by_reading.newest);
			assert_true(by_template.interval == by_reading.interval);
		}
		assert_same_samples(one, two);
		mc_discard(one);
		mc_discard(two);
	}
	/* Four values, the times of the two samples that have one value, but
	 * for the sign, and the start of one. */
	assert_int_equal(known, 4 * 64 + 2 * 63 + 64);
	mc_otlp_template_free(template);
	close_desk(&desk);
}

static void test_other_sizes(void **state)
{
	struct mc_otlp_result result;
	struct mc_otlp_template *template;
	struct mc_batch *batch;
	struct desk desk;

	(void)state;
	open_desk(&desk);
	template = record(&desk);
	batch = mc_begin(desk.ctx);
	assert_false(mc_otlp_put_as(batch, template, desk.bytes.at, desk.bytes.size - 1, &result));
	assert_false(mc_otlp_put_as(batch, template, "", 0, &result));
	assert_true(mc_otlp_put_as(batch, template, desk.bytes.at, desk.bytes.size, &result));
	assert_int_equal(result.samples, 3);
	mc_discard(batch);
	mc_otlp_template_free(template);
	close_desk(&desk);
}

/* What is rejected, or broken; see test_otlp_template for what takes its host from the caller. */
static void test_no_template(void **state)
{
	static const struct mc_type *const types[] = { &otlp_gauge, &unheard, NULL };
	struct mc_otlp_result result;
	struct mc_batch *batch;
	struct desk desk;

	(void)state;
	open_desk(&desk);
	batch = mc_begin(desk.ctx);
	desk.bytes.size--;
	assert_false(put_and_record(batch, "peer", &desk.bytes, &result));
	desk.bytes.size++;
	assert_null(result.template);
	assert_true(put_and_record(batch, "far", &desk.bytes, &result));
	assert_int_equal(result.samples, 3);
	assert_non_null(result.template); /* It says who it is: so does its caller. */
	mc_otlp_template_free(result.template);
	desk.bytes = write_types(desk.writer, &desk.from, types);
	assert_true(put_and_record(batch, "peer", &desk.bytes, &result));
	assert_int_equal(result.rejected, 1);
	assert_null(result.template);
	mc_discard(batch);
	close_desk(&desk);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_put),         cmocka_unit_test(test_stamp),
		cmocka_unit_test(test_resources),   cmocka_unit_test(test_histogram),
		cmocka_unit_test(test_any_bit),     cmocka_unit_test(test_other_sizes),
		cmocka_unit_test(test_no_template),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
