/* SPDX-License-Identifier: MIT */
/* A writer that has written a batch like it before writes the same bytes as one that is new. */
#include "unit.h"

#include <collector/writer.h>

#include <stdlib.h>

#include "base/clock.h"
#include "engine/otlp/otlp_sort.h"
#include "engine/otlp/otlp_write.h"
#include "engine/store/store.h"
#include "formats/otlp/otlp_message.h"
#include "otlp_fixture.h"

#define SERIES 60

struct bench { /* Series of all kinds, and two writers. */
	struct otlp_lab lab;
	struct mc_otlp_writer *writer;
	struct mc_ctx *ctx; /* Of labels, if they are written. */
	bool rates, conventions;
	unsigned rounds;
};

static int open_bench(void **state)
{
	struct bench *bench = calloc(1, sizeof(*bench));
	const struct mc_type *types[] = { &otlp_gauge, &otlp_octets, &otlp_mixed };
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
static void fill(struct bench *bench, unsigned first, unsigned end, mc_time interval)
{
	struct otlp_lab *lab = &bench->lab;
	union mc_value values[4];

	bench->rounds++;
	batch_begin(&lab->batch, &lab->ctx, OTLP_TIME);
	for (unsigned i = first; i < end; i++) {
		struct mc_stamp stamp = { OTLP_TIME + bench->rounds * interval + i, interval };

		for (unsigned n = 0; n < 4; n++)
			values[n].counter = UINT64_C(0x9e3779b97f4a7c15) *
					    (1000000 * bench->rounds + 10 * i + n);
		mc_put_at(&lab->batch, lab->series[i], stamp, values,
			  mc_type(lab->series[i])->sources_len);
		for (unsigned n = 0; n < lab->batch.last->values_len; n++)
			lab->batch.last->values[lab->batch.last->values_len + n].gauge =
				bench->rounds + i / 100.0 + n;
	}
}

/* Two labels, the second of which says which turn it is. */
static unsigned each_label(struct mc_ctx *ctx, const char *host,
			   void (*visit)(void *argument, const struct mc_field *), void *argument)
{
	const unsigned *turn = ctx->self;
	char text[16];

	if (strcmp(host, "host3") == 0)
		return 0;
	snprintf(text, sizeof(text), "%u", *turn);
	visit(argument, &(struct mc_field){ "site", host });
	visit(argument, &(struct mc_field){ "turn", text });
	return 2;
}

/* Returns in how many requests. */
static unsigned expect_same_in(struct bench *bench, size_t size_max)
{
	const struct mc_batch *batch = &bench->lab.batch;
	const struct mc_sample *last = NULL;
	struct mc_otlp_bytes wanted, got;
	unsigned parts = 0;

	for (; last != batch->last; parts++) {
		struct mc_otlp_writer *fresh = mc_otlp_writer_new(size_max);
		const struct mc_sample *end;

		if (bench->rates)
			otlp_write_rates(fresh);
		if (bench->conventions)
			mc_otlp_writer_conventions(fresh);
		if (bench->ctx != NULL)
			mc_otlp_writer_label(fresh, bench->ctx, each_label);
		end = mc_otlp_write(fresh, batch, last, &wanted);
		assert_ptr_equal(mc_otlp_write(bench->writer, batch, last, &got), end);
		assert_int_equal(got.samples_len, wanted.samples_len);
		assert_int_equal(got.size, wanted.size);
		assert_memory_equal(got.at, wanted.at, wanted.size);
		mc_otlp_writer_free(fresh);
		last = end;
	}
	return parts;
}

static void expect_same(struct bench *bench)
{
	assert_int_equal(expect_same_in(bench, 1 << 20), 1);
}

static void test_again(void **state)
{
	struct bench *bench = *state;

	for (unsigned i = 0; i < 5; i++) {
		fill(bench, 0, SERIES, 10 * MC_SECOND);
		expect_same(bench);
	}
}

/* The rates of all but gauges are read back, bit by bit; those of gauges are not written. */
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
				assert_true(otlp.own.rates[n] == mc_rate(sample, n));
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

/* More series, fewer, none of those before, another interval: never what an old plan says. */
static void test_others(void **state)
{
	static const struct {
		unsigned first, end;
		mc_time interval;
	} rounds[] = {
		{ 0, 30, MC_SECOND },  { 0, 30, MC_SECOND },  { 0, 30, MC_SECOND },
		{ 0, 31, MC_SECOND },  { 0, 29, MC_SECOND },  { 0, 30, MC_SECOND },
		{ 0, 30, 2 },          { 0, 30, MC_SECOND },  { 30, 60, MC_SECOND },
		{ 30, 60, MC_SECOND }, { 30, 60, MC_SECOND }, { 0, 30, MC_SECOND },
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

/* A bounded number of bytes; what was not used for long makes room. */
static void test_limit(void **state)
{
	struct bench *bench = *state;
	struct otlp_encodings encodings = { .size = 0 };
	struct otlp_encoding_part part = { .batch = &bench->lab.batch };
	uint32_t places[SERIES];
	uint16_t changes[7] = { 0 };
	struct otlp_recording recording = { .places = places,
					    .changes = changes,
					    .places_len = 10 };
	unsigned char *huge = calloc(1, OTLP_ENCODING_SIZE + 1);
	struct otlp_labels none = { 0 };
	struct mc_otlp_bytes bytes;
	bool record;

	assert_non_null(huge);
	recording.bytes = (struct mc_otlp_bytes){ huge, OTLP_ENCODING_SIZE - 4000, 7 };
	for (unsigned i = 0; i < SERIES; i++)
		places[i] = 100;
	clock_stop(MC_SECOND, OTLP_TIME);
	for (unsigned i = 0; i < 20; i++) {
		fill(bench, i, i + 30, MC_SECOND);
		for (unsigned n = 0; n < 2; n++) {
			assert_null(otlp_encoding_use(&encodings, &part, &none, &bytes, &record));
			assert_int_equal(record, n > 0);
		}
		otlp_encoding_learn(&encodings, &part, &recording);
		assert_in_range(encodings.size, (i < 8 ? i + 1 : 8) * recording.bytes.size,
				OTLP_ENCODINGS_SIZE);
	}
	assert_null(otlp_encoding_use(&encodings, &part, &none, &bytes, &record));
	clock_step(OTLP_ENCODING_STALE + 1);
	assert_null(otlp_encoding_use(&encodings, &part, &none, &bytes, &record));
	assert_int_equal(encodings.size, 0); /* There is room again. */
	otlp_encoding_learn(&encodings, &part, &recording);
	assert_non_null(otlp_encoding_use(&encodings, &part, &none, &bytes, &record));
	otlp_encoding_done(&encodings);
	assert_int_equal(encodings.size, 0);
	recording.bytes.size = OTLP_ENCODING_SIZE + 1; /* Of one it is too much. */
	otlp_encoding_learn(&encodings, &part, &recording);
	assert_int_equal(encodings.size, 0);
	otlp_encoding_done(&encodings);
	free(huge);
}

/* Hosts come and go, there is room enough: those that are gone are forgotten,
 * not those that are used. */
static void test_churn(void **state)
{
	struct bench *bench = *state;
	struct otlp_encodings encodings = { .size = 0 };
	struct otlp_encoding_part part = { .batch = &bench->lab.batch };
	unsigned char content[1000] = { 0 };
	uint32_t places[SERIES] = { [0 ... SERIES - 1] = 100 };
	uint16_t changes[1] = { 0 };
	struct otlp_recording recording = { .bytes = { content, sizeof(content), 1 },
					    .places = places,
					    .places_len = 10,
					    .changes = changes };
	struct otlp_labels none = { 0 };
	struct mc_otlp_bytes bytes;
	size_t one;
	bool record;

	clock_stop(MC_SECOND, OTLP_TIME);
	fill(bench, 0, 1, MC_SECOND);
	otlp_encoding_learn(&encodings, &part, &recording);
	one = encodings.size;
	for (unsigned i = 1; i < SERIES; i++) {
		clock_step(OTLP_ENCODING_STALE / 4);
		fill(bench, i, i + 1, MC_SECOND);
		otlp_encoding_learn(&encodings, &part, &recording);
		fill(bench, 0, 1, MC_SECOND);
		assert_non_null(otlp_encoding_use(&encodings, &part, &none, &bytes, &record));
		assert_in_range(encodings.size, 2 * one, 7 * one);
	}
	otlp_encoding_done(&encodings);
}

/* Batches that begin and end in the middle of hosts, as packets do. */
static void test_cut(void **state)
{
	struct bench *bench = *state;

	for (unsigned from = 0; from < SERIES; from++) {
		for (unsigned end = from + 1; end <= SERIES; end++) {
			fill(bench, from, end, MC_SECOND);
			expect_same(bench);
		}
	}
	assert_true(bench->writer->encodings.size > 0);
}

static void test_labels(void **state)
{
	static const unsigned turns[] = { 1, 1, 1, 22, 22, 22, 3, 1 };
	struct bench *bench = *state;
	unsigned turn;
	struct mc_ctx ctx = { .self = &turn };

	bench->ctx = &ctx;
	mc_otlp_writer_label(bench->writer, &ctx, each_label);
	for (size_t i = 0; i < sizeof(turns) / sizeof(*turns); i++) {
		turn = turns[i];
		fill(bench, 0, SERIES, MC_SECOND);
		expect_same(bench);
	}
}

/* A batch that needs several requests: each as that of a new writer. */
static void test_parts(void **state)
{
	static char names[OTLP_SERIES_MAX][120];
	struct bench *bench = *state;
	unsigned parts = 0;

	for (unsigned i = SERIES; i < OTLP_SERIES_MAX; i++) {
		snprintf(names[i], sizeof(names[i]), "%0*u", 110, i);
		otlp_series(&bench->lab, MC_ID(.host = "h", .plugin = names[i]), &otlp_mixed);
	}
	mc_otlp_writer_free(bench->writer);
	bench->writer = mc_otlp_writer_new(MC_OTLP_SIZE_MIN);
	for (unsigned i = 0; i < 5; i++) {
		fill(bench, SERIES, i == 3 ? 900 : OTLP_SERIES_MAX, MC_SECOND);
		parts = expect_same_in(bench, MC_OTLP_SIZE_MIN);
	}
	assert_true(parts > 3);
}

/* --- By conventions -------------------------------------------------------- */

static const struct mc_type memory = { .name = "memory",
				       .sources_len = 1,
				       .sources = { { "value", MC_GAUGE, 0, NAN } } };
static const struct mc_type cpu = { .name = "cpu",
				    .sources_len = 1,
				    .sources = { { "value", MC_DERIVE, 0, NAN } } };

/* Hosts with one series each: the points of a metric are in no order. */
static void add_conventional(struct bench *bench, struct store *store)
{
	char host[16];

	for (unsigned i = 0; i < 4; i++) {
		snprintf(host, sizeof(host), "host%u", i);
		otlp_series(&bench->lab,
			    MC_ID(.host = host, .plugin = i % 2 ? "cpu" : "memory",
				  .plugin_instance = i % 2 ? "0" : NULL,
				  .type_instance = i % 2 ? "idle" : "used"),
			    i % 2 ? &cpu : &memory)
			->store = store;
	}
	bench->conventions = true;
	mc_otlp_writer_conventions(bench->writer);
}

static void fill_conventional(struct bench *bench, double used)
{
	struct otlp_lab *lab = &bench->lab;

	bench->rounds++;
	batch_begin(&lab->batch, &lab->ctx, OTLP_TIME);
	for (unsigned i = SERIES; i < SERIES + 4; i++) {
		struct mc_stamp stamp = { OTLP_TIME + bench->rounds * MC_SECOND, MC_SECOND };
		union mc_value value = { .gauge = used };

		if (mc_type(lab->series[i]) == &cpu)
			value.derive = 1000 * bench->rounds + i;
		mc_put_at(&lab->batch, lab->series[i], stamp, &value, 1);
	}
}

static bool is_planned(const struct bench *bench)
{
	bool learn;
	struct mc_otlp_bytes bytes;
	const struct otlp_encoding_part part = { .batch = &bench->lab.batch };

	return otlp_encoding_use(&bench->writer->encodings, &part, &bench->writer->labels, &bytes,
				 &learn) != NULL;
}

/* Whole numbers, others, and unknown ones, under labels that change. */
static void test_conventions(void **state)
{
	static const struct {
		double used;
		unsigned turn;
	} rounds[] = { { 1, 1 },   { 2, 1 },   { 3, 1 },   { 4.5, 1 }, { 0x1p70, 1 },
		       { NAN, 1 }, { NAN, 1 }, { NAN, 1 }, { NAN, 1 }, { 7, 1 },
		       { 8, 22 },  { 9, 22 },  { 10, 22 }, { 11, 3 } };
	struct store *store = store_new(&(struct store_settings){ .limit = 10 });
	struct bench *bench = *state;
	unsigned turn;
	struct mc_ctx ctx = { .self = &turn };

	add_conventional(bench, store);
	bench->ctx = &ctx;
	mc_otlp_writer_label(bench->writer, &ctx, each_label);
	for (size_t i = 0; i < sizeof(rounds) / sizeof(*rounds); i++) {
		turn = rounds[i].turn;
		fill_conventional(bench, rounds[i].used);
		if (i == 3 || i == 8)
			assert_true(is_planned(bench));
		if (i == 5 || i == 13)
			assert_false(is_planned(bench));
		expect_same(bench);
	}
	store_free(store);
}

/* Metadata of a series may change what a convention makes of it. */
static void test_conventions_described(void **state)
{
	struct store *store = store_new(&(struct store_settings){ .limit = 10 });
	struct bench *bench = *state;

	add_conventional(bench, store);
	for (unsigned i = 0; i < 3; i++) {
		fill_conventional(bench, i);
		expect_same(bench);
	}
	assert_true(is_planned(bench));
	atomic_store(&bench->lab.series[SERIES]->described, 1);
	assert_false(is_planned(bench));
	atomic_store(&bench->lab.series[SERIES]->described, 0);
	store_free(store);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_bench, close_bench)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(test_again), TEST(test_others),      TEST(test_name),
		TEST(test_many),  TEST(test_limit),       TEST(test_rates),
		TEST(test_churn), TEST(test_labels),      TEST(test_parts),
		TEST(test_cut),   TEST(test_conventions), TEST(test_conventions_described),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
