/* SPDX-License-Identifier: MIT */
/* What guards the network plugin against senders that are not what they seem:
 * times over a restart. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "newest.h"
#include "times.h"

#include <collector/private/status.h>

mc_time mc_wall(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return t.tv_sec * MC_SECOND + t.tv_nsec;
}

#define HOUR (3600 * MC_SECOND)

static struct mc_ctx ctx = { .name = "guards" };
static unsigned logged;

int mc_fail(struct mc_ctx *context, int errnum, const char *fmt, ...)
{
	assert_ptr_equal(context, &ctx);
	assert_non_null(fmt);
	return errnum != 0 ? -errnum : -EINVAL;
}

void mc_log(struct mc_ctx *context, enum mc_level level, const char *fmt, ...)
{
	assert_ptr_equal(context, &ctx);
	assert_int_equal(level, MC_WARN);
	assert_non_null(fmt);
	logged++;
}

void mc_count_failure(struct mc_ctx *context)
{
	(void)context;
}

/* --- Times over a restart ------------------------------------------------- */

#define FILE_NAME "guards.times"

static bool take(struct times *times, const char *user, const char *host, mc_time time)
{
	return times_take(times_find(times, user, host), time);
}

/* The file was written a minute ago. */
static void age_file(void)
{
	struct timespec times[2] = { 0 };

	clock_gettime(CLOCK_REALTIME, &times[0]);
	times[0].tv_sec -= 60;
	times[1] = times[0];
	assert_int_equal(utimensat(AT_FDCWD, FILE_NAME, times, 0), 0);
}

/* Ends as if the process had been killed. */
static void end_by_kill(struct times *times)
{
	free(times->path);
	times->path = NULL;
	times_stop(times);
}

static void what_was_there_before_the_start_is_refused(void **state)
{
	mc_time now = mc_wall();
	struct times times;

	(void)state;
	unlink(FILE_NAME);
	times_start(&times, &ctx);
	assert_true(take(&times, "alice", "a", now - 100));
	assert_true(take(&times, "alice", "a", now - 10));
	/* While it runs the values themselves show which is newer. */
	assert_true(take(&times, "alice", "a", now - 50));
	assert_true(take(&times, "bob", "a", now - 70));
	times_stop(&times);

	times_start(&times, &ctx);
	assert_false(take(&times, "alice", "a", now - 50));
	assert_false(take(&times, "alice", "a", now - 10));
	assert_true(take(&times, "alice", "a", now - 9));
	assert_false(take(&times, "bob", "a", now - 70));
	assert_true(take(&times, "bob", "a", now - 60));
	assert_true(take(&times, "alice", "b", now - 100));
	times_stop(&times);
	assert_int_equal(logged, 0);
	unlink(FILE_NAME);
}

/* What came since the file was written is not in it. */
static void a_kill_makes_no_replay_good(void **state)
{
	mc_time now = mc_wall(), later = now + 60 * MC_SECOND;
	struct times times;

	(void)state;
	unlink(FILE_NAME);
	times_start(&times, &ctx);
	assert_true(take(&times, "u", "h", now - 3));
	end_by_kill(&times);

	times_start(&times, &ctx);
	assert_false(take(&times, "u", "h", now - 3));
	assert_false(take(&times, "u", "other", now - 1));
	assert_true(take(&times, "u", "h", later));
	end_by_kill(&times);

	/* Long ago: the file would have been written again. */
	age_file();
	times_start(&times, &ctx);
	assert_false(take(&times, "u", "h", now - 51 * MC_SECOND));
	assert_true(take(&times, "u", "h", now - 40 * MC_SECOND));
	times_stop(&times);

	/* Nor does a stop make the next kill one. */
	times_start(&times, &ctx);
	assert_true(take(&times, "u", "h", now - 39 * MC_SECOND));
	end_by_kill(&times);
	times_start(&times, &ctx);
	assert_false(take(&times, "u", "h", now - 38 * MC_SECOND));
	times_stop(&times);
	unlink(FILE_NAME);
}

static void it_is_saved_now_and_then(void **state)
{
	mc_time now = mc_wall();
	struct times times, other;

	(void)state;
	unlink(FILE_NAME);
	times_start(&times, &ctx);
	assert_true(take(&times, "u", "h", now - 5));
	times_save(&times, 100 * MC_SECOND);
	assert_true(take(&times, "u", "h", now - 3));
	times_save(&times, 109 * MC_SECOND); /* Too soon. */
	age_file();
	times_start(&other, &ctx);
	assert_false(take(&other, "u", "h", now - 5));
	assert_true(take(&other, "u", "h", now - 4));
	end_by_kill(&other);
	times_save(&times, 110 * MC_SECOND);
	age_file();
	times_start(&other, &ctx);
	assert_false(take(&other, "u", "h", now - 3));
	times_stop(&other);
	times_stop(&times);
	unlink(FILE_NAME);
}

