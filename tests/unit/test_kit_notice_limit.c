/* SPDX-License-Identifier: MIT */
/* How many notifications senders may cause in a storm. */
#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "kit/net/notice_limit.h"
#include <collector/writer.h>

#define HOUR (3600 * MC_SECOND)
#define MINUTE (60 * MC_SECOND)

static struct mc_notice_limit limit;
static struct mc_ctx ctx = { .host = "here", .name = "test" };
static mc_time now; /* Monotonic. */

static char said[300]; /* The last summary, and how many there were. */
static enum mc_severity said_severity;
static unsigned summaries;

void mc_notify(struct mc_ctx *self, const struct mc_notification *notification)
{
	assert_ptr_equal(self, &ctx);
	assert_string_equal(notification->id.host, "here");
	assert_string_equal(notification->fields[0].name, MC_SUMMARY_FIELD);
	snprintf(said, sizeof(said), "%s", notification->message);
	said_severity = notification->severity;
	summaries++;
}

static int start(void **state)
{
	(void)state;
	limit = (struct mc_notice_limit){ 0 };
	mc_notice_limit_init(&limit, 100);
	now = 5 * HOUR;
	summaries = 0;
	return 0;
}

static int stop(void **state)
{
	(void)state;
	mc_notice_limit_done(&limit);
	return 0;
}

static bool take(uint64_t sender, bool is_known, enum mc_severity severity, unsigned link)
{
	char instance[16];

	snprintf(instance, sizeof(instance), "%u", link);
	return mc_notice_limit_takes(
		&limit, (struct mc_notice_sender){ sender, is_known },
		&(struct mc_notification){ .severity = severity,
					   .id = { .host = "switch",
						   .plugin_instance = "link",
						   .type_instance = instance } },
		now);
}

/* The number of notifications from that many messages within 'time', of senders by turns. */
static unsigned flood(unsigned senders, unsigned messages, mc_time time, bool is_known)
{
	mc_time begun = now;
	unsigned taken = 0;

	for (unsigned i = 0; i < messages; i++) {
		now = begun + time / messages * i;
		taken += take(2 * (1000 + i % senders), is_known, MC_FAILURE, i);
		mc_notice_limit_sum_up(&limit, &ctx, now);
	}
	return taken;
}

static void two_hundred_unknown_senders_share_half(void **state)
{
	(void)state;
	assert_int_equal(flood(200, 64000, 4 * MC_SECOND, false), 50);
	assert_int_equal(summaries, 0);
	now += 10 * MC_SECOND;
	mc_notice_limit_sum_up(&limit, &ctx, now);
	assert_int_equal(summaries, 1);
	assert_int_equal(said_severity, MC_FAILURE);
	assert_string_equal(said, "63950 more notifications of 200 senders: "
				  "63950 FAILURE, 0 WARNING, 0 OKAY; see "
				  "NoticeLimit");
	mc_notice_limit_sum_up(&limit, &ctx, now + HOUR);
	assert_int_equal(summaries, 1);
}

static void one_address_in_an_hour(void **state)
{
	(void)state;
	assert_int_equal(flood(1, 36000, HOUR, false), 99);
	assert_int_equal(summaries, 6);
	assert_non_null(strstr(said, " notifications of 1 sender: "));
	stop(NULL);
	start(NULL);
	assert_int_equal(flood(1, 36000, HOUR, true), 199);
	assert_int_equal(summaries, 6);
}

static void a_known_sender_is_told_in_a_storm(void **state)
{
	(void)state;
	assert_true(take(7, false, MC_FAILURE, 1));
	now += MC_NOTICE_PROBATION;
	flood(200, 10000, 4 * MC_SECOND, false);
	assert_false(take(8, false, MC_FAILURE, 1));
	assert_true(take(7, false, MC_FAILURE, 1)); /* Heard before. */
	assert_true(take(9, true, MC_FAILURE, 1));  /* Configured. */
}

/* Neither its first ones, which were taken, nor later ones. */
static void nobody_becomes_known_by_a_storm(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		flood(200, 1000, 100 * MC_SECOND, false);
		now += 5 * MINUTE;
	}
	assert_int_equal(limit.heard.map.len, 0);
	now += MC_NOTICE_PROBATION;
	assert_true(take(2000, false, MC_FAILURE, 1));
	assert_int_equal(limit.heard.map.len, 1);
	flood(200, 1000, MC_SECOND, false);
	assert_int_equal(limit.heard.map.len, 0);
}

static void the_heard_are_bounded(void **state)
{
	(void)state;
	for (unsigned i = 0; i < MC_NOTICE_HEARD_MAX + 100; i++) {
		assert_true(take(i, false, MC_FAILURE, i));
		now += 2 * MINUTE;
	}
	assert_int_equal(limit.heard.map.len, MC_NOTICE_HEARD_MAX);
}

static void a_recovery_of_what_was_told_is_told(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 60; i++)
		assert_int_equal(take(1, false, MC_FAILURE, i), i < 50);
	for (unsigned i = 0; i < 60; i++)
		assert_int_equal(take(1, false, MC_OKAY, i), i < 50);
	assert_false(take(1, false, MC_OKAY, 1));
}

static void without_a_limit_all_is_told(void **state)
{
	(void)state;
	mc_notice_limit_done(&limit);
	limit = (struct mc_notice_limit){ 0 };
	mc_notice_limit_init(&limit, 0);
	assert_int_equal(flood(5, 1000, MC_SECOND, false), 1000);
	assert_int_equal(summaries, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(two_hundred_unknown_senders_share_half),
		TEST(one_address_in_an_hour),
		TEST(a_known_sender_is_told_in_a_storm),
		TEST(nobody_becomes_known_by_a_storm),
		TEST(the_heard_are_bounded),
		TEST(a_recovery_of_what_was_told_is_told),
		TEST(without_a_limit_all_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
