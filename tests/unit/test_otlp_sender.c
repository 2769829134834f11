/* SPDX-License-Identifier: MIT */
/* Senders: living ones, silent ones, and those known after a restart. */
#include "sender.h"

#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static mc_time now, wall; /* The clocks of the plugin. */

mc_time mc_now(void)
{
	return now;
}

mc_time mc_wall(void)
{
	return wall;
}

static void pass(double seconds)
{
	now += (mc_time)(seconds * MC_SECOND);
	wall += (mc_time)(seconds * MC_SECOND);
}

static void open_senders(struct senders *senders, size_t len_max)
{
	now = 1000 * MC_SECOND;
	wall = 1700000000 * MC_SECOND;
	sender_init(senders, len_max, 3, 60 * MC_SECOND);
}

static void hear(struct senders *senders, const char *name)
{
	sender_heard(senders, name,
		     &(struct sender_news){ .newest = wall - 2 * MC_SECOND,
					    .interval = 10 * MC_SECOND });
}

/* Of the only sender. */
static struct sender_view look(struct senders *senders)
{
	struct sender_view view, *views;
	size_t len;

	views = sender_look(senders, &len);
	assert_int_equal(len, 1);
	view = views[0];
	free(views);
	return view;
}

static void test_silent_and_back(void **state)
{
	struct senders senders;
	struct sender_view view;

	(void)state;
	open_senders(&senders, 10);
	hear(&senders, "a");
	pass(10);
	hear(&senders, "a");
	view = look(&senders);
	assert_string_equal(view.name, "a");
	assert_true(view.up && !view.went && !view.came);
	assert_int_equal(view.lag, 2 * MC_SECOND);
	assert_int_equal(view.interval, 10 * MC_SECOND);
	pass(30);
	assert_true(look(&senders).up);
	pass(1);
	view = look(&senders);
	assert_true(!view.up && view.went);
	assert_int_equal(view.silence, 31 * MC_SECOND);
	view = look(&senders);
	assert_true(!view.up && !view.went);
	pass(4);
	hear(&senders, "a");
	view = look(&senders);
	assert_true(view.up && view.came);
	assert_int_equal(view.away, 35 * MC_SECOND);
	assert_false(look(&senders).came);
	sender_done(&senders);
}

/* Several requests in each cycle of 30 s, of series of 10 s. */
static void test_learns_its_interval(void **state)
{
	struct senders senders;
	mc_time interval;

	(void)state;
	open_senders(&senders, 10);
	for (int cycle = 0; cycle < 50; cycle++) {
		for (int i = 0; i < 5; i++) {
			hear(&senders, "a");
			pass(0.01);
		}
		pass(29.96);
	}
	interval = look(&senders).interval;
	assert_in_range(interval, 28 * MC_SECOND, 30 * MC_SECOND);
	for (int cycle = 0; cycle < 100; cycle++) {
		hear(&senders, "a");
		pass(5);
	}
	interval = look(&senders).interval;
	assert_in_range(interval, 5 * MC_SECOND, 6 * MC_SECOND);
	sender_done(&senders);
}

/* The interval of a sender that counts as silent after each request is learnt after a few. */
static void test_rare_requests(void **state)
{
	struct senders senders;
	unsigned silences = 0;

	(void)state;
	open_senders(&senders, 10);
	for (int i = 0; i < 20; i++) {
		hear(&senders, "a");
		for (int second = 0; second < 300; second++) {
			pass(1);
			silences += look(&senders).went;
		}
	}
	assert_in_range(silences, 1, 3);
	sender_done(&senders);
}

static void test_gaps(void **state)
{
	struct senders senders;
	struct sender_view view;

	(void)state;
	open_senders(&senders, 10);
	sender_heard(&senders, "a", &(struct sender_news){ .numbered = true, .gap = { 5, 7 } });
	sender_heard(&senders, "a", &(struct sender_news){ .numbered = true, .gap = { 9, 9 } });
	sender_heard(
		&senders, "a",
		&(struct sender_news){
			.numbered = true, .gap = { 20, 29 }, .stated = true, .dropped = 1234 });
	/* The first of two requests says it, the second has the number. */
	sender_heard(&senders, "a", &(struct sender_news){ .stated = true, .dropped = 6 });
	sender_heard(&senders, "a", &(struct sender_news){ .numbered = true, .gap = { 40, 49 } });
	view = look(&senders);
	assert_int_equal(view.missing, 4);
	assert_int_equal(view.gap.first, 9);
	assert_int_equal(view.gap.last, 9);
	assert_int_equal(view.dropped, 1240);
	assert_int_equal(view.interval, 60 * MC_SECOND);
	assert_int_equal(view.lag, -1);
	view = look(&senders);
	assert_int_equal(view.missing + view.dropped, 0);
	sender_done(&senders);
}

