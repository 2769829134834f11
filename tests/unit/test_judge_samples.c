/* SPDX-License-Identifier: MIT */
/* Judges that look at each sample: which they take, under which name. */
#include "judge_fixture.h"

static void samples_are_looked_at_one_by_one(void **state)
{
	(void)state;
	all.each = true;
	all.most = 10;
	start_all();
	put("a each", 1);
	put("a each", 4);
	put("a each", 6);
	assert_taken(&all.csv, "a=1 each=2 a=4 each=8 a=6");
	assert_taken(&all.rrd, "a=1 each=2 a=4 a=6");
	assert_int_equal(all.samples_admitted, 3);
	assert_int_equal(all.samples_routed, 2);
	assert_int_equal(all.admits, 2);
	assert_ledger("csv", 5, 0);
	assert_ledger("rrd", 4, 0);
}

static void expect(char *text, size_t size, const char *name, double value)
{
	size_t used = strlen(text);

	snprintf(text + used, size - used, "%s%s=%g", used > 0 ? " " : "", name, value);
}

/* Commits many of "each", which are negative, small or too large from 'least' on, plain ones
 * between them, and in the middle one of the series 'odd', if that is not NULL, which becomes
 * "new". */
static void put_mixed(double least, const char *odd)
{
	struct mc_batch *batch;
	char expected[2048] = "";

	clock_step(MC_SECOND);
	batch = mc_begin(engine_ctx(all.source));
	for (unsigned i = 0; i < 80; i++) {
		double value = i % 7 == 3 ? -(double)i : least + i;
		char instance[16];

		snprintf(instance, sizeof(instance), "%u", i);
		mc_put_gauge(batch, value, .plugin_instance = instance, .type = "gauge",
			     .type_instance = "each");
		if (2 * value <= all.most)
			expect(expected, sizeof(expected), value < 0 ? "negative" : "each",
			       2 * value);
		if (i % 16 == 5) {
			mc_put_gauge(batch, i, .plugin_instance = instance, .type = "gauge",
				     .type_instance = "a");
			expect(expected, sizeof(expected), "a", i);
		}
		if (i == 40 && odd != NULL) {
			mc_put_gauge(batch, i, .type = "gauge", .type_instance = odd);
			expect(expected, sizeof(expected), "new", i);
		}
	}
	mc_commit(batch);
	drain();
	assert_taken(&all.csv, expected);
	all.rrd.len = 0;
}

/* In one round some are left as they are, others not; and samples with another decision come
 * between. */
static void in_a_large_batch_each_sample_gets_what_is_its_own(void **state)
{
	(void)state;
	all.each = all.unrouted = true;
	all.most = 100;
	all.rename = "old";
	all.into = "new";
	start_all();
	put_mixed(1, NULL); /* All are asked about. */
	put_mixed(30, NULL);
	put_mixed(1, "old");
	put_mixed(30, "old");
	all.most = 1000; /* None is dropped. */
	put_mixed(2, NULL);
	put_mixed(3, "old");
	assert_int_equal(all.samples_admitted, 6 * 80);
	assert_int_equal(all.samples_routed, 0);
	assert_int_equal(all.admits, 80 + 5 + 1);
}

/* Its sender is told, other than of one that is dropped; and another one may be taken. */
static void a_sample_is_refused(void **state)
{
	struct mc_batch *batch;
	struct mc_rejected rejected;

	(void)state;
	all.each = all.refuses = true;
	all.most = 10;
	start_all();
	batch = mc_begin(engine_ctx(all.source));
	mc_count_rejected(batch, &rejected);
	for (unsigned i = 1; i <= 3; i++) {
		mc_put_gauge(batch, i, .type = "gauge", .type_instance = "each");
		mc_put_gauge(batch, i,
			     .plugin_instance = i == 1   ? "one"
						: i == 2 ? "two"
							 : "three",
			     .type = "gauge", .type_instance = "a");
	}
	mc_put_gauge(batch, 6, .type = "gauge", .type_instance = "each");
	mc_commit(batch);
	drain();
	assert_taken(&all.csv, "a=1 a=2 a=3");
	assert_int_equal(rejected.samples, 3);
	assert_string_equal(rejected.series, "lab/source/gauge-each");
	assert_string_equal(rejected.why, "is not wanted");
	all.refuses = false;
	put("each", 1);
	assert_taken(&all.csv, "each=2");
}

static void a_sample_is_renamed(void **state)
{
	struct mc_status status;

	(void)state;
	all.each = true;
	all.most = 10;
	start_all();
	put("each a", -1);
	put("each", 2);
	put("each", -3);
	assert_taken(&all.csv, "negative=-2 a=-1 each=4 negative=-6");
	assert_true(latest("negative").values[0].gauge == -6);
	assert_true(latest("each").values[0].gauge == 4);
	/* For "negative" only its receivers: no reader has sent it. */
	assert_int_equal(all.admits, 2);
	assert_int_equal(all.routes, 3);
	mc_status(engine_ctx(all.source), &status);
	assert_int_equal(status.samples, 4);
	assert_int_equal(status.samples_filtered, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_lab, close_lab)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(samples_are_looked_at_one_by_one),
		TEST(in_a_large_batch_each_sample_gets_what_is_its_own),
		TEST(a_sample_is_refused),
		TEST(a_sample_is_renamed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
