/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include <errno.h>
#include <poll.h>

#include <collector/private/status.h>

#include "base/thread.h"
#include "engine/change/clock_steps.h"
#include "lab.h"

static struct lab lab;

static int open_lab(void **state)
{
	(void)state;
	lab_open(&lab, 1 << 20);
	return 0;
}

static int close_lab(void **state)
{
	(void)state;
	lab_close(&lab);
	return 0;
}

/* --- Instances -------------------------------------------------------- */

static int refuse_to_start(struct mc_ctx *ctx)
{
	return mc_fail(ctx, EACCES, "cannot open '%s'", "/x");
}

static unsigned stops;

static void count_stop(struct mc_ctx *ctx)
{
	(void)ctx;
	stops++;
}

static const struct mc_plugin broken_plugin = {
	.api = MC_API, .name = "broken", .start = refuse_to_start, .stop = count_stop
};

static void an_instance_that_does_not_start_is_left_out(void **state)
{
	(void)state;
	engine_add(lab.engine, &broken_plugin, "broken");
	assert_int_equal(engine_start(lab.engine), 1);
	assert_non_null(strstr(lab.log, "broken: cannot open '/x': Permission denied\n"
					"broken: not started\n"));
}

static void a_start_that_fails_is_followed_by_one_stop(void **state)
{
	(void)state;
	stops = 0;
	engine_add(lab.engine, &broken_plugin, "broken");
	assert_int_equal(engine_start(lab.engine), 1);
	assert_int_equal(stops, 1);
	assert_true(engine_stop(lab.engine, LAB_LIMIT));
	assert_int_equal(stops, 1);
}

static void what_was_never_started_is_not_stopped(void **state)
{
	(void)state;
	stops = 0;
	engine_drop(engine_prepare(lab.engine, &broken_plugin, "broken"));
	assert_int_equal(stops, 0);
}

static int judge_options(struct mc_ctx *ctx)
{
	return mc_fail(ctx, 0, "Format: '%s' is none of: a b", "c");
}

static const struct mc_plugin judging_plugin = { .api = MC_API,
						 .name = "judging",
						 .start = judge_options };

static void a_verdict_stands_alone(void **state)
{
	(void)state;
	engine_add(lab.engine, &judging_plugin, "judging");
	assert_int_equal(engine_start(lab.engine), 1);
	assert_non_null(strstr(lab.log, "judging: Format: 'c' is none of: a b\n"
					"judging: not started\n"));
}

static int run_until_stop(struct mc_ctx *ctx)
{
	struct pollfd fd = { .fd = mc_stop_fd(ctx), .events = POLLIN };
	struct mc_batch *batch = mc_begin(ctx);

	mc_put_gauge(batch, 3, .type = "gauge");
	mc_commit(batch);
	return poll(&fd, 1, -1) == 1 ? 0 : -EIO;
}

static const struct mc_plugin runner_plugin = { .api = MC_API,
						.name = "runner",
						.run = run_until_stop };

static void run_ends_at_the_stop(void **state)
{
	struct instance *runner = engine_add(lab.engine, &runner_plugin, "runner");

	(void)state;
	assert_int_equal(engine_start(lab.engine), 0);
	assert_true(engine_stop(lab.engine, LAB_LIMIT));
	assert_int_equal(runner->samples, 1);
	assert_string_equal(engine_ctx(runner)->host, "lab");
}

static int run_and_fail(struct mc_ctx *ctx)
{
	mc_count_failure(ctx);
	mc_count_failure(ctx);
	return run_until_stop(ctx);
}

static const struct mc_plugin failing_plugin = { .api = MC_API,
						 .name = "failing",
						 .run = run_and_fail };

static void note_failures(void *argument, const struct mc_reader_status *status)
{
	*(uint64_t *)argument += status->failures;
}

