/* SPDX-License-Identifier: MIT */
/* Judges: which series they take, under which name, and which writers get them. */
#include "judge_fixture.h"

#include "engine/store/metadata.h"

/* --- Which are taken --------------------------------------------------- */

static void without_an_answer_all_is_taken(void **state)
{
	(void)state;
	start_all();
	put("a b", 1);
	put("a b", 2);
	assert_taken(&all.csv, "a=1 b=1 a=2 b=2");
	assert_taken(&all.rrd, "a=1 b=1 a=2 b=2");
	assert_int_equal(all.admits, 2);
	assert_int_equal(all.routes, 2);
}

static void a_series_is_dropped(void **state)
{
	struct mc_status status;

	(void)state;
	all.drop = "b";
	start_all();
	put("a b c", 1);
	put("b", 2);
	put("c b", 3);
	assert_taken(&all.csv, "a=1 c=1 c=3");
	assert_int_equal(all.admits, 3);
	assert_int_equal(latest("b").time, 0);
	mc_status(engine_ctx(all.source), &status);
	assert_int_equal(status.samples, 3);
	assert_int_equal(status.samples_filtered, 3);
	assert_int_equal(status.samples_refused, 0);
	assert_ledger("csv", 3, 0);
}

/* One with a gauge of each name from 'first' on, and of others between them that are dropped. */
static void put_many(unsigned first, unsigned end)
{
	struct mc_batch *batch;

	clock_step(MC_SECOND);
	batch = mc_begin(engine_ctx(all.source));
	mc_put_gauge(batch, 0, .type = "gauge", .type_instance = "dropped");
	for (unsigned i = first; i < end; i++) {
		char name[16];

		snprintf(name, sizeof(name), "%u", i);
		mc_put_gauge(batch, i, .type = "gauge", .type_instance = name);
		mc_put_gauge(batch, 0, .type = "gauge", .type_instance = "dropped");
	}
	mc_commit(batch);
	drain();
	assert_int_equal(all.csv.len, end - first);
	for (unsigned i = first; i < end; i++)
		assert_true(all.csv.values[i - first] == i);
	all.csv.len = all.rrd.len = 0;
}

/* Judges are asked in rounds of some samples, and not about the half that is plain. */
static void of_a_large_batch_the_right_ones_are_dropped(void **state)
{
	(void)state;
	all.drop = "dropped";
	all.reports = true;
	start_all();
	put_many(45, 90);
	all.reports = false;
	put_many(0, 90);
	put_many(0, 90);
	assert_ledger("csv", 45 + 90 + 90, 0);
}

static void a_series_is_renamed(void **state)
{
	(void)state;
	all.rename = "old";
	all.into = "new";
	start_all();
	put("a old", 1);
	put("old", 2);
	assert_taken(&all.csv, "a=1 new=1 new=2");
	assert_int_equal(latest("old").time, 0);
	assert_true(latest("new").values[0].gauge == 2);
	/* Not about the new one, which nobody has sent. */
	assert_int_equal(all.admits, 2);
	put("new", 3);
	assert_taken(&all.csv, "new=3");
	assert_int_equal(all.admits, 3);
}

static void what_was_renamed_into_ends_too(void **state)
{
	struct mc_series *series;
	struct mc_reading *reading;

	(void)state;
	start_all();
	all.rename = "old";
	all.into = "new";
	put("old", 1);
	assert_taken(&all.csv, "new=1");
	/* What the new one is held for ends with the old one. */
	reading = mc_read_begin(engine_ctx(all.source));
	series = mc_find(reading, "lab/source/gauge-new", 20);
	assert_int_equal(series->holds, 1);
	mc_read_end(reading);
	clock_step(200 * MC_SECOND);
	engine_read_once(all.lab.engine);
	clock_step(200 * MC_SECOND);
	engine_read_once(all.lab.engine);
	reading = mc_read_begin(engine_ctx(all.source));
	assert_null(mc_find(reading, "lab/source/gauge-old", 20));
	assert_null(mc_find(reading, "lab/source/gauge-new", 20));
	mc_read_end(reading);
}

