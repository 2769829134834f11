/* SPDX-License-Identifier: MIT */
/* Writers that want notifications together, or not too many. */
#include "unit.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/thread.h"
#include "engine/write/writer.h"
#include "lab.h"

struct sink {
	_Atomic unsigned offers; /* Calls of notify(). */
	_Atomic unsigned notifications;
	char message[200]; /* Of the last. */
};

static int sink_notify(struct mc_ctx *ctx, const struct mc_notification *notification)
{
	struct sink *sink = ctx->self;

	sink->offers++;
	for (; notification != NULL; notification = mc_next_notification(ctx)) {
		snprintf(sink->message, sizeof(sink->message), "%s", notification->message);
		sink->notifications++;
	}
	return 0;
}

static const struct mc_plugin sink_plugin = {
	.api = MC_API,
	.name = "sink",
	.self_size = sizeof(struct sink),
	.writer = &(const struct mc_writer){ .notify = sink_notify },
};
static const struct mc_plugin source_plugin = { .api = MC_API, .name = "source" };

static struct lab lab;
static struct instance *source, *sinks[2];
static struct sink *one, *two;

static int open_lab(void **state)
{
	(void)state;
	lab_open(&lab, 64 << 20);
	source = engine_add(lab.engine, &source_plugin, "source");
	sinks[0] = engine_add(lab.engine, &sink_plugin, "one");
	sinks[1] = engine_add(lab.engine, &sink_plugin, "two");
	one = engine_ctx(sinks[0])->self;
	two = engine_ctx(sinks[1])->self;
	assert_int_equal(engine_start_idle(lab.engine), 0);
	return 0;
}

static int close_lab(void **state)
{
	(void)state;
	lab_close(&lab);
	return 0;
}

static bool drain(struct instance *sink)
{
	return writer_drain(sink->context.writer, thread_time() + LAB_LIMIT);
}

static struct mc_writer_status ledger_of(struct instance *sink)
{
	struct mc_writer_status status;

	writer_status(sink->context.writer, &status);
	return status;
}

static void tell(enum mc_severity severity, unsigned number)
{
	char instance[16];

	snprintf(instance, sizeof(instance), "%u", number);
	mc_notify(engine_ctx(source),
		  &(struct mc_notification){ .severity = severity,
					     .id = { .plugin = "p", .plugin_instance = instance },
					     .message = "hot" });
}

static void notifications_wait_for_others(void **state)
{
	(void)state;
	mc_linger_notifications(engine_ctx(sinks[0]), MC_SECOND);
	tell(MC_FAILURE, 1);
	tell(MC_FAILURE, 2);
	while (two->notifications < 2)
		sched_yield();
	assert_int_equal(one->offers, 0);
	clock_step(MC_SECOND);
	while (one->notifications < 2)
		sched_yield();
	assert_int_equal(one->offers, 1);
	tell(MC_FAILURE, 3);
	assert_true(drain(sinks[0])); /* This does not wait. */
	assert_int_equal(one->notifications, 3);
}

static bool wants_even(struct mc_ctx *ctx, const struct mc_notification *notification)
{
	(void)ctx;
	return strtol(notification->id.plugin_instance, NULL, 10) % 2 == 0;
}

/* Notifications that a writer does not select are neither sent nor summed up. */
static void a_writer_selects_its_notifications(void **state)
{
	(void)state;
	mc_select_notifications(engine_ctx(sinks[0]), wants_even);
	mc_limit_notifications(engine_ctx(sinks[0]), 100);
	for (unsigned i = 0; i < 200; i++)
		tell(MC_FAILURE, i);
	assert_true(drain(sinks[0]));
	assert_true(drain(sinks[1]));
	assert_int_equal(one->notifications, 100);
	assert_int_equal(ledger_of(sinks[0]).suppressed_notifications, 0);
	assert_int_equal(two->notifications, 200);
}

/* Of a storm each writer gets as much as it wants, and the number of the rest; no other writer
 * gets less. */
static void a_storm_of_notifications_is_summed_up(void **state)
{
	(void)state;
	mc_limit_notifications(engine_ctx(sinks[0]), 100);
	for (unsigned i = 0; i < 10000; i++)
		tell(MC_FAILURE, i);
	assert_true(drain(sinks[0]));
	assert_true(drain(sinks[1]));
	assert_int_equal(one->notifications, 100);
	assert_int_equal(ledger_of(sinks[0]).suppressed_notifications, 9900);
	assert_int_equal(two->notifications + ledger_of(sinks[1]).lost_notifications, 10000);
	assert_int_equal(ledger_of(sinks[1]).suppressed_notifications, 0);
	clock_step(10 * MC_SECOND);
	while (one->notifications < 101)
		sched_yield();
	assert_string_equal(one->message,
			    "9900 more notifications of 1 host: 9900 FAILURE, 0 WARNING, "
			    "0 OKAY; see NoticeRate");
	/* Recoveries of the hundred that were sent, and as many more as the limit lets through. */
	for (unsigned i = 0; i < 10000; i++)
		tell(MC_OKAY, i);
	assert_true(drain(sinks[0]));
	assert_int_equal(one->notifications, 301);
	assert_true(engine_stop(lab.engine, LAB_LIMIT));
	assert_int_equal(one->notifications, 302);
	assert_string_equal(one->message,
			    "9800 more notifications of 1 host: 0 FAILURE, 0 WARNING, "
			    "9800 OKAY; see NoticeRate");
	assert_int_equal(ledger_of(sinks[0]).lost_notifications, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_lab, close_lab)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(notifications_wait_for_others),
		TEST(a_writer_selects_its_notifications),
		TEST(a_storm_of_notifications_is_summed_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
