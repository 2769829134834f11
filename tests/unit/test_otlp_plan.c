/* SPDX-License-Identifier: MIT */
/* A writer that has written a batch like it before writes the same bytes as one
 * that is new. */
#include "unit.h"

#include <stdlib.h>

#include "otlp_fixture.h"
#include "wire/otlp.h"
#include "wire/otlp_plan.h"

#define SERIES 60

struct bench { /* Series of all kinds, and two writers. */
	struct otlp_lab lab;
	struct mc_otlp_writer *writer;
	bool rates;
	unsigned rounds;
};

static int open_bench(void **state)
{
	struct bench *bench = calloc(1, sizeof(*bench));
	const struct mc_type *types[] = { &otlp_gauge, &otlp_octets,
					  &otlp_mixed };
	char host[16];

	assert_non_null(bench);
	otlp_lab_open(&bench->lab);
	for (unsigned i = 0; i < SERIES; i++) {
		snprintf(host, sizeof(host), "host%u", i / 7);
		otlp_series(&bench->lab,
			    MC_ID(.host = host, .plugin = i % 2 ? "a" : "b",
				  .plugin_instance = i % 5 ? "x" : NULL,
				  .type_instance = i % 3 ? host : "t"),
			    types[i % 3]);
	}
	bench->writer = mc_otlp_writer_new(1 << 20);
	*state = bench;
	return 0;
}

static int close_bench(void **state)
{
	struct bench *bench = *state;

	mc_otlp_writer_free(bench->writer);
	otlp_lab_close(&bench->lab);
	free(bench);
	return 0;
}

/* Other numbers and another time in each round. */
static void fill(struct bench *bench, unsigned first, unsigned end,
		 mc_time interval)
{
	struct otlp_lab *lab = &bench->lab;
	union mc_value values[4];

	bench->rounds++;
	batch_begin(&lab->batch, &lab->ctx, OTLP_TIME);
	for (unsigned i = first; i < end; i++) {
		struct mc_stamp stamp = {
			OTLP_TIME + bench->rounds * interval + i, interval
		};

		for (unsigned n = 0; n < 4; n++)
			values[n].counter =
				UINT64_C(0x9e3779b97f4a7c15) *
				(1000000 * bench->rounds + 10 * i + n);
		mc_put_at(&lab->batch, lab->series[i], stamp, values,
			  mc_type(lab->series[i])->sources_len);
		for (unsigned n = 0; n < lab->batch.last->values_len; n++)
			lab->batch.last->values[lab->batch.last->values_len + n]
				.gauge = bench->rounds + i / 100.0 + n;
	}
}

static void expect_same(struct bench *bench)
{
	struct mc_otlp_writer *fresh = mc_otlp_writer_new(1 << 20);
	const struct mc_batch *batch = &bench->lab.batch;
	struct mc_otlp_bytes wanted, got;

	if (bench->rates)
		otlp_write_rates(fresh);
	assert_ptr_equal(mc_otlp_write(fresh, batch, NULL, &wanted),
			 batch->last);
	assert_ptr_equal(mc_otlp_write(bench->writer, batch, NULL, &got),
			 batch->last);
	assert_int_equal(got.samples_len, wanted.samples_len);
	assert_int_equal(got.size, wanted.size);
	assert_memory_equal(got.at, wanted.at, wanted.size);
	mc_otlp_writer_free(fresh);
}

static void test_again(void **state)
{
	struct bench *bench = *state;

	for (unsigned i = 0; i < 5; i++) {
		fill(bench, 0, SERIES, 10 * MC_SECOND);
		expect_same(bench);
	}
}

/* The rates of all but gauges are read back, bit by bit; those of gauges are
 * not written. */
static void expect_rates(struct bench *bench)
{
	const struct mc_sample *sample = NULL;
	struct mc_otlp_bytes bytes;
	struct mc_otlp otlp;
	unsigned seen = 0;

	mc_otlp_write(bench->writer, &bench->lab.batch, NULL, &bytes);
	mc_otlp_open(&otlp, bytes.at, bytes.size, false, "");
	while (mc_otlp_next(&otlp) == MC_OTLP_SAMPLE) {
		MC_FOR_EACH_SAMPLE (s, &bench->lab.batch)
			if (strcmp(mc_name(s->series), otlp.name.name) == 0 &&
			    s->time == otlp.stamp.time)
				sample = s;
		assert_non_null(sample);
		for (unsigned n = 0; n < otlp.values_len; n++) {
			if (otlp.kinds[n] == MC_GAUGE)
				assert_true(isnan(otlp.own.rates[n]));
			else
				assert_true(otlp.own.rates[n] ==
					    mc_rate(sample, n));
			seen++;
		}
	}
	assert_true(seen > SERIES);
}