static void a_damaged_file_locks_nobody_out(void **state)
{
	FILE *file = fopen(FILE_NAME, "w");
	mc_time now = mc_wall();
	struct times times;

	(void)state;
	assert_non_null(file);
	for (unsigned i = 0; i < 1000; i++) /* All in the future. */
		fprintf(file, "%016x %lld\n", i, (long long)now + 60 * MC_SECOND);
	fputs("zzz\n-1 -1\n\377\377", file);
	fclose(file);
	age_file();
	times_start(&times, &ctx);
	assert_int_equal(times.len, 0);
	assert_true(take(&times, "u", "h", now));
	times_stop(&times);
	unlink(FILE_NAME);
}

static void what_is_too_much_is_not_remembered(void **state)
{
	struct times times;
	char host[32];
	unsigned known = 0;

	(void)state;
	unlink(FILE_NAME);
	times_start(&times, &ctx);
	for (unsigned i = 0; i < TIMES_MAX + 1000; i++) {
		snprintf(host, sizeof(host), "host%u", i);
		known += times_find(&times, "u", host) != NULL;
	}
	assert_int_equal(known, TIMES_MAX);
	times_stop(&times);
	unlink(FILE_NAME);
}

static void a_file_that_cannot_be_written_is_told_of_once(void **state)
{
	struct times times;

	(void)state;
	unlink(FILE_NAME);
	times_start(&times, &ctx);
	free(times.path);
	times.path = strdup("no/such/folder/file");
	logged = 0;
	times_save(&times, 100 * MC_SECOND);
	times_save(&times, 200 * MC_SECOND);
	assert_int_equal(logged, 1);
	times_stop(&times);
	unlink(FILE_NAME); /* From the start. */
	assert_int_equal(logged, 1);
	logged = 0;
}

/* --- Times of series ------------------------------------------------------ */

static uint64_t series(const struct newest *newest, unsigned number)
{
	char name[32];
	int size = snprintf(name, sizeof(name), "host/p/gauge-%u", number);

	return newest_series(newest, name, (size_t)size);
}

static void only_what_was_there_is_refused(void **state)
{
	struct newest newest;
	uint64_t one, other;

	(void)state;
	newest_start(&newest);
	one = series(&newest, 1);
	other = series(&newest, 2);
	assert_true(one != other);
	assert_false(newest_has(&newest, one, 0));
	newest_note(&newest, one, 100);
	newest_note(&newest, one, 90); /* It was late. */
	assert_true(newest_has(&newest, one, 90));
	assert_true(newest_has(&newest, one, 100));
	assert_false(newest_has(&newest, one, 101));
	/* Another series of the host may be older. */
	assert_false(newest_has(&newest, other, 10));
	newest_note(&newest, other, 10);
	assert_true(newest_has(&newest, other, 10));
	assert_false(newest_has(&newest, other, 11));
	newest_stop(&newest);
	newest_stop(&newest);
}

/* As many as there are places are remembered, but for a few whose hashes are
 * the same; of more, those that were heard last. */
static void those_heard_last_are_remembered(void **state)
{
	struct newest newest;
	unsigned known = 0, silent = 0;

	(void)state;
	newest_start(&newest);
	for (unsigned i = 0; i < NEWEST_LEN; i++)
		newest_note(&newest, series(&newest, i), 1000);
	for (unsigned i = 0; i < NEWEST_LEN / 8; i++)
		newest_note(&newest, series(&newest, NEWEST_LEN + i), 2000);
	for (unsigned i = 0; i < NEWEST_LEN; i++)
		silent += newest_has(&newest, series(&newest, i), 1000);
	for (unsigned i = 0; i < NEWEST_LEN / 8; i++)
		known += newest_has(&newest, series(&newest, NEWEST_LEN + i), 2000);
	assert_in_range(silent, NEWEST_LEN / 2, NEWEST_LEN / 8 * 7);
	assert_in_range(known, NEWEST_LEN / 8 - 50, NEWEST_LEN / 8);
	newest_stop(&newest);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_there_before_the_start_is_refused),
		cmocka_unit_test(a_kill_makes_no_replay_good),
		cmocka_unit_test(it_is_saved_now_and_then),
		cmocka_unit_test(a_damaged_file_locks_nobody_out),
		cmocka_unit_test(what_is_too_much_is_not_remembered),
		cmocka_unit_test(a_file_that_cannot_be_written_is_told_of_once),
		cmocka_unit_test(only_what_was_there_is_refused),
		cmocka_unit_test(those_heard_last_are_remembered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
