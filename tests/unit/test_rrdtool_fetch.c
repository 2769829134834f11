/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an RRD file has kept, however long the time is that is asked for. */
#include "fetch.h"

#include "unit.h"

#include <math.h>
#include <rrd.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "model/history.h"

#define FIRST 1700000000 /* The file begins, */
#define LAST (FIRST + 1000)

static const struct {
	struct mc_type type;
	struct mc_source sources[1];
} gauge = { { .name = "gauge", .sources_len = 1 }, { { .name = "value" } } };

/* One archive, of 10 seconds; its values are 7. */
static void make_file(char *path)
{
	const char *words[] = { "DS:value:GAUGE:20:U:U", "RRA:AVERAGE:0.5:1:1200" };

	close(mkstemp(path));
	assert_int_equal(rrd_create_r(path, 10, FIRST, 2, words), 0);
	for (int at = FIRST + 10; at <= LAST; at += 10) {
		char text[64];
		const char *update = text;

		snprintf(text, sizeof(text), "%d:7", at);
		assert_int_equal(rrd_update_r(path, NULL, 1, &update), 0);
	}
}

/* Seconds of the time that are known, all of them 7. */
static double known(const char *path, mc_time from, mc_time to)
{
	struct mc_span span = { .from = from, .to = to, .points = 400 };
	struct mc_history *history = history_new(&gauge.type, span, 10 * MC_SECOND);
	char why[MC_HISTORY_WHY];
	double seconds = 0;

	assert_non_null(history);
	assert_int_equal(fetch_file(path, NULL, history, why), 0);
	history_finish(history);
	for (unsigned i = 0; i < history->points_len; i++) {
		seconds += history->points[i].seconds;
		if (history->points[i].seconds > 0)
			assert_true(fabs(history->points[i].average - 7) < 1e-9);
	}
	mc_history_free(history);
	return seconds;
}

static void a_time_of_which_the_file_has_all_or_nothing(void **state)
{
	char path[] = "/tmp/test-rrdtool-fetch-XXXXXX";

	(void)state;
	make_file(path);
	assert_true(known(path, (mc_time)FIRST * MC_SECOND, (mc_time)LAST * MC_SECOND) == 1000);
	assert_true(known(path, (FIRST + 100) * MC_SECOND, (FIRST + 200) * MC_SECOND) == 100);
	assert_true(known(path, MC_SECOND, 1000 * MC_SECOND) == 0);
	assert_true(known(path, (LAST + 100) * MC_SECOND, (LAST + 200) * MC_SECOND) == 0);
	unlink(path);
}

/* librrd would have made a row for each ten seconds of a century. */
static void a_century_takes_little_memory(void **state)
{
	char path[] = "/tmp/test-rrdtool-fetch-XXXXXX";
	struct rusage before, after;

	(void)state;
	make_file(path);
	getrusage(RUSAGE_SELF, &before);
	assert_true(known(path, MC_SECOND, 3000000000 * MC_SECOND) == 1000);
	getrusage(RUSAGE_SELF, &after);
	assert_true(after.ru_maxrss - before.ru_maxrss < 100 * 1024);
	unlink(path);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_time_of_which_the_file_has_all_or_nothing),
		cmocka_unit_test(a_century_takes_little_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
