/* SPDX-License-Identifier: MIT */
/* Alerts that are kept: changes without repeats, states and acts of people over a restart, a file
 * with damage, and several threads at once. */
#include "engine/alerts/alerts.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"

#define WALL (INT64_C(1700000000) * MC_SECOND)

static const struct alerts_owner owner = { "collector", 1 };

static struct {
	char path[64], text[4096];
} all;

static int open_file(void **state)
{
	int fd;

	(void)state;
	clock_stop(1000 * MC_SECOND, WALL);
	snprintf(all.path, sizeof(all.path), "/tmp/test_alerts.XXXXXX");
	fd = mkstemp(all.path);
	assert_true(fd >= 0);
	close(fd);
	unlink(all.path);
	return 0;
}

static int remove_file(void **state)
{
	(void)state;
	unlink(all.path);
	return 0;
}

static void add(const char *fmt, ...) MC_PRINTF(1, 2);
static void add(const char *fmt, ...)
{
	size_t size = strlen(all.text);
	va_list args;

	va_start(args, fmt);
	vsnprintf(all.text + size, sizeof(all.text) - size, fmt, args);
	va_end(args);
}

static void show_past(void *argument, const struct mc_past_alert *past)
{
	(void)argument;
	add("%s %d %s\n", past->series, past->severity, past->reason);
}

static void show_silence(void *argument, const struct mc_silence *silence)
{
	(void)argument;
	add("%s %s\n", silence->pattern, silence->reason);
}

static void show_state(void *argument, const char *name, const struct mc_alert *alert)
{
	(void)argument;
	add("%s %s %lld %s\n", name, alert->series, (long long)(alert->since / MC_SECOND),
	    alert->reason);
}

static const char *past_of(struct alerts *alerts)
{
	all.text[0] = '\0';
	alerts_each_past(alerts, show_past, NULL);
	return all.text;
}

static bool notify(struct alerts *alerts, const char *name, enum mc_severity severity)
{
	return alerts_pass(
		alerts, name,
		&(struct mc_notification){ .severity = severity, .message = "of a value" }, true);
}

static bool stand(struct alerts *alerts, const char *name, enum mc_severity severity, mc_time since)
{
	return alerts_stand(alerts, &owner, name,
			    &(struct mc_standing){
				    .severity = severity, .reason = "it is so", .since = since });
}

static void a_repeat_is_no_change(void **state)
{
	struct alerts *alerts = alerts_new(NULL);

	(void)state;
	for (unsigned i = 0; i < 5; i++)
		assert_true(notify(alerts, "a/b/c", MC_WARNING));
	notify(alerts, "x/b/c", MC_WARNING);
	notify(alerts, "a/b/c", MC_WARNING);
	notify(alerts, "a/b/c", MC_FAILURE);
	notify(alerts, "a/b/c", MC_OKAY);
	notify(alerts, "a/b/c", MC_OKAY);
	notify(alerts, "a/b/c", MC_WARNING);
	assert_string_equal(past_of(alerts), "a/b/c 2 of a value\nx/b/c 2 of a value\n"
					     "a/b/c 1 of a value\na/b/c 4 of a value\n"
					     "a/b/c 2 of a value\n");
	alerts_free(alerts);
}

static void a_state_begins_when_it_says(void **state)
{
	struct alerts *alerts = alerts_new(NULL);

	(void)state;
	assert_true(stand(alerts, "a/b/c", MC_FAILURE, WALL - 60 * MC_SECOND));
	assert_false(stand(alerts, "a/b/c", MC_FAILURE, WALL));
	assert_true(stand(alerts, "d/e/f", MC_WARNING, 0));
	all.text[0] = '\0';
	alerts_each_standing(alerts, show_state, NULL);
	assert_string_equal(all.text, "collector a/b/c 1699999940 it is so\n"
				      "collector d/e/f 1700000000 it is so\n");
	alerts_free(alerts);
}

