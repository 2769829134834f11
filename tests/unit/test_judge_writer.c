/* SPDX-License-Identifier: MIT */
/* Judges that write, too: series that they derive, states that they set, and reports that they
 * get; also by way of the journal. */
#include "judge_fixture.h"

/* Tells of "a" and makes of each value of it one of "twice", which it is never given. */
static int derive(struct mc_ctx *ctx, const struct mc_batch *batch)
{
	struct mc_batch *out = mc_begin(ctx);

	MC_FOR_EACH_SAMPLE (sample, batch) {
		assert_false(is(sample->series, ctx->name));
		all.derived++;
		if (mc_rate(sample, 0) > 100)
			mc_set_state(sample->series, MC_STATE_FAILURE);
		else
			mc_set_state(sample->series, MC_STATE_OKAY);
		mc_put_at(out,
			  mc_series(out, MC_ID(.plugin = "source", .type = "gauge",
					       .type_instance = ctx->name)),
			  (struct mc_stamp){ sample->time, sample->interval },
			  &(union mc_value){ .gauge = 2 * mc_rate(sample, 0) }, 1);
	}
	mc_commit(out);
	return 0;
}

static void ended(struct mc_ctx *ctx, struct mc_series *series, mc_time silent)
{
	unsigned n = all.ended.len;

	(void)ctx;
	snprintf(all.ended.names[n], sizeof(all.ended.names[n]), "%s", mc_type_instance(series));
	all.ended.values[n] = (double)silent * 1e-9;
	all.ended.len = n + 1;
}

static const struct mc_plugin twice_plugin = {
	.api = MC_API,
	.name = "twice",
	.judge = &(const struct mc_judge){ 0 },
	.writer = &(const struct mc_writer){ .write = derive, .ended = ended },
};
/* --- What is derived ----------------------------------------------------- */

static void one_that_derives_does_not_see_its_own(void **state)
{
	(void)state;
	start((const struct mc_plugin *const[]){ &twice_plugin, &csv_plugin, NULL });
	put("a", 1);
	drain(); /* What was committed meanwhile. */
	put("a", 2);
	drain();
	assert_int_equal(all.derived, 2);
	assert_int_equal(all.csv.len, 4);
	assert_true(latest("twice").values[0].gauge == 4);
}

/* Each takes what the other one derives of others, but not of its own. */
static void two_that_derive_do_not_go_on_for_ever(void **state)
{
	struct engine *engine = all.lab.engine;

	(void)state;
	engine_add(engine, &twice_plugin, "one");
	engine_add(engine, &twice_plugin, "two");
	start((const struct mc_plugin *const[]){ &csv_plugin, NULL });
	put("a", 1);
	for (int i = 0; i < 10; i++)
		drain();
	/* Not 4, if one gets what the other has derived of "a" before "a". */
	assert_in_range(all.derived, 3, 4);
	all.csv.len = 0;
}

/* --- States and ends ------------------------------------------------------ */

static struct mc_status status_now(void)
{
	struct mc_status status;

	mc_status(engine_ctx(all.source), &status);
	return status;
}

static void states_are_shown(void **state)
{
	(void)state;
	start((const struct mc_plugin *const[]){ &twice_plugin, &csv_plugin, NULL });
	put("a b", 1);
	assert_int_equal(latest("a").state, MC_STATE_OKAY);
	assert_int_equal(latest("twice").state, MC_STATE_UNKNOWN);
	put("a b", 101);
	put("b", 1);
	assert_int_equal(latest("a").state, MC_STATE_FAILURE);
	assert_int_equal(latest("b").state, MC_STATE_OKAY);
	assert_int_equal(status_now().series_failure, 1);
	assert_int_equal(status_now().series_warning, 0);
	assert_string_equal(mc_state_name(latest("a").state), "FAILURE");
	/* With the series it is forgotten. */
	clock_step(200 * MC_SECOND);
	engine_read_once(all.lab.engine);
	drain();
	assert_int_equal(status_now().series_failure, 0);
}