static void what_run_tries_counts_its_failures(void **state)
{
	struct instance *failing = engine_add(lab.engine, &failing_plugin, "failing");
	uint64_t failures = 0;

	(void)state;
	assert_int_equal(engine_start(lab.engine), 0);
	assert_true(engine_stop(lab.engine, LAB_LIMIT));
	mc_each_reader(engine_ctx(failing), note_failures, &failures);
	assert_int_equal(failures, 2);
}

static int run_for_ever(struct mc_ctx *ctx)
{
	struct pollfd never = { .fd = -1 };

	(void)ctx;
	while (true)
		poll(&never, 1, -1);
	return 0;
}

static const struct mc_plugin stubborn_plugin = { .api = MC_API,
						  .name = "stubborn",
						  .run = run_for_ever };

static void a_stop_leaves_behind_what_does_not_end(void **state)
{
	mc_time begun = thread_time();

	(void)state;
	engine_add(lab.engine, &stubborn_plugin, "stubborn");
	assert_int_equal(engine_start(lab.engine), 0);
	lab.hangs = true;
	assert_false(engine_stop(lab.engine, MC_SECOND / 2));
	assert_true(thread_time() - begun < LAB_LIMIT / 4);
	assert_non_null(strstr(lab.log, "stubborn: its thread does not end"));
}

/* --- Series ----------------------------------------------------------- */

static const struct mc_plugin plain_plugin = { .api = MC_API, .name = "plain" };

static void series_that_cannot_be_are_refused_with_a_reason(void **state)
{
	struct instance *plain = engine_add(lab.engine, &plain_plugin, "plain");
	struct mc_batch *batch;

	(void)state;
	engine_start_idle(lab.engine);
	batch = mc_begin(engine_ctx(plain));
	assert_null(mc_series(batch, MC_ID(.type = "no_such_type")));
	assert_null(mc_series(batch, MC_ID(.host = "..", .type = "gauge")));
	assert_null(mc_series(batch, MC_ID(.type = NULL)));
	mc_gauge(batch, NULL, 1);
	mc_commit(batch);
	assert_int_equal(plain->refused, 1);
	assert_string_equal(lab.log, "plain: series 'lab/plain/no_such_type' is "
				     "refused: it has a type that no types.db knows\n");
}

static void named_series_are_the_same_as_described_ones(void **state)
{
	struct mc_name_parts parts = { .name = "h/p-a/gauge-x",
				       .host_size = 1,
				       .plugin_size = 1,
				       .plugin_instance_size = 1,
				       .type_size = 5,
				       .type_instance_size = 1 };
	struct instance *plain = engine_add(lab.engine, &plain_plugin, "plain");
	struct mc_series *series;
	struct mc_batch *batch;

	(void)state;
	engine_start_idle(lab.engine);
	batch = mc_begin(engine_ctx(plain));
	series = mc_series_named(batch, &parts);
	assert_string_equal(mc_name(series), "h/p-a/gauge-x");
	assert_string_equal(mc_plugin_instance(series), "a");
	assert_ptr_equal(mc_series(batch, (struct mc_id){ "h", "p", "a", "gauge", "x" }), series);
	assert_ptr_equal(mc_find_for(batch, "h/p-a/gauge-x", 13), series);
	mc_discard(batch);
}

/* It leaves the table, but its memory stays: under ASan a name that is freed is seen. */
static void a_series_lives_while_it_is_read(void **state)
{
	struct mc_ctx *ctx = engine_ctx(engine_add(lab.engine, &plain_plugin, "plain"));
	struct mc_reading *reading, *later;
	struct mc_series *series;
	struct mc_latest latest;
	struct mc_batch *batch;

	(void)state;
	engine_start_idle(lab.engine);
	batch = mc_begin(ctx);
	mc_put_gauge(batch, 5, .type = "gauge");
	mc_commit(batch);
	reading = mc_read_begin(ctx);
	series = mc_find(reading, "lab/plain/gauge", 15);
	assert_non_null(series);
	for (unsigned i = 0; i < 2; i++) {
		clock_step(200 * MC_SECOND);
		engine_read_once(lab.engine);
	}
	later = mc_read_begin(ctx);
	assert_null(mc_find(later, "lab/plain/gauge", 15));
	mc_read_end(later);
	assert_string_equal(mc_name(series), "lab/plain/gauge");
	mc_latest(reading, series, &latest);
	assert_true(latest.values[0].gauge == 5);
	mc_read_end(reading);
}

