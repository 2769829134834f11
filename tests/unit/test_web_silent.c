/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "silent.h"

#define HOUR (3600 * MC_SECOND)

static mc_time now = MC_SECOND; /* The clock of the plugin. */

mc_time mc_now(void)
{
	return now;
}

static mc_time wall = 30 * HOUR;

mc_time mc_wall(void)
{
	return wall;
}

static void note(void *argument, const char *host, mc_time since)
{
	char *out = argument;
	size_t used = strlen(out);

	snprintf(out + used, 64 - used, "%s %d ", host, (int)(since / HOUR));
}

static void shown(struct silent *silent, const char *wanted)
{
	char out[64] = "";

	silent_each(silent, note, out);
	assert_string_equal(out, wanted);
}

static void a_host_ended_with_its_last_series(void **state)
{
	struct silent silent = { 0 };

	(void)state;
	silent_init(&silent);
	silent_add(&silent, "a", 2 * HOUR);
	silent_add(&silent, "b", 3 * HOUR);
	silent_add(&silent, "a", 1 * HOUR); /* Of another of its series. */
	shown(&silent, "b 3 a 2 ");
	silent_forget_all(&silent, "b/");
	shown(&silent, "a 2 ");
	silent_done(&silent);
}

/* "old0", the oldest, to "old99", then as many younger ones as there is room for. */
static void those_of_before_a_day_make_room_first(void **state)
{
	struct silent silent = { 0 };
	char name[24];

	(void)state;
	silent_init(&silent);
	wall = 1000 * HOUR;
	for (int i = 0; i < 100; i++) {
		snprintf(name, sizeof(name), "old%d", i);
		silent_recall(&silent, name, (i + 1) * HOUR);
		silent_recall(&silent, name, (i + 1) * HOUR);
	}
	for (int i = 0; i < SILENT_HOSTS_MAX - 1; i++) {
		snprintf(name, sizeof(name), "%d", i);
		assert_false(silent_recall(&silent, name, 990 * HOUR));
	}
	silent_trim(&silent);
	assert_int_equal(silent.hosts.map.len, SILENT_HOSTS_MAX);
	for (int i = 0; i < SILENT_HOSTS_MAX - 1; i++) {
		snprintf(name, sizeof(name), "%d", i);
		silent_forget(&silent, name);
	}
	shown(&silent, "old99 100 ");
	silent_done(&silent);
	wall = 30 * HOUR;
}

/* Hosts "0", "1"...; returns how many until they are to be trimmed. */
static int fill(struct silent *silent)
{
	char name[16];
	int len = 0;
	bool full = false;

	while (!full) {
		snprintf(name, sizeof(name), "%d", len++);
		full = silent_add(silent, name, 1 * HOUR);
	}
	return len;
}

static void only_so_many_are_kept(void **state)
{
	struct silent silent = { 0 };
	int len;

	(void)state;
	silent_init(&silent);
	assert_false(silent_add(&silent, "last", 100 * HOUR));
	len = fill(&silent);
	assert_int_equal(len + 1, SILENT_HOSTS_MAX + SILENT_HOSTS_MORE);
	silent_trim(&silent);
	assert_int_equal(silent.hosts.map.len, SILENT_HOSTS_MAX);
	silent_done(&silent);
}

static void count(void *argument, const char *host, mc_time since)
{
	(void)since;
	*(unsigned *)argument += strncmp(host, "dead", 4) == 0;
}

/* Fifty that had 'series' each, and then so many that come and go. */
static unsigned left_of_fifty(unsigned series, unsigned passing)
{
	struct silent silent = { 0 };
	char name[24];
	unsigned left = 0;

	wall = 8 * HOUR; /* All have ended within the last day. */
	silent_init(&silent);
	for (unsigned i = 0; i < 50 * series; i++) {
		snprintf(name, sizeof(name), "dead%u", i % 50);
		silent_add(&silent, name, 1 * HOUR);
	}
	for (unsigned i = 0; i < passing; i++) {
		snprintf(name, sizeof(name), "passing%u", i);
		if (silent_add(&silent, name, 1 * HOUR + (i + 1) * MC_SECOND))
			silent_trim(&silent);
	}
	silent_each(&silent, count, &left);
	wall = 30 * HOUR;
	silent_done(&silent);
	return left;
}

static void those_that_pass_do_not_take_the_place_of_others(void **state)
{
	(void)state;
	assert_int_equal(left_of_fifty(20, 24000), 50);
	assert_int_equal(left_of_fifty(1, 24000), 50);
}

/* The host that is silent has ended first. */
static void those_that_are_present_take_no_room(void **state)
{
	struct silent silent = { 0 };
	char name[16];
	int len;

	(void)state;
	silent_init(&silent);
	silent_add(&silent, "first", 100 * HOUR);
	len = fill(&silent);
	for (int i = 0; i < len; i++) {
		snprintf(name, sizeof(name), "%d", i);
		silent_forget(&silent, name);
	}
	silent_forget(&silent, "unknown");
	silent_trim(&silent);
	shown(&silent, "first 100 ");
	silent_done(&silent);
}

/* From the catalogue: at once, and again until all has had the time to come back. */
static void silent_hosts_of_before_are_recalled(void **state)
{
	struct silent silent = { 0 };
	int times = 0;

	(void)state;
	silent_init(&silent);
	for (int i = 0; i < 20 * 60; i++) {
		times += silent_recall_due(&silent);
		now += MC_SECOND;
	}
	assert_int_equal(times, 11 * 60 / 5 + 1);
	silent_recall(&silent, "a", 2 * HOUR);
	silent_recall(&silent, "a", 1 * HOUR);
	silent_add(&silent, "b", 4 * HOUR);
	silent_recall(&silent, "b", 3 * HOUR);
	shown(&silent, "a 2 b 4 ");
	silent_done(&silent);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_host_ended_with_its_last_series),
		cmocka_unit_test(those_of_before_a_day_make_room_first),
		cmocka_unit_test(silent_hosts_of_before_are_recalled),
		cmocka_unit_test(only_so_many_are_kept),
		cmocka_unit_test(those_that_are_present_take_no_room),
		cmocka_unit_test(those_that_pass_do_not_take_the_place_of_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