static void test_bounded(void **state)
{
	struct sender_view *views;
	struct senders senders;
	char name[16];
	size_t len;

	(void)state;
	open_senders(&senders, 3);
	for (int i = 0; i < 5; i++) {
		snprintf(name, sizeof(name), "s%d", i);
		hear(&senders, name);
		hear(&senders, "s0");
	}
	views = sender_look(&senders, &len);
	assert_int_equal(len, 3);
	assert_string_equal(views[0].name, "s3");
	assert_string_equal(views[1].name, "s4");
	assert_string_equal(views[2].name, "s0");
	free(views);
	pass(8 * 86400);
	free(sender_look(&senders, &len));
	assert_int_equal(len, 0);
	sender_done(&senders);
}

/* A restart does not count as silence; senders silent before still are, without a second report. */
static void test_kept(void **state)
{
	char path[] = "/tmp/test_otlp_sender.XXXXXX";
	struct sender_view *views;
	struct senders senders;
	size_t len;

	(void)state;
	close(mkstemp(path));
	open_senders(&senders, 10);
	assert_int_equal(kept_load(&senders.kept, "/nowhere/senders"), 0);
	hear(&senders, "gone");
	pass(100);
	free(sender_look(&senders, &len));
	hear(&senders, "here");
	assert_true(kept_changed(&senders.kept));
	assert_int_equal(kept_save(&senders.kept, "/nowhere/senders"), -ENOENT);
	assert_true(kept_changed(&senders.kept)); /* For the next time. */
	assert_int_equal(kept_save(&senders.kept, path), 0);
	assert_false(kept_changed(&senders.kept));
	sender_done(&senders);

	pass(3600);
	now = 5 * MC_SECOND; /* Another boot. */
	sender_init(&senders, 10, 3, 60 * MC_SECOND);
	assert_int_equal(kept_load(&senders.kept, path), 0);
	views = sender_look(&senders, &len);
	assert_int_equal(len, 2);
	assert_string_equal(views[0].name, "gone");
	assert_true(!views[0].up && !views[0].went);
	assert_int_equal(views[0].silence, 3700 * MC_SECOND);
	assert_true(views[1].up);
	assert_int_equal(views[1].silence, 3600 * MC_SECOND);
	assert_int_equal(views[1].interval, 10 * MC_SECOND);
	free(views);
	pass(31);
	views = sender_look(&senders, &len);
	assert_true(!views[0].went && views[1].went);
	free(views);
	sender_done(&senders);
	unlink(path);
}

/* A sender heard an hour from now was heard before the clock was set back. */
static void test_clock_set_back(void **state)
{
	char path[] = "/tmp/test_otlp_sender.XXXXXX";
	struct senders senders;
	struct sender_view view;

	(void)state;
	close(mkstemp(path));
	open_senders(&senders, 10);
	hear(&senders, "a");
	assert_int_equal(kept_save(&senders.kept, path), 0);
	sender_done(&senders);

	wall -= 3600 * MC_SECOND;
	sender_init(&senders, 10, 3, 60 * MC_SECOND);
	assert_int_equal(kept_load(&senders.kept, path), 0);
	view = look(&senders);
	assert_string_equal(view.name, "a");
	assert_true(view.up && view.silence == 0);
	sender_done(&senders);
	unlink(path);
}

static void test_damaged_file(void **state)
{
	char path[] = "/tmp/test_otlp_sender.XXXXXX";
	FILE *file = fdopen(mkstemp(path), "w");
	struct senders senders;
	struct sender_view view;

	(void)state;
	fputs("9999999999999999999 10 1 future\n"
	      "1699999990000000000 -10 1 backwards\n"
	      "1699999990000000000 10000000000 1 good\n"
	      "1699999990000000000 20000000000 1 good\n"
	      "what is this\n",
	      file);
	fclose(file);
	open_senders(&senders, 10);
	assert_int_equal(kept_load(&senders.kept, path), 0);
	view = look(&senders);
	assert_string_equal(view.name, "good");
	assert_int_equal(view.interval, 10 * MC_SECOND);
	sender_done(&senders);
	unlink(path);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_silent_and_back), cmocka_unit_test(test_learns_its_interval),
		cmocka_unit_test(test_rare_requests),   cmocka_unit_test(test_gaps),
		cmocka_unit_test(test_bounded),         cmocka_unit_test(test_kept),
		cmocka_unit_test(test_clock_set_back),  cmocka_unit_test(test_damaged_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