#define NAMES_SIZE 200

static bool note(void *argument, struct mc_series *series, const struct mc_latest *latest)
{
	char *names = argument;
	size_t size = strlen(names);

	assert_int_equal(latest->values_len, 1);
	snprintf(names + size, NAMES_SIZE - size, "%s ", mc_name(series));
	return true;
}

static void series_are_listed_by_name_and_glob(void **state)
{
	struct instance *plain = engine_add(lab.engine, &plain_plugin, "plain");
	char names[NAMES_SIZE] = "";
	struct mc_batch *batch;

	(void)state;
	engine_start_idle(lab.engine);
	batch = mc_begin(engine_ctx(plain));
	for (const char *instance = "cab"; *instance != '\0'; instance++) {
		char text[2] = { *instance, '\0' };

		mc_put_gauge(batch, 1, .plugin_instance = text, .type = "gauge");
	}
	mc_series(batch, MC_ID(.type = "percent")); /* Never gets a value. */
	mc_commit(batch);
	assert_int_equal(mc_each_series(engine_ctx(plain), NULL, note, names), 3);
	assert_string_equal(names, "lab/plain-a/gauge lab/plain-b/gauge lab/plain-c/gauge ");
	names[0] = '\0';
	assert_int_equal(mc_each_series(engine_ctx(plain), "*-b/*", note, names), 1);
	assert_string_equal(names, "lab/plain-b/gauge ");
}

static bool count(void *argument, struct mc_series *series, const struct mc_latest *latest)
{
	(void)series;
	*(double *)argument += latest->values[0].gauge;
	return true;
}

/* Series 0 to 499, whose values are their numbers. */
static void make_many(struct mc_ctx *ctx)
{
	struct mc_batch *batch = mc_begin(ctx);

	for (int i = 0; i < 500; i++) {
		char number[8];

		snprintf(number, sizeof(number), "%03d", i * 7 % 500);
		mc_put_gauge(batch, i * 7 % 500, .plugin_instance = number, .type = "gauge");
	}
	mc_commit(batch);
}

static void a_page_of_series_is_by_name(void **state)
{
	struct instance *plain = engine_add(lab.engine, &plain_plugin, "plain");
	struct mc_series_page page = { .offset = 1, .limit = 2 };
	char names[NAMES_SIZE] = "";
	double sum = 0;

	(void)state;
	engine_start_idle(lab.engine);
	make_many(engine_ctx(plain));
	assert_int_equal(mc_page_series(engine_ctx(plain), &page, note, names), 500);
	assert_string_equal(names, "lab/plain-001/gauge lab/plain-002/gauge ");
	names[0] = '\0';
	page.offset = 499;
	assert_int_equal(mc_page_series(engine_ctx(plain), &page, note, names), 500);
	assert_string_equal(names, "lab/plain-499/gauge ");
	names[0] = '\0';
	page = (struct mc_series_page){ .glob = "*-4*", .limit = 1 };
	assert_int_equal(mc_page_series(engine_ctx(plain), &page, note, names), 100);
	assert_string_equal(names, "lab/plain-400/gauge ");
	page = (struct mc_series_page){ .offset = 500, .limit = SIZE_MAX };
	assert_int_equal(mc_page_series(engine_ctx(plain), &page, note, names), 500);
	mc_scan_series(engine_ctx(plain), NULL, count, &sum);
	assert_float_equal(sum, 499 * 250, 0);
}

static void the_engine_reports_on_itself_if_asked(void **state)
{
	(void)state;
	lab.engine->internal_stats = true;
	engine_start_idle(lab.engine);
	engine_read_once(lab.engine);
	/* Of collectd's three only 'derive' is a type of this test. */
	assert_int_equal(engine_series(lab.engine), 1);
}