/* --- Receivers --------------------------------------------------------- */

static void a_series_goes_to_some_writers(void **state)
{
	(void)state;
	all.only = "rrd";
	start_all();
	put("a routed", 1);
	put("routed", 2);
	put("a", 3);
	assert_taken(&all.csv, "a=1 a=3");
	assert_taken(&all.rrd, "a=1 routed=1 routed=2 a=3");
	assert_ledger("csv", 2, 0);
	assert_ledger("rrd", 4, 0);
	assert_true(latest("routed").values[0].gauge == 2);
}

static void a_sample_goes_to_a_writer_as_another_one(void **state)
{
	(void)state;
	all.each = true;
	all.most = 1000;
	all.copied_to = "rrd";
	start_all();
	put("a each", 1);
	put("each", 2);
	assert_taken(&all.csv, "a=1");
	assert_taken(&all.rrd, "a=1 copy=102 copy=104");
	assert_ledger("csv", 1, 0);
	assert_ledger("rrd", 3, 0);
	/* Of which the store knows nothing. */
	assert_true(latest("each").values[0].gauge == 4);
	assert_int_equal(latest_of("other", "copy").time, 0);
	all.copied_to = "";
	put("each", 3);
	assert_taken(&all.csv, "copy=106");
	assert_taken(&all.rrd, "copy=106");
}

/* A series that only writers have is not missing. */
static void what_only_writers_get_is_not_missed(void **state)
{
	struct mc_status before, after;

	(void)state;
	all.each = true;
	all.most = 1000;
	all.copied_to = "";
	start_all();
	put("each", 1);
	mc_status(engine_ctx(all.source), &before);
	for (int i = 0; i < 5; i++) {
		clock_step(200 * MC_SECOND);
		put("each", 2 + i);
		engine_read_once(all.lab.engine);
	}
	drain();
	mc_status(engine_ctx(all.source), &after);
	assert_int_equal(after.notifications, before.notifications);
}

struct writers {
	char text[64];
	size_t size;
};

static void add_destination(void *argument, const char *writer, const char *where)
{
	struct writers *writers = argument;

	(void)where;
	writers->size += (size_t)snprintf(writers->text + writers->size,
					  sizeof(writers->text) - writers->size, "%s ", writer);
}

static void expect_destinations(const char *type_instance, const char *writers)
{
	struct writers found = { .size = 0 };
	char name[64];

	snprintf(name, sizeof(name), "lab/source/gauge-%s", type_instance);
	mc_each_destination(engine_ctx(all.source), name, add_destination, &found);
	assert_string_equal(found.text, writers);
}

static void destinations_are_those_that_get_it(void **state)
{
	(void)state;
	all.only = "rrd";
	all.drop = "b";
	all.rename = "old";
	all.into = "new";
	start_all();
	put("a routed b old", 1);
	expect_destinations("a", "csv rrd ");
	expect_destinations("routed", "rrd ");
	expect_destinations("b", "");
	expect_destinations("old", "");
	expect_destinations("new", "csv rrd ");
	expect_destinations("unknown", "csv rrd ");
}

static void a_series_goes_to_nobody(void **state)
{
	(void)state;
	all.nobody = true;
	start_all();
	put("a routed", 1);
	assert_taken(&all.csv, "a=1");
	assert_taken(&all.rrd, "a=1");
	assert_true(latest("routed").values[0].gauge == 1);
}

/* One that is subscribed because it has somewhere to send is a writer as others are. */
static int obey(struct mc_ctx *ctx)
{
	mc_obey_routes(ctx);
	mc_subscribe(ctx, true);
	return 0;
}

static int show(struct mc_ctx *ctx)
{
	mc_subscribe(ctx, true);
	return 0;
}

static const struct mc_plugin sender_plugin = {
	.api = MC_API,
	.name = "csv_sender", /* take() keeps what it gets as csv's. */
	.start = obey,
	.writer = &(const struct mc_writer){ .write = take, .on_request = true },
};
static const struct mc_plugin viewer_plugin = {
	.api = MC_API,
	.name = "viewer",
	.start = show,
	.writer = &(const struct mc_writer){ .write = take, .on_request = true },
};

