/* SPDX-License-Identifier: MIT */
/* What the values of a series were: from memory, from a writer, from both. */
#include "unit.h"

#include <collector/history.h>

#include <errno.h>
#include <stdlib.h>

#include "engine/change/silence.h"
#include "lab.h"
#include "model/history.h"

#define MINUTE (60 * MC_SECOND)

static struct {
	struct lab lab;
	struct instance *source;
	bool fails;
	double kept; /* What the writer knows of any time; NaN: nothing. */
	unsigned asked;
	bool far;                /* The store knows all. */
	unsigned many, many_len; /* How often the one that takes many was asked, for how many. */
	mc_time until;
	bool unwanted; /* From the next question to a writer on. */
} all;

static int keep(struct mc_ctx *ctx, const char *name, struct mc_history *history, char *why)
{
	(void)ctx;
	all.asked++;
	if (all.fails) {
		snprintf(why, MC_HISTORY_WHY, "the disk is gone");
		return -EIO;
	}
	if (strcmp(name, "lab/source/gauge-far") == 0)
		return 0;
	for (mc_time at = 0; at < 2 * 3600; at += 60)
		mc_history_add(
			history, 0,
			&(struct mc_history_row){ LAB_WALL - 3600 * MC_SECOND + at * MC_SECOND,
						  MINUTE, all.kept, 2 * all.kept, 0 });
	return 0;
}

static const struct mc_plugin keeper_plugin = {
	.api = MC_API,
	.name = "keeper",
	.writer = &(const struct mc_writer){ .fetch = keep },
};
/* It knows all, of each time: their number in the question. */
static int keep_many(struct mc_ctx *ctx, const struct mc_fetch *fetch, char *why)
{
	(void)ctx;
	(void)why;
	all.many++;
	all.many_len = (unsigned)fetch->len;
	all.until = fetch->until;
	for (size_t i = 0; all.far && i < fetch->len; i++)
		mc_history_add(fetch->items[i].history, 0,
			       &(struct mc_history_row){ 0, LAB_WALL, (double)i + 1, NAN, NAN });
	return 0;
}

static const struct mc_plugin store_plugin = {
	.api = MC_API,
	.name = "store",
	.writer = &(const struct mc_writer){ .fetch_many = keep_many },
};
static const struct mc_plugin source_plugin = { .api = MC_API, .name = "source" };

static int open_lab(void **state)
{
	struct engine_settings settings = {
		.timeout = 2, .series_limit = 1000, .queue_bytes = 1 << 20, .history_bytes = 20000
	};

	(void)state;
	memset(&all, 0, sizeof(all));
	all.kept = NAN;
	lab_open(&all.lab, 1 << 20);
	engine_add(all.lab.engine, &keeper_plugin, "keeper");
	engine_add(all.lab.engine, &store_plugin, "store");
	all.source = engine_add(all.lab.engine, &source_plugin, "source");
	engine_start_idle(all.lab.engine);
	settings.types = all.lab.types;
	engine_tune(all.lab.engine, &settings);
	return 0;
}

static int close_lab(void **state)
{
	(void)state;
	lab_close(&all.lab);
	return 0;
}

static struct mc_ctx *ctx(void)
{
	return engine_ctx(all.source);
}

static void put_named(const char *instance, double level)
{
	struct mc_batch *batch = mc_begin(ctx());

	mc_put_gauge(batch, level, .type = "gauge", .type_instance = instance);
	mc_commit(batch);
}

/* A value every ten seconds. */
static void put(double level)
{
	put_named(NULL, level);
	clock_step(LAB_INTERVAL);
}

static struct mc_history *ask(mc_time from, mc_time to, unsigned points)
{
	struct mc_span span = { .from = clock_wall() + from,
				.to = clock_wall() + to,
				.points = points };
	struct mc_history *history;
	char why[MC_HISTORY_WHY];

	assert_int_equal(mc_history(ctx(), "lab/source/gauge", span, &history, why), 0);
	return history;
}

static double average(struct mc_history *history, unsigned point)
{
	assert_in_range(point, 0, history->points_len - 1);
	return mc_history_points(history, 0)[point].average;
}

/* --- Points of rows ------------------------------------------------------ */