static atomic_bool sink_ready, source_was_early;

static int start_sink(struct mc_ctx *ctx)
{
	(void)ctx;
	sink_ready = true;
	return 0;
}

static int run_source(struct mc_ctx *ctx)
{
	source_was_early = !sink_ready;
	return run_until_stop(ctx);
}

static int take_nothing(struct mc_ctx *ctx, const struct mc_batch *batch)
{
	(void)ctx;
	(void)batch;
	return 0;
}

static const struct mc_plugin sink_plugin = {
	.api = MC_API,
	.name = "sink",
	.start = start_sink,
	.writer = &(const struct mc_writer){ .write = take_nothing },
};
static const struct mc_plugin both_ways_plugin = {
	.api = MC_API,
	.name = "both",
	.writer = &(const struct mc_writer){ .write = take_nothing, .on_request = true },
	.run = run_source,
};

/* A socket that also sends may bring values as soon as it runs. */
static void nothing_runs_before_all_is_started(void **state)
{
	(void)state;
	engine_add(lab.engine, &both_ways_plugin, "both");
	engine_add(lab.engine, &sink_plugin, "sink");
	assert_int_equal(engine_start(lab.engine), 0);
	assert_true(engine_stop(lab.engine, LAB_LIMIT));
	assert_true(sink_ready);
	assert_false(source_was_early);
}

static void silence_becomes_a_notification(void **state)
{
	struct instance *plain = engine_add(lab.engine, &plain_plugin, "plain");
	struct mc_batch *batch;

	(void)state;
	engine_start_idle(lab.engine);
	batch = mc_begin(engine_ctx(plain));
	mc_put_gauge(batch, 1, .type = "gauge");
	mc_commit(batch);
	clock_step(2 * LAB_INTERVAL + MC_SECOND);
	engine_read_once(lab.engine);
	assert_int_equal(lab.engine->notifications, 1);
	assert_int_equal(engine_series(lab.engine), 0);
}

static void a_clock_that_is_set_is_seen(void **state)
{
	struct clock_steps steps = { 0 };
	mc_time now = 50 * MC_SECOND, wall = 1000 * MC_SECOND, by = 0;

	(void)state;
	assert_false(clock_steps_seen(&steps, now, wall, &by));
	assert_false(clock_steps_seen(&steps, now + 10 * MC_SECOND, wall + 14 * MC_SECOND, &by));
	assert_true(clock_steps_seen(&steps, now + 20 * MC_SECOND, wall + 114 * MC_SECOND, &by));
	assert_int_equal(by, 90 * MC_SECOND);
	assert_false(clock_steps_seen(&steps, now + 30 * MC_SECOND, wall + 124 * MC_SECOND, &by));
	assert_true(clock_steps_seen(&steps, now + 40 * MC_SECOND, wall + 34 * MC_SECOND, &by));
	assert_int_equal(by, -100 * MC_SECOND);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_lab, close_lab)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_clock_that_is_set_is_seen),
		TEST(an_instance_that_does_not_start_is_left_out),
		TEST(a_start_that_fails_is_followed_by_one_stop),
		TEST(what_was_never_started_is_not_stopped),
		TEST(a_verdict_stands_alone),
		TEST(run_ends_at_the_stop),
		TEST(what_run_tries_counts_its_failures),
		TEST(a_stop_leaves_behind_what_does_not_end),
		TEST(series_that_cannot_be_are_refused_with_a_reason),
		TEST(named_series_are_the_same_as_described_ones),
		TEST(a_series_lives_while_it_is_read),
		TEST(series_are_listed_by_name_and_glob),
		TEST(a_page_of_series_is_by_name),
		TEST(the_engine_reports_on_itself_if_asked),
		TEST(nothing_runs_before_all_is_started),
		TEST(silence_becomes_a_notification),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