static void one_that_sends_is_routed_and_one_that_shows_is_not(void **state)
{
	(void)state;
	all.nobody = true;
	start((const struct mc_plugin *const[]){ &judge_plugin, &sender_plugin, &viewer_plugin,
						 NULL });
	put("a routed", 1);
	assert_taken(&all.csv, "a=1");
	assert_taken(&all.rrd, "a=1 routed=1");
}

static void one_that_sends_is_chosen_by_its_name(void **state)
{
	(void)state;
	all.only = "csv_sender";
	start((const struct mc_plugin *const[]){ &judge_plugin, &sender_plugin, &rrd_plugin,
						 NULL });
	put("a routed", 1);
	assert_taken(&all.csv, "a=1 routed=1");
	assert_taken(&all.rrd, "a=1");
}

/* --- A reload ----------------------------------------------------------- */

static void change_judge(void)
{
	struct engine *engine = all.lab.engine;
	struct instance *leaving = engine->instances.current->instances[2];
	struct instance *joining = engine_prepare(engine, &judge_plugin, "judge");
	struct engine_change change = {
		.leaving = &leaving, .leaving_len = 1, .joining = &joining, .joining_len = 1
	};

	assert_string_equal(leaving->context.ctx.name, "judge");
	assert_null(engine_objection(engine, &change));
	assert_int_equal(engine_change(engine, &change, LAB_LIMIT), 0);
}

static void after_a_reload_it_is_asked_again(void **state)
{
	(void)state;
	all.drop = "a";
	all.rename = "b";
	all.into = "c";
	all.only = "rrd";
	start_all();
	put("a b routed", 1);
	assert_taken(&all.csv, "c=1");
	assert_taken(&all.rrd, "c=1 routed=1");

	all.drop = "b";
	all.rename = "a";
	all.only = "csv";
	put("a b routed", 2); /* Nobody asks. */
	assert_taken(&all.csv, "c=2");
	assert_taken(&all.rrd, "c=2 routed=2");

	change_judge();
	put("a b routed", 3);
	assert_taken(&all.csv, "c=3 routed=3");
	assert_taken(&all.rrd, "c=3");

	all.drop = all.rename = all.only = NULL;
	change_judge();
	put("a b routed", 4);
	assert_taken(&all.csv, "a=4 b=4 routed=4");
	assert_taken(&all.rrd, "a=4 b=4 routed=4");
}

static void without_judges_nothing_holds_any_more(void **state)
{
	struct engine *engine = all.lab.engine;
	struct instance *leaving;

	(void)state;
	all.drop = "a";
	all.rename = "b";
	all.into = "c";
	all.only = "rrd";
	start_all();
	put("a b routed", 1);
	leaving = engine->instances.current->instances[2];
	engine_change(engine, &(struct engine_change){ .leaving = &leaving, .leaving_len = 1 },
		      LAB_LIMIT);
	all.csv.len = all.rrd.len = 0;
	put("a b routed", 2);
	assert_taken(&all.csv, "a=2 b=2 routed=2");
	assert_taken(&all.rrd, "a=2 b=2 routed=2");
}

/* --- Metadata ------------------------------------------------------------- */

static void describe(const char *instance, const char *label)
{
	struct mc_ctx *ctx = engine_ctx(all.source);
	struct mc_batch *batch = mc_begin(ctx);
	const struct mc_metadata metadata = { .label = label, .failure = { NAN, 10 } };

	mc_set_metadata(batch, mc_series(batch, MC_ID(.type = "gauge", .type_instance = instance)),
			0, &metadata);
	mc_discard(batch);
}

static void when_metadata_change_it_is_asked_who_gets_it(void **state)
{
	(void)state;
	start_all();
	put("a b", 1);
	assert_int_equal(all.admits, 2);
	assert_int_equal(all.routes, 2);
	describe("a", "A");
	put("a b", 2);
	assert_int_equal(all.routes, 3);
	describe("a", "A"); /* The same. */
	put("a b", 3);
	assert_int_equal(all.routes, 3);
	describe("a", "B");
	describe("a", "C");
	put("a b", 4);
	assert_int_equal(all.routes, 4);
	assert_int_equal(all.admits, 2);
	assert_taken(&all.csv, "a=1 b=1 a=2 b=2 a=3 b=3 a=4 b=4");
	all.rrd.len = 0;
}