static struct mc_history *rows(const char *type, mc_time from, mc_time to, unsigned points,
			       mc_time interval)
{
	return history_new(kind(all.lab.types, type),
			   (struct mc_span){ .from = from, .to = to, .points = points }, interval);
}

static void a_span_has_bounds(void **state)
{
	struct mc_history *history;

	(void)state;
	assert_null(rows("gauge", 100, 100, 10, 1));
	assert_null(rows("gauge", -1, 100, 10, 1));
	assert_null(rows("gauge", 0, INT64_MAX, 10, 1));
	history = rows("gauge", 0, 100LL * 365 * 86400 * MC_SECOND, 0, 1);
	assert_in_range(history->points_len, 1, MC_HISTORY_POINTS + 1);
	mc_history_free(history);
	history = rows("gauge", 5 * MC_SECOND, 3605 * MC_SECOND, 7, 10 * MC_SECOND);
	assert_in_range(history->points_len, 1, 8);
	assert_int_equal(history->step % (10 * MC_SECOND), 0);
	assert_true(history->start <= 5 * MC_SECOND);
	assert_true(history->start + history->step * history->points_len >= 3605 * MC_SECOND);
	mc_history_free(history);
}

static void finer_rows_are_consolidated(void **state)
{
	struct mc_history *history = rows("gauge", 0, 60 * MC_SECOND, 2, 10 * MC_SECOND);

	(void)state;
	assert_int_equal(history->points_len, 2);
	for (int i = 0; i < 3; i++) /* Off the grid: each counts once. */
		mc_history_add(history, 0,
			       &(struct mc_history_row){ (3 + 10 * i) * MC_SECOND, 10 * MC_SECOND,
							 i, NAN, NAN });
	history_finish(history);
	assert_true(average(history, 0) == 1);
	assert_true(history->points[0].maximum == 2);
	assert_true(history->points[0].minimum == 0);
	assert_true(history->points[0].seconds == 30);
	assert_true(isnan(average(history, 1)));
	assert_true(isnan(history->points[1].maximum));
	assert_true(isnan(history->points[1].minimum));
	mc_history_free(history);
}

static void coarser_rows_are_steps(void **state)
{
	struct mc_history *history = rows("if_octets", 0, 60 * MC_SECOND, 6, 10 * MC_SECOND);
	const struct mc_history_row row = { 0, 30 * MC_SECOND, 7, 9, 5 };

	(void)state;
	mc_history_add(history, 1, &row);
	mc_history_add(history, 2, &row); /* No such series. */
	history_finish(history);
	for (int i = 0; i < 6; i++) {
		struct mc_history_point *point = &mc_history_points(history, 1)[i];

		assert_true(isnan(average(history, i)));
		assert_true(i < 3 ? point->average == 7 && point->maximum == 9 &&
					    point->minimum == 5
				  : isnan(point->average));
	}
	assert_int_equal(history->coarsest, 30 * MC_SECOND);
	mc_history_free(history);
}

/* --- Memory -------------------------------------------------------------- */

static void it_is_remembered_once_looked_at(void **state)
{
	const double expected[] = { 4, 5, NAN, NAN, 8, NAN };
	struct mc_history *history;

	(void)state;
	put(1);
	history = ask(-MINUTE, 0, 0);
	assert_string_equal(history->provider, "");
	mc_history_free(history);
	for (int i = 2; i <= 5; i++)
		put(i);
	clock_step(2 * LAB_INTERVAL); /* Two are missing. */
	put(8);
	history = ask(-MINUTE, 0, 0);
	assert_string_equal(history->provider, "recent");
	assert_int_equal(history->step, LAB_INTERVAL);
	assert_int_equal(history->coarsest, LAB_INTERVAL);
	for (unsigned i = 0; i < 6; i++)
		assert_true(isnan(expected[i]) ? isnan(average(history, i))
					       : average(history, i) == expected[i]);
	mc_history_free(history);
}

static void what_is_kept_needs_no_look(void **state)
{
	struct mc_history *history;

	(void)state;
	put(1);
	mc_history_keep(ctx(), "other");
	mc_history_keep(ctx(), "source");
	for (int i = 0; i < 1000; i++) /* More than the ring has cells. */
		put(i);
	history = ask(-5 * MINUTE, 0, 0);
	for (unsigned i = 0; i < 29; i++)
		assert_true(average(history, i) == 971 + i);
	mc_history_free(history);
}