static void test_rates(void **state)
{
	struct bench *bench = *state;

	bench->rates = true;
	otlp_write_rates(bench->writer);
	for (unsigned i = 0; i < 5; i++) {
		fill(bench, 0, SERIES, 10 * MC_SECOND);
		expect_same(bench);
		expect_rates(bench);
	}
}

/* More series, fewer, none of those before, another interval: never what an old
 * plan says. */
static void test_others(void **state)
{
	static const struct {
		unsigned first, end;
		mc_time interval;
	} rounds[] = {
		{ 0, 30, MC_SECOND },  { 0, 30, MC_SECOND },
		{ 0, 30, MC_SECOND },  { 0, 31, MC_SECOND },
		{ 0, 29, MC_SECOND },  { 0, 30, MC_SECOND },
		{ 0, 30, 2 },          { 0, 30, MC_SECOND },
		{ 30, 60, MC_SECOND }, { 30, 60, MC_SECOND },
		{ 30, 60, MC_SECOND }, { 0, 30, MC_SECOND },
		{ 0, 1, MC_SECOND },   { 0, 1, MC_SECOND },
	};
	struct bench *bench = *state;

	for (size_t i = 0; i < sizeof(rounds) / sizeof(*rounds); i++) {
		fill(bench, rounds[i].first, rounds[i].end, rounds[i].interval);
		expect_same(bench);
	}
}

/* Another series where one was: the same address, another name. */
static void test_name(void **state)
{
	struct bench *bench = *state;
	char *name;

	for (unsigned i = 0; i < 3; i++) {
		fill(bench, 0, SERIES, MC_SECOND);
		expect_same(bench);
	}
	name = (char *)(uintptr_t)mc_name(bench->lab.series[SERIES - 1]);
	name[strlen(name) - 1] ^= 1;
	fill(bench, 0, SERIES, MC_SECOND);
	expect_same(bench);
}

/* Far more kinds of batches than there are plans: memory has its limit. */
static void test_many(void **state)
{
	struct bench *bench = *state;

	for (unsigned turn = 0; turn < 3; turn++) {
		for (unsigned i = 0; i + 1 < SERIES; i++) {
			for (unsigned n = 0; n <= turn; n++) {
				fill(bench, i, i + 2, MC_SECOND);
				expect_same(bench);
			}
		}
	}
}

static void test_limit(void **state)
{
	struct bench *bench = *state;
	struct otlp_plans *plans = calloc(1, sizeof(*plans));
	struct mc_otlp_bytes bytes = { .size = OTLP_PLANS_SIZE / 2 - 4000 };
	static uint32_t places[SERIES];
	unsigned char *huge = calloc(1, OTLP_PLANS_SIZE);
	bool learn;

	bytes.at = huge;
	assert_non_null(plans);
	for (unsigned i = 0; i < 20; i++) {
		fill(bench, i, i + 10, MC_SECOND);
		bytes.samples_len = 10;
		learn = false;
		for (unsigned n = 0; n < 2; n++)
			assert_null(otlp_plan_use(plans, &bench->lab.batch,
						  &bytes, &learn));
		assert_true(learn);
		otlp_plan_learn(plans, &bench->lab.batch, &bytes, places, 10);
		assert_true(plans->size > OTLP_PLANS_SIZE / 2 - 4000);
		assert_true(plans->size <= OTLP_PLANS_SIZE);
	}
	bytes.size = OTLP_PLANS_SIZE;
	fill(bench, 40, 50, MC_SECOND);
	otlp_plan_learn(plans, &bench->lab.batch, &bytes, places, 10);
	assert_null(otlp_plan_use(plans, &bench->lab.batch, &bytes, &learn));
	otlp_plan_done(plans);
	assert_int_equal(plans->size, 0);
	free(plans);
	free(huge);
}

#define TEST(name)                                                             \
	cmocka_unit_test_setup_teardown(name, open_bench, close_bench)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(test_again), TEST(test_others), TEST(test_name),
		TEST(test_many),  TEST(test_limit),  TEST(test_rates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