static bool is_reported(const char *instance)
{
	struct mc_batch *batch = mc_begin(engine_ctx(all.source));
	bool reported = judge_is_reported(
		&all.lab.engine->judges,
		mc_series(batch, MC_ID(.type = "gauge", .type_instance = instance)));

	mc_discard(batch);
	return reported;
}

/* Else its silence is reported twice, by the judge and by the core. */
static void until_it_is_asked_again_the_last_answer_holds(void **state)
{
	(void)state;
	all.reports = true;
	start_all();
	put("a", 1);
	assert_true(is_reported("a"));
	describe("a", "A");
	assert_true(is_reported("a"));
	all.reports = false;
	put("a", 2);
	assert_false(is_reported("a"));
	all.csv.len = all.rrd.len = 0;
}

static void assert_label(const char *instance, const char *expected)
{
	struct mc_batch *batch = mc_begin(engine_ctx(all.source));
	const struct mc_metadata *metadata = mc_get_metadata(
		mc_series(batch, MC_ID(.type = "gauge", .type_instance = instance)), 0);

	assert_non_null(metadata);
	assert_string_equal(metadata->label, expected);
	mc_release_metadata(metadata);
	mc_discard(batch);
}

static void what_is_renamed_keeps_its_metadata(void **state)
{
	(void)state;
	all.rename = "old";
	all.into = "new";
	start_all();
	describe("old", "A");
	put("old", 1);
	assert_label("new", "A");
	assert_int_equal(all.routes, 1);
	describe("old", "B");
	put("old", 2);
	assert_label("new", "B");
	assert_int_equal(all.routes, 2);
	all.csv.len = all.rrd.len = 0;
}

/* It gets a place of its own, if there is one: else the log says so. */
static void metadata_of_what_is_renamed_may_be_too_many(void **state)
{
	struct mc_ctx *ctx = engine_ctx(all.source);
	const struct mc_metadata metadata = { .label = "A" };
	struct mc_batch *batch;
	struct mc_series *other;

	(void)state;
	all.rename = "old";
	all.into = "new";
	start_all();
	describe("old", "A");
	batch = mc_begin(ctx);
	other = mc_series(batch, MC_ID(.type = "gauge", .type_instance = "other"));
	for (unsigned i = 1; i < METADATA_SOURCES_MAX; i++)
		assert_int_equal(metadata_set(other, i, &metadata, NULL), METADATA_CHANGED);
	mc_discard(batch);
	assert_null(strstr(all.lab.log, "metadata of"));
	put("old", 1);
	assert_non_null(strstr(all.lab.log, "metadata of this host fill its share"));
	assert_taken(&all.csv, "new=1");
	all.rrd.len = 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_lab, close_lab)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(without_an_answer_all_is_taken),
		TEST(a_series_is_dropped),
		TEST(of_a_large_batch_the_right_ones_are_dropped),
		TEST(a_series_is_renamed),
		TEST(what_was_renamed_into_ends_too),
		TEST(a_series_goes_to_some_writers),
		TEST(a_sample_goes_to_a_writer_as_another_one),
		TEST(what_only_writers_get_is_not_missed),
		TEST(destinations_are_those_that_get_it),
		TEST(a_series_goes_to_nobody),
		TEST(one_that_sends_is_routed_and_one_that_shows_is_not),
		TEST(one_that_sends_is_chosen_by_its_name),
		TEST(after_a_reload_it_is_asked_again),
		TEST(without_judges_nothing_holds_any_more),
		TEST(when_metadata_change_it_is_asked_who_gets_it),
		TEST(until_it_is_asked_again_the_last_answer_holds),
		TEST(what_is_renamed_keeps_its_metadata),
		TEST(metadata_of_what_is_renamed_may_be_too_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