static void states_go_with_the_judge(void **state)
{
	struct engine *engine = all.lab.engine;
	struct instance *leaving;

	(void)state;
	start((const struct mc_plugin *const[]){ &twice_plugin, &csv_plugin, NULL });
	put("a", 101);
	assert_int_equal(status_now().series_failure, 1);
	leaving = engine->instances.current->instances[2];
	engine_change(engine, &(struct engine_change){ .leaving = &leaving, .leaving_len = 1 },
		      LAB_LIMIT);
	assert_int_equal(status_now().series_failure, 0);
	assert_int_equal(latest("a").state, MC_STATE_UNKNOWN);
}

static void writers_are_told_what_has_ended(void **state)
{
	struct mc_series *series;
	struct mc_batch *batch;

	(void)state;
	start((const struct mc_plugin *const[]){ &twice_plugin, NULL });
	put("a b", 1);
	batch = mc_begin(engine_ctx(all.source));
	series = mc_find_for(batch, "lab/source/gauge-b", 18);
	mc_hold(series);
	mc_series(batch, MC_ID(.type = "gauge", .type_instance = "never"));
	mc_discard(batch);
	drain();
	clock_step(200 * MC_SECOND);
	engine_read_once(all.lab.engine);
	drain();
	assert_int_equal(all.ended.len, 3);
	assert_true(all.ended.values[0] > 199 && all.ended.values[0] < 202);
	all.ended.len = 0;
	put("b", 2);
	engine_read_once(all.lab.engine);
	drain();
	assert_taken(&all.ended, "b=0");
	mc_release(series);
}

/* --- What people ask ------------------------------------------------------ */

static void add_text(void *argument, const char *judge, const char *text)
{
	char *said = argument;

	snprintf(said + strlen(said), 128 - strlen(said), "[%s: %s]", judge, text);
}

static void add_threshold(void *argument, const char *judge, const struct mc_threshold *threshold)
{
	char text[64];

	snprintf(text, sizeof(text), "%s < %g", threshold->id.type, threshold->failure.max);
	add_text(argument, judge, text);
}

static void add_alert(void *argument, const char *judge, const struct mc_alert *alert)
{
	char text[64];

	snprintf(text, sizeof(text), "%s %s", alert->series, alert->reason);
	add_text(argument, judge, text);
}

/* What the judges answer to each question, those without answers left out. */
static void judges_answer(void **state)
{
	struct mc_ctx *ctx = engine_ctx(all.source);
	char explained[128] = "", thresholds[128] = "", alerts[128] = "";
	struct mc_reading *reading;

	(void)state;
	start((const struct mc_plugin *const[]){ &twice_plugin, &judge_plugin, &csv_plugin, NULL });
	put("a", 1);
	reading = mc_read_begin(ctx);
	mc_each_explanation(ctx, mc_find(reading, "lab/source/gauge-a", 18), add_text, explained);
	mc_read_end(reading);
	/* What a judge says is a line. */
	assert_string_equal(explained, "[judge: a is judge]");
	mc_each_threshold(ctx, &MC_ID(.type = "gauge"), add_threshold, thresholds);
	assert_string_equal(thresholds, "[judge: gauge < 10]");
	mc_each_alert(ctx, add_alert, alerts);
	assert_string_equal(alerts, "[judge: lab/source/gauge-a for the test]");
}

/* One that has left, or did not start, is not asked. */
static void only_judges_that_run_answer(void **state)
{
	struct mc_ctx *ctx = engine_ctx(all.source);
	struct instance *leaving;
	char alerts[128] = "";

	(void)state;
	mc_each_alert(ctx, add_alert, alerts); /* There are no instances yet. */
	start((const struct mc_plugin *const[]){ &judge_plugin, &csv_plugin, NULL });
	leaving = all.lab.engine->instances.current->instances[2];
	engine_change(all.lab.engine,
		      &(struct engine_change){ .leaving = &leaving, .leaving_len = 1 }, LAB_LIMIT);
	mc_each_alert(ctx, add_alert, alerts);
	assert_string_equal(alerts, "");
}

/* --- The journal --------------------------------------------------------- */

static void open_journal_again(void)
{
	static const struct journal_settings settings = { FOLDER, JOURNAL_SYNC_INTERVAL, 1 << 24,
							  0 };

	open_with(&settings);
}

static int open_journal(void **state)
{
	if (journal_enter(state) < 0)
		return -1;
	open_journal_again();
	return 0;
}

static int close_journal(void **state)
{
	lab_close(&all.lab);
	return journal_leave(state);
}