static void what_people_did_outlives_a_restart(void **state)
{
	struct alerts *alerts = alerts_new(all.path);
	struct alerts_mark mark;

	(void)state;
	stand(alerts, "a/b/c", MC_FAILURE, 0);
	alerts_acknowledge(alerts, "a/b/c", MC_STATE_FAILURE, "Ann\tlooks");
	assert_int_equal(alerts_silence(alerts, &(struct mc_silence){ .pattern = "b",
								      .until = WALL + MC_SECOND,
								      .reason = "disk" }),
			 0);
	alerts_save(alerts);
	alerts_free(alerts);

	alerts = alerts_new(all.path);
	alerts_load(alerts);
	alerts_mark(alerts, alerts_begin(alerts), "a/b/c", &mark);
	assert_true(mark.acknowledged == WALL && mark.silenced_until == 0);
	assert_null(strchr(mark.reason, '\t'));
	all.text[0] = '\0';
	alerts_each_silence(alerts, show_silence, NULL);
	assert_string_equal(all.text, "b disk\n");
	assert_string_equal(past_of(alerts), "a/b/c 1 it is so\n");
	alerts_free(alerts);
}

static void damaged_lines_are_skipped(void **state)
{
	FILE *file = fopen(all.path, "w");
	struct alerts *alerts = alerts_new(all.path);

	(void)state;
	assert_non_null(file);
	fprintf(file, "collector alerts 1\n"
		      "state\tcollector a/b/c\t7\t1\tno such severity\t\n"
		      "state\tcollector a/b/c\t1\n"
		      "past\ta/b/c\t1\t99999999999999999999\tno such time\t\n"
		      "\n\t\t\t\t\t\n"
		      "past\ta/b/c\t1\t5\tright\t\n"
		      "past\ta/b/c\t1\t5\tcut");
	fclose(file);
	alerts_load(alerts);
	assert_string_equal(past_of(alerts), "a/b/c 1 right\n");
	alerts_free(alerts);
}

static void *change_all(void *argument)
{
	struct alerts *alerts = argument;
	struct alerts_mark mark;
	char name[32];

	for (unsigned i = 0; i < 500; i++) {
		snprintf(name, sizeof(name), "h%u/b/c", i % 17);
		stand(alerts, name, i % 3 == 0 ? MC_OKAY : MC_FAILURE, 0);
		notify(alerts, name, i % 2 == 0 ? MC_WARNING : MC_OKAY);
		alerts_acknowledge(alerts, name, MC_STATE_FAILURE, "seen");
		alerts_silence(alerts, &(struct mc_silence){ name, 0, WALL + MC_SECOND, "" });
		alerts_mark(alerts, alerts_begin(alerts), name, &mark);
		alerts_unsilence(alerts, name);
	}
	return NULL;
}

/* Beside the thread that writes. */
static void several_threads_at_once(void **state)
{
	struct alerts *alerts = alerts_new(all.path);
	pthread_t threads[3];

	(void)state;
	alerts_start(alerts);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, change_all, alerts), 0);
	for (unsigned i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	assert_true(alerts_stop(alerts, INT64_MAX));
	alerts_free(alerts);
	alerts = alerts_new(all.path);
	alerts_load(alerts);
	all.text[0] = '\0';
	alerts_each_silence(alerts, show_silence, NULL);
	assert_string_equal(all.text, "");
	assert_true(alerts_has_acknowledged(alerts));
	alerts_free(alerts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_repeat_is_no_change, open_file, remove_file),
		cmocka_unit_test_setup_teardown(a_state_begins_when_it_says, open_file,
						remove_file),
		cmocka_unit_test_setup_teardown(what_people_did_outlives_a_restart, open_file,
						remove_file),
		cmocka_unit_test_setup_teardown(damaged_lines_are_skipped, open_file, remove_file),
		cmocka_unit_test_setup_teardown(several_threads_at_once, open_file, remove_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