static void memory_has_a_limit(void **state)
{
	char name[64], instance[16], why[MC_HISTORY_WHY];
	struct mc_history *history;

	(void)state;
	mc_history_keep(ctx(), "source"); /* Also 100 others. */
	put(7);
	for (int i = 0; i < 100; i++) {
		snprintf(instance, sizeof(instance), "%d", i);
		put_named(instance, i);
	}
	for (int i = 0; i < 100; i++) {
		snprintf(name, sizeof(name), "lab/source/gauge-%d", i);
		mc_history(
			ctx(), name,
			(struct mc_span){ .from = clock_wall() - MINUTE, .to = clock_wall() + 1 },
			&history, why);
		mc_history_free(history);
	}
	history = ask(-MINUTE, 0, 0); /* The first is still there. */
	assert_true(average(history, 4) == 7);
	mc_history_free(history);
}

static void it_is_forgotten(void **state)
{
	struct mc_batch *batch;
	struct mc_history *history;

	(void)state;
	put(1);
	mc_history_free(ask(-MINUTE, 0, 0));
	for (int i = 0; i < 100; i++)
		put(1);
	batch = mc_begin(ctx());
	store_sweep(all.lab.engine->registry.store, batch, silence_add, &(struct silence){ 0 });
	mc_discard(batch);
	history = ask(-MINUTE, 0, 0);
	assert_string_equal(history->provider, "");
	mc_history_free(history);
}

static void a_glance_does_not_have_it_remembered(void **state)
{
	struct mc_span span = { .from = clock_wall() - MINUTE,
				.to = clock_wall() + MINUTE,
				.glance = true };
	struct mc_history *history;
	char why[MC_HISTORY_WHY];

	(void)state;
	put(1);
	assert_int_equal(mc_history(ctx(), "lab/source/gauge", span, &history, why), 0);
	mc_history_free(history);
	put(2);
	mc_history_free(ask(-MINUTE, 0, 0)); /* From now on it is. */
	put(3);
	assert_int_equal(mc_history(ctx(), "lab/source/gauge", span, &history, why), 0);
	assert_string_equal(history->provider, "recent");
	for (unsigned i = 0; i < history->points_len; i++)
		assert_true(isnan(history->points[i].average) || history->points[i].average == 3);
	mc_history_free(history);
}

/* --- Writers ------------------------------------------------------------- */

static void memory_goes_on_where_a_writer_ends(void **state)
{
	struct mc_history *history;

	(void)state;
	all.kept = 100;
	put(1);
	mc_history_free(ask(-MINUTE, 0, 0));
	put(2);
	put(3);
	history = ask(-10 * MINUTE, 0, 0);
	assert_string_equal(history->provider, "keeper");
	assert_int_equal(history->coarsest, MINUTE);
	assert_true(average(history, 0) == 100);
	assert_true(history->points[0].maximum == 200);
	assert_true(average(history, history->points_len - 3) == 2);
	assert_true(average(history, history->points_len - 2) == 3);
	mc_history_free(history);
	all.asked = 0;
	mc_history_free(ask(-2 * LAB_INTERVAL + 1, 0, 0));
	assert_int_equal(all.asked, 0); /* Memory has it all. */
}

static void who_cannot_tell_says_why(void **state)
{
	struct mc_span span = { .from = clock_wall() - MINUTE, .to = clock_wall() };
	struct mc_history *history;
	char why[MC_HISTORY_WHY];

	(void)state;
	all.fails = true;
	assert_int_equal(mc_history(ctx(), "lab/source/gauge", span, &history, why), -ENOENT);
	assert_null(history);
	put(1);
	assert_int_equal(mc_history(ctx(), "lab/source/gauge", span, &history, why), -EIO);
	assert_string_equal(why, "the disk is gone");
	assert_non_null(history);
	mc_history_free(history);
	span.to = span.from;
	assert_int_equal(mc_history(ctx(), "lab/source/gauge", span, &history, why), -EINVAL);
	assert_null(history);
}

static bool is_wanted(void *argument)
{
	return argument == NULL || !all.unwanted;
}

