/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "engine/write/notification_limit.h"

#define PERIOD NOTIFICATION_LIMIT_PERIOD

static struct notification_limit limit;
static const char *source; /* Of what comes. */

static int start(void **state)
{
	(void)state;
	limit = (struct notification_limit){ .len = 2 };
	source = "a";
	return 0;
}

static int stop(void **state)
{
	(void)state;
	notification_limit_done(&limit);
	return 0;
}

static bool passes(enum mc_severity severity, unsigned number, mc_time now)
{
	char instance[16];

	snprintf(instance, sizeof(instance), "%u", number);
	return notification_limit_passes(
		&limit, source,
		&(struct mc_notification){ .severity = severity,
					   .id = { .host = "h", .plugin_instance = instance } },
		now);
}

static void what_is_few_passes(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 10; i++) {
		assert_true(passes(MC_FAILURE, i, (i + 1) * PERIOD));
		assert_true(passes(MC_WARNING, i, (i + 1) * PERIOD + 5));
		assert_int_equal(notification_limit_due(&limit), CLOCK_NEVER);
	}
	limit.len = 0;
	for (unsigned i = 0; i < 10; i++)
		assert_true(passes(MC_FAILURE, i, 10 * PERIOD));
}

static void the_rest_is_counted(void **state)
{
	char text[NOTIFICATION_LIMIT_TEXT_SIZE];

	(void)state;
	assert_true(passes(MC_WARNING, 1, 2 * PERIOD));
	assert_true(passes(MC_WARNING, 2, 2 * PERIOD + 1));
	assert_false(passes(MC_WARNING, 3, 2 * PERIOD + 2));
	assert_false(passes(MC_OKAY, 4, 2 * PERIOD + 3));
	assert_int_equal(notification_limit_due(&limit), 3 * PERIOD);
	/* Nobody has asked so far: the period goes on. */
	assert_false(passes(MC_WARNING, 5, 4 * PERIOD));
	assert_int_equal(notification_limit_sum_up(&limit, text), MC_WARNING);
	assert_string_equal(text, "3 more notifications of 1 host: 0 FAILURE, 2 "
				  "WARNING, 1 OKAY; see NoticeRate");
	assert_int_equal(notification_limit_due(&limit), CLOCK_NEVER);
	assert_true(passes(MC_WARNING, 6, 4 * PERIOD));
	assert_true(passes(MC_WARNING, 7, 4 * PERIOD));
	assert_false(passes(MC_FAILURE, 8, 4 * PERIOD));
	assert_int_equal(notification_limit_sum_up(&limit, text), MC_FAILURE);
}

/* A source that is flooded leaves the others what is theirs. */
static void each_source_has_its_share(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 1000; i++)
		assert_int_equal(passes(MC_FAILURE, i, PERIOD), i < 2);
	source = "b";
	assert_true(passes(MC_FAILURE, 1000, PERIOD));
	assert_true(passes(MC_FAILURE, 1001, PERIOD));
	assert_false(passes(MC_FAILURE, 1002, PERIOD));
}

static void many_sources_share_what_is_left(void **state)
{
	static const char sources[2 * NOTIFICATION_LIMIT_SOURCES];
	unsigned passed = 0;

	(void)state;
	for (unsigned i = 0; i < sizeof(sources); i++) {
		source = &sources[i];
		for (unsigned j = 0; j < 5; j++)
			passed += passes(MC_FAILURE, 5 * i + j, PERIOD);
	}
	assert_int_equal(passed, 2 * NOTIFICATION_LIMIT_SOURCES);
}

static void a_summary_says_of_how_many_hosts(void **state)
{
	char text[NOTIFICATION_LIMIT_TEXT_SIZE], host[16];

	(void)state;
	limit.len = 1;
	for (unsigned i = 0; i < 2 * MC_HASH_SET_MAX + 100; i++) {
		snprintf(host, sizeof(host), "h%u", i / 2);
		notification_limit_passes(
			&limit, source,
			&(struct mc_notification){ .severity = MC_FAILURE, .id = { .host = host } },
			PERIOD);
		if (i == 6) {
			notification_limit_sum_up(&limit, text);
			assert_string_equal(text, "6 more notifications of 4 hosts: 6 "
						  "FAILURE, 0 WARNING, 0 OKAY; see "
						  "NoticeRate");
		}
	}
	notification_limit_sum_up(&limit, text);
	assert_non_null(strstr(text, " of at least 4096 hosts: "));
}

static void a_recovery_of_what_was_told_passes(void **state)
{
	(void)state;
	assert_true(passes(MC_FAILURE, 1, PERIOD));
	assert_true(passes(MC_WARNING, 2, PERIOD));
	assert_false(passes(MC_FAILURE, 3, PERIOD));
	assert_true(passes(MC_OKAY, 2, PERIOD));
	assert_true(passes(MC_OKAY, 1, PERIOD));
	assert_false(passes(MC_OKAY, 1, PERIOD)); /* It is reported already. */
	assert_false(passes(MC_OKAY, 3, PERIOD));
}

/* In any order: each recovery of a reported failure, and no other. */
static void recoveries_are_found_among_many(void **state)
{
	const unsigned most = MC_HASH_SET_MAX;

	(void)state;
	limit.len = 3 * (uint64_t)most;
	for (unsigned i = 0; i < most + 100; i++)
		assert_true(passes(MC_FAILURE, i, PERIOD));
	assert_int_equal(limit.known_failures.len, most);
	limit.len = 1;
	for (unsigned i = 1; i < most; i += 2)
		assert_true(passes(MC_OKAY, i, PERIOD));
	assert_int_equal(limit.known_failures.len, most / 2);
	for (unsigned i = 1; i < most; i += 2)
		assert_false(passes(MC_OKAY, i, PERIOD));
	for (unsigned i = 0; i < most; i += 2)
		assert_true(passes(MC_OKAY, i, PERIOD));
	assert_int_equal(limit.known_failures.len, 0);
	for (unsigned i = most; i < most + 100; i++)
		assert_false(passes(MC_OKAY, i, PERIOD));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_is_few_passes),
		TEST(the_rest_is_counted),
		TEST(each_source_has_its_share),
		TEST(many_sources_share_what_is_left),
		TEST(a_summary_says_of_how_many_hosts),
		TEST(a_recovery_of_what_was_told_passes),
		TEST(recoveries_are_found_among_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