static void start_durable(void)
{
	start((const struct mc_plugin *const[]){ &judge_plugin, &csv_plugin, &durable_plugin,
						 NULL });
}

static void by_way_of_the_journal_too(void **state)
{
	(void)state;
	all.only = "csv";
	all.rename = "old";
	all.into = "routed";
	start_durable();
	put("a routed old", 1);
	assert_taken(&all.csv, "a=1 routed=1");
	assert_taken(&all.rrd, "a=1");
	assert_ledger("durable", 1, 0);
}

/* What it has not taken comes from the disk after a restart, when another answer holds. */
static void from_the_journal_too(void **state)
{
	(void)state;
	all.rename = "old";
	all.into = "routed";
	all.rrd.answer = -EAGAIN;
	start_durable();
	for (int i = 1; i <= 3; i++) {
		struct mc_batch *batch = mc_begin(engine_ctx(all.source));

		batch->time += i * MC_SECOND;
		mc_put_gauge(batch, i, .type = "gauge", .type_instance = "a");
		mc_put_gauge(batch, i, .type = "gauge", .type_instance = "old");
		mc_commit(batch);
	}
	lab_close(&all.lab);
	open_journal_again();
	all.rename = "routed";
	all.into = "wrong";
	all.only = "csv";
	start_durable();
	drain();
	assert_taken(&all.rrd, "a=1 a=2 a=3");
	assert_ledger("durable", 3, 0);
}

/* One by one, and the judge knows that they come again. */
static void one_by_one_again(void **state)
{
	(void)state;
	all.each = true;
	all.most = 100;
	all.rrd.answer = -EAGAIN;
	start_durable();
	for (int i = 1; i <= 3; i++) {
		struct mc_batch *batch = mc_begin(engine_ctx(all.source));

		batch->time += i * MC_SECOND;
		mc_put_gauge(batch, i, .type = "gauge", .type_instance = "each");
		mc_commit(batch);
	}
	assert_int_equal(all.samples_routed, 3);
	assert_int_equal(all.samples_again, 0);
	lab_close(&all.lab);
	open_journal_again();
	all.each = true;
	all.most = 10;
	start_durable();
	drain();
	assert_taken(&all.rrd, "each=2 each=4");
	assert_int_equal(all.samples_routed, 3);
	assert_int_equal(all.samples_again, 3);
	assert_int_equal(all.samples_admitted, 0);
}

static void put_each(double value)
{
	struct mc_batch *batch = mc_begin(engine_ctx(all.source));

	clock_step(MC_SECOND);
	batch->time += MC_SECOND;
	mc_put_gauge(batch, value, .type = "gauge", .type_instance = "each");
	mc_commit(batch);
}

/* What a writer gets in the place of a sample it gets from the journal as well,
 * once, and another writer does not, whatever would be decided now. */
static void copies_from_the_journal_too(void **state)
{
	mc_time committed;

	(void)state;
	all.each = true;
	all.most = 1000;
	all.copied_to = "durable";
	all.rrd.answer = -EAGAIN;
	start_durable();
	put_each(1);
	put_each(2);
	committed = all.routed_at;
	lab_close(&all.lab);
	clock_step(1000 * MC_SECOND);
	open_journal_again();
	all.each = true;
	all.copied_to = "csv";
	start_durable();
	drain();
	assert_taken(&all.rrd, "copy=102 copy=104");
	assert_taken(&all.csv, "");
	assert_ledger("durable", 2, 0);
	assert_int_equal(all.samples_again, 2);
	/* When it was new. */
	assert_true(all.routed_at <= committed + MC_SECOND);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_lab, close_lab)
#define JOURNAL_TEST(name) cmocka_unit_test_setup_teardown(name, open_journal, close_journal)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(one_that_derives_does_not_see_its_own),
		TEST(two_that_derive_do_not_go_on_for_ever),
		TEST(states_are_shown),
		TEST(states_go_with_the_judge),
		TEST(writers_are_told_what_has_ended),
		TEST(judges_answer),
		TEST(only_judges_that_run_answer),
		JOURNAL_TEST(by_way_of_the_journal_too),
		JOURNAL_TEST(from_the_journal_too),
		JOURNAL_TEST(one_by_one_again),
		JOURNAL_TEST(copies_from_the_journal_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