static void many_are_asked_for_at_once(void **state)
{
	static const char *const names[] = { "lab/source/gauge", "lab/source/none",
					     "lab/source/gauge-far", "lab/source/gauge-new" };
	const struct mc_history_query query = { .names = names,
						.len = 4,
						.span = { LAB_WALL - 7 * MINUTE, LAB_WALL - MINUTE,
							  .step = 0 },
						.until = INT64_MAX };
	struct mc_history *histories[4];
	char why[MC_HISTORY_WHY];

	(void)state;
	all.far = true;
	all.kept = 100;
	put_named(NULL, 1);
	put_named("far", 1);
	assert_int_equal(mc_histories(ctx(), &query, histories, why), 0);
	assert_int_equal(all.many, 1);
	assert_int_equal(all.many_len, 1); /* The other has one, and there are no more. */
	assert_int_equal(all.until, INT64_MAX);
	assert_null(histories[1]);
	assert_null(histories[3]);
	assert_string_equal(histories[0]->provider, "keeper");
	assert_true(average(histories[0], 3) == 100);
	assert_string_equal(histories[2]->provider, "store");
	assert_true(average(histories[2], 3) == 1);
	assert_int_equal(histories[2]->step, histories[0]->step);
	mc_history_free(histories[0]);
	mc_history_free(histories[2]);
}

static void a_writer_that_fails_costs_no_other(void **state)
{
	static const char *const names[] = { "lab/source/gauge", "lab/source/gauge-far" };
	const struct mc_history_query query = {
		.names = names,
		.len = 2,
		.span = { LAB_WALL - 7 * MINUTE, LAB_WALL - MINUTE, .step = 0 },
	};
	struct mc_history *histories[2];
	char why[MC_HISTORY_WHY];

	(void)state;
	all.far = true;
	all.fails = true;
	put_named(NULL, 1);
	put_named("far", 1);
	assert_int_equal(mc_histories(ctx(), &query, histories, why), 0);
	assert_int_equal(all.many_len, 2);
	for (unsigned i = 0; i < 2; i++) {
		assert_string_equal(histories[i]->provider, "store");
		assert_true(average(histories[i], 0) == i + 1);
		mc_history_free(histories[i]);
	}
}

static void nobody_is_asked_in_vain(void **state)
{
	static const char *const names[] = { "lab/source/gauge" };
	const struct mc_history_query query = {
		.names = names,
		.len = 1,
		.span = { LAB_WALL - 7 * MINUTE, LAB_WALL - MINUTE, .step = 0 },
		.is_wanted = is_wanted,
		.argument = &all,
	};
	struct mc_history *histories[1];
	char why[MC_HISTORY_WHY];

	(void)state;
	all.unwanted = true;
	put_named(NULL, 1);
	assert_int_equal(mc_histories(ctx(), &query, histories, why), 0);
	assert_int_equal(all.asked + all.many, 0);
	assert_string_equal(histories[0]->provider, "");
	mc_history_free(histories[0]);
}

static void time_is_over(void **state)
{
	static const char *const names[] = { "lab/source/gauge" };
	const struct mc_history_query query = { .names = names,
						.len = 1,
						.span = { LAB_WALL - 7 * MINUTE, LAB_WALL - MINUTE,
							  .step = 0 },
						.until = clock_now() };
	struct mc_history *histories[1];
	char why[MC_HISTORY_WHY];

	(void)state;
	all.far = true;
	all.kept = 100;
	put_named(NULL, 1);
	assert_int_equal(mc_histories(ctx(), &query, histories, why), 0);
	assert_int_equal(all.asked, 0);
	assert_string_equal(histories[0]->provider, "store");
	mc_history_free(histories[0]);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_lab, close_lab)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_span_has_bounds),
		TEST(finer_rows_are_consolidated),
		TEST(coarser_rows_are_steps),
		TEST(it_is_remembered_once_looked_at),
		TEST(what_is_kept_needs_no_look),
		TEST(memory_has_a_limit),
		TEST(it_is_forgotten),
		TEST(a_glance_does_not_have_it_remembered),
		TEST(memory_goes_on_where_a_writer_ends),
		TEST(who_cannot_tell_says_why),
		TEST(many_are_asked_for_at_once),
		TEST(a_writer_that_fails_costs_no_other),
		TEST(nobody_is_asked_in_vain),
		TEST(time_is_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
