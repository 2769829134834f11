/* SPDX-License-Identifier: MIT */
/* Samples that come after newer ones: only writers that take the past get them. */
#include "judge_fixture.h"

static int accept_ten(struct mc_ctx *ctx)
{
	mc_accept_late(ctx, 10 * MC_SECOND);
	return 0;
}

static int accept_all(struct mc_ctx *ctx)
{
	mc_accept_late(ctx, INT64_MAX);
	return 0;
}

static void admit_late(struct mc_ctx *ctx, const struct mc_series *series,
		       struct mc_admission *admission)
{
	(void)ctx;
	(void)series;
	mc_admit_each(admission);
}

/* Those that are negative. */
static void find_late(struct mc_ctx *ctx, struct mc_arrivals *arrivals)
{
	(void)ctx;
	for (size_t i = 0; i < arrivals->len; i++)
		if (arrivals->samples[i]->values[0].gauge < 0)
			mc_admit_late_sample(arrivals, i, "is late");
}

static void keep_from_csv(struct mc_ctx *ctx, const struct mc_series *series,
			  struct mc_route *route)
{
	(void)ctx;
	if (all.nobody && is(series, "b"))
		mc_route_to(route, "rrd");
}

static const struct mc_plugin late_judge = {
	.api = MC_API,
	.name = "judge",
	.judge = &(const struct mc_judge){ .admit = admit_late,
					   .admit_samples = find_late,
					   .route = keep_from_csv },
};
static const struct mc_plugin past_csv = {
	.api = MC_API,
	.name = "csv",
	.start = accept_ten,
	.writer = &(const struct mc_writer){ .write = take },
};
static const struct mc_plugin past_durable = {
	.api = MC_API,
	.name = "durable",
	.start = accept_all,
	.writer = &(const struct mc_writer){ .write = take, .durable = true },
	.wants_journal = true,
};

static struct mc_rejected rejected;

/* Samples of that age. */
static void put_aged(const char *names, double value, mc_time age)
{
	struct mc_batch *batch = mc_begin(engine_ctx(all.source));
	char copy[64], *rest = NULL;

	clock_step(MC_SECOND);
	batch->time += MC_SECOND;
	mc_count_rejected(batch, &rejected);
	snprintf(copy, sizeof(copy), "%s", names);
	for (char *name = strtok_r(copy, " ", &rest); name != NULL;
	     name = strtok_r(NULL, " ", &rest)) {
		union mc_value values = { .gauge = value };

		mc_put_at(batch, mc_series(batch, MC_ID(.type = "gauge", .type_instance = name)),
			  (struct mc_stamp){ batch->time - age, MC_SECOND }, &values, 1);
	}
	mc_commit(batch);
	if (all.rrd.answer == 0)
		drain();
}

static struct mc_status status(void)
{
	struct mc_status status;

	mc_status(engine_ctx(all.source), &status);
	return status;
}

static void only_writers_of_the_past_get_them(void **state)
{
	(void)state;
	start((const struct mc_plugin *const[]){ &late_judge, &past_csv, &rrd_plugin, NULL });
	put_aged("a b", 1, 0);
	assert_taken(&all.csv, "a=1 b=1");
	put_aged("a b", -1, 5 * MC_SECOND);
	assert_int_equal(rejected.samples, 0);
	assert_taken(&all.csv, "a=-1 b=-1");
	assert_taken(&all.rrd, "a=1 b=1");
	assert_true(latest("a").values[0].gauge == 1);
	put_aged("a", 2, 0); /* The store goes on. */
	assert_taken(&all.csv, "a=2");
	assert_taken(&all.rrd, "a=2");
	assert_int_equal(status().samples, 3);
	assert_int_equal(status().samples_late, 2);
	assert_int_equal(status().samples_refused, 0);
	assert_ledger("csv", 5, 0);
	assert_ledger("rrd", 3, 0);
}

static void too_late(void **state)
{
	(void)state;
	start((const struct mc_plugin *const[]){ &late_judge, &past_csv, &rrd_plugin, NULL });
	put_aged("a b", 1, 0);
	put_aged("a b", -1, 11 * MC_SECOND);
	assert_int_equal(rejected.samples, 2);
	assert_string_equal(rejected.why, "is late");
	assert_string_equal(rejected.series, "lab/source/gauge-a");
	put_aged("a", -1, -2 * MC_AHEAD_MAX); /* Nor is it of the past. */
	assert_int_equal(rejected.samples, 1);
	assert_taken(&all.csv, "a=1 b=1");
	assert_int_equal(status().samples, 2);
	assert_int_equal(status().samples_late, 0);
	assert_int_equal(status().samples_refused, 3);
}

static void nobody_takes_them(void **state)
{
	(void)state;
	start((const struct mc_plugin *const[]){ &late_judge, &csv_plugin, NULL });
	put_aged("a", -1, MC_SECOND);
	assert_int_equal(rejected.samples, 1);
	assert_taken(&all.csv, "");
}

static void routes_hold_for_them(void **state)
{
	(void)state;
	all.nobody = true;
	start((const struct mc_plugin *const[]){ &late_judge, &past_csv, &rrd_plugin, NULL });
	put_aged("a b", -1, MC_SECOND);
	assert_taken(&all.csv, "a=-1");
	assert_taken(&all.rrd, "");
	assert_int_equal(rejected.samples, 1);
	assert_string_equal(rejected.series, "lab/source/gauge-b");
}

/* --- The journal --------------------------------------------------------- */

static int open_journal(void **state)
{
	static const struct journal_settings settings = { FOLDER, JOURNAL_SYNC_INTERVAL, 1 << 24,
							  0 };

	if (journal_enter(state) < 0)
		return -1;
	open_with(&settings);
	return 0;
}

static int close_journal(void **state)
{
	lab_close(&all.lab);
	return journal_leave(state);
}

static void from_the_journal_too(void **state)
{
	static const struct journal_settings settings = { FOLDER, JOURNAL_SYNC_INTERVAL, 1 << 24,
							  0 };

	(void)state;
	all.rrd.answer = -EAGAIN;
	start((const struct mc_plugin *const[]){ &late_judge, &csv_plugin, &past_durable, NULL });
	put_aged("a", 1, 0);
	put_aged("a", -1, 100 * MC_SECOND);
	assert_int_equal(rejected.samples, 0);
	lab_close(&all.lab);
	clock_step(1000 * MC_SECOND);
	open_with(&settings);
	start((const struct mc_plugin *const[]){ &late_judge, &csv_plugin, &past_durable, NULL });
	drain();
	assert_taken(&all.rrd, "a=1 a=-1");
	assert_taken(&all.csv, "");
	assert_ledger("durable", 2, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_lab, close_lab)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(only_writers_of_the_past_get_them),
		TEST(too_late),
		TEST(nobody_takes_them),
		TEST(routes_hold_for_them),
		cmocka_unit_test_setup_teardown(from_the_journal_too, open_journal, close_journal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
