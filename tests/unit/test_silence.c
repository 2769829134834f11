/* SPDX-License-Identifier: MIT */
/* Reports of series that fall silent, and of a collector that stood still itself. */
#include "unit.h"

#include <stdlib.h>

#include <collector/control.h>
#include <collector/private/alerts.h>
#include <collector/private/catalogue.h>

#include "base/thread.h"
#include "engine/change/silence.h"
#include "lab.h"

#define HEARD_MAX 256

static struct {
	struct lab lab;
	struct instance *source;
	pthread_mutex_t lock;
	struct {
		enum mc_severity severity;
		char host[64], plugin[64], series[24], message[1024];
	} heard[HEARD_MAX];
	_Atomic unsigned heard_len;
} all;

static int hear(struct mc_ctx *ctx, const struct mc_notification *notification)
{
	unsigned n = all.heard_len;

	(void)ctx;
	if (n == HEARD_MAX)
		return 0;
	all.heard[n].severity = notification->severity;
	snprintf(all.heard[n].host, 64, "%s", notification->id.host);
	snprintf(all.heard[n].plugin, 64, "%s",
		 notification->id.plugin != NULL ? notification->id.plugin : "");
	snprintf(all.heard[n].series, 24, "%s",
		 notification->fields_len > 0 ? notification->fields[0].value : "");
	snprintf(all.heard[n].message, 1024, "%s", notification->message);
	all.heard_len++;
	return 0;
}

static const struct mc_plugin ear_plugin = {
	.api = MC_API,
	.name = "ear",
	.writer = &(const struct mc_writer){ .notify = hear },
};
static const struct mc_plugin source_plugin = { .api = MC_API, .name = "source" };

static int open_lab(void **state)
{
	(void)state;
	memset(&all, 0, sizeof(all));
	lab_open(&all.lab, 1 << 20);
	engine_add(all.lab.engine, &ear_plugin, "ear");
	all.source = engine_add(all.lab.engine, &source_plugin, "source");
	return 0;
}

static int close_lab(void **state)
{
	(void)state;
	lab_close(&all.lab);
	return 0;
}

/* One value of that many series of that many hosts. */
static void put(unsigned hosts, unsigned series)
{
	struct mc_batch *batch = mc_begin(engine_ctx(all.source));
	char host[16], instance[16];

	for (unsigned h = 0; h < hosts; h++)
		for (unsigned s = 0; s < series; s++) {
			snprintf(host, sizeof(host), "h%02u", h);
			snprintf(instance, sizeof(instance), "%03u", s);
			mc_put_gauge(batch, 1, .host = host, .type = "gauge",
				     .type_instance = instance);
		}
	mc_commit(batch);
}

static void hold(unsigned series)
{
	struct mc_reading *reading = mc_read_begin(engine_ctx(all.source));
	char name[64];

	for (unsigned s = 0; s < series; s++) {
		int size = snprintf(name, sizeof(name), "h00/source/gauge-%03u", s);

		mc_hold(mc_find(reading, name, (size_t)size));
	}
	mc_read_end(reading);
}

static void pass_silently(void)
{
	clock_step(2 * LAB_INTERVAL + MC_SECOND);
	engine_read_once(all.lab.engine);
}

static void wait_for_notifications(unsigned len)
{
	mc_time until = thread_time() + LAB_LIMIT;

	while (all.heard_len < len && thread_time() < until)
		sched_yield();
	assert_int_equal(all.heard_len, len);
	assert_int_equal(all.lab.engine->notifications, len);
}

static void few_are_told_of_one_by_one(void **state)
{
	(void)state;
	engine_start_idle(all.lab.engine);
	put(1, SILENCE_SERIES_MAX);
	pass_silently();
	wait_for_notifications(SILENCE_SERIES_MAX);
	assert_int_equal(all.heard[3].severity, MC_FAILURE);
	assert_string_equal(all.heard[3].host, "h00");
	assert_string_equal(all.heard[3].plugin, "source");
	assert_string_equal(all.heard[3].series, "");
	assert_string_equal(all.heard[3].message,
			    "h00/source/gauge-003 has had no value for 21.0 seconds");
}

static void many_of_a_host_are_one_notification(void **state)
{
	(void)state;
	engine_start_idle(all.lab.engine);
	put(2, 60);
	pass_silently();
	wait_for_notifications(2);
	assert_string_equal(all.heard[1].host, "h01");
	assert_string_equal(all.heard[1].plugin, "");
	assert_string_equal(all.heard[1].series, "60");
	assert_string_equal(all.heard[1].message,
			    "60 series of host 'h01' have had no value for 21.0 seconds: "
			    "'source/gauge-000', 'source/gauge-001', 'source/gauge-002', "
			    "'source/gauge-003', 'source/gauge-004' and 55 others");
}

static void many_hosts_are_one_notification(void **state)
{
	(void)state;
	engine_start_idle(all.lab.engine);
	put(60, 11);
	pass_silently();
	wait_for_notifications(1);
	assert_string_equal(all.heard[0].host, "lab");
	assert_string_equal(all.heard[0].plugin, "collector");
	assert_string_equal(all.heard[0].series, "660");
	assert_string_equal(all.heard[0].message,
			    "660 series of 60 hosts have had no value for 21.0 "
			    "seconds: 'h00', 'h01', 'h02', 'h03', 'h04' and 55 "
			    "others");
}

/* More than there may be at once, of no more hosts than that. */
static void a_few_of_many_hosts_are_one_each(void **state)
{
	(void)state;
	engine_start_idle(all.lab.engine);
	put(40, 2);
	clock_step(2 * LAB_INTERVAL);
	put(1, 1);
	clock_step(MC_SECOND);
	engine_read_once(all.lab.engine);
	wait_for_notifications(40);
	assert_string_equal(all.heard[0].series, ""); /* Its only one. */
	for (unsigned i = 1; i < 40; i++)
		assert_string_equal(all.heard[i].series, "2");
}

/* Five a second in the long run, besides those for all hosts. */
static void a_stream_of_them_is_limited(void **state)
{
	struct silence_allowance allowance = { 0 };
	struct mc_reading *reading;

	(void)state;
	engine_start_idle(all.lab.engine);
	put(12, 1);
	reading = mc_read_begin(engine_ctx(all.source));
	for (unsigned round = 0; round < 10; round++) {
		struct silence silence = { 0 };

		for (unsigned h = 0; h < 12; h++) {
			char name[64];
			int size = snprintf(name, sizeof(name), "h%02u/source/gauge-000", h);

			silence_add(&silence, mc_find(reading, name, size), LAB_INTERVAL);
		}
		silence_tell(&silence, engine_ctx(all.source), &allowance);
		clock_step(MC_SECOND);
	}
	mc_read_end(reading);
	/* Five times 12 out of the burst and what is added to it, twice more
	 * later, and once for all in the rounds between. */
	wait_for_notifications(7 * 12 + 3);
}

static void what_is_back_is_told_of_the_same_way(void **state)
{
	(void)state;
	engine_start_idle(all.lab.engine);
	put(1, 60);
	hold(60);
	pass_silently();
	pass_silently();
	wait_for_notifications(1);
	put(1, 60);
	engine_read_once(all.lab.engine);
	engine_read_once(all.lab.engine);
	wait_for_notifications(2);
	assert_int_equal(all.heard[1].severity, MC_OKAY);
	assert_string_equal(all.heard[1].host, "h00");
	assert_string_equal(all.heard[1].message,
			    "60 series of host 'h00' have values again: "
			    "'source/gauge-000', 'source/gauge-001', 'source/gauge-002', "
			    "'source/gauge-003', 'source/gauge-004' and 55 others");
}

/* --- Hosts of which nothing comes --------------------------------------- */

struct standing { /* Alerts of senders. */
	unsigned len;
	char series[64], reason[128];
	mc_time since;
};

static void take(void *argument, const char *judge, const struct mc_alert *alert)
{
	struct standing *standing = argument;

	if (strstr(alert->series, "/collector/sender") == NULL)
		return;
	assert_string_equal(judge, "collector");
	assert_int_equal(alert->state, MC_STATE_FAILURE);
	standing->len++;
	snprintf(standing->series, sizeof(standing->series), "%s", alert->series);
	snprintf(standing->reason, sizeof(standing->reason), "%s", alert->reason);
	standing->since = alert->since;
}

static struct standing look(void)
{
	struct standing standing = { 0 };

	mc_each_alert(engine_ctx(all.source), take, &standing);
	return standing;
}

/* Intervals go by, with a value of the first 'hosts' in each. */
static void go_by(unsigned intervals, unsigned hosts)
{
	for (unsigned i = 0; i < intervals; i++) {
		clock_step(LAB_INTERVAL);
		if (hosts > 0)
			put(hosts, 1);
		engine_read_once(all.lab.engine);
	}
}

static void a_host_that_sends_nothing_stands(void **state)
{
	mc_time last;
	struct standing standing;

	(void)state;
	engine_start_idle(all.lab.engine);
	put(2, 3);
	last = clock_wall();
	go_by(6, 1); /* The first host has one series of three left. */
	standing = look();
	assert_int_equal(standing.len, 1);
	assert_string_equal(standing.series, "h01/collector/sender");
	assert_string_equal(standing.reason, "h01 sends no values any more");
	assert_true(standing.since >= last && standing.since < last + LAB_INTERVAL);
	go_by(100, 1);
	assert_int_equal(look().len, 1);
	go_by(2, 2);
	assert_int_equal(look().len, 0);
}

/* Its notification is that of its series. */
static void it_is_notified_of_once(void **state)
{
	(void)state;
	engine_start_idle(all.lab.engine);
	put(2, 60);
	go_by(10, 0);
	assert_int_equal(look().len, 2);
	wait_for_notifications(2);
}

static void a_host_that_comes_back_otherwise_is_present(void **state)
{
	struct mc_batch *batch;

	(void)state;
	engine_start_idle(all.lab.engine);
	put(1, 1);
	go_by(6, 0);
	assert_int_equal(look().len, 1);
	for (unsigned i = 0; i < 15; i++) {
		batch = mc_begin(engine_ctx(all.source));
		mc_put_gauge(batch, 1, .host = "h00", .plugin = "other", .type = "gauge");
		mc_commit(batch);
		go_by(1, 0);
	}
	assert_int_equal(look().len, 0);
}

static void a_host_that_is_forgotten_does_not_stand(void **state)
{
	struct mc_forgotten result;

	(void)state;
	engine_start_idle(all.lab.engine);
	put(2, 1);
	go_by(6, 0);
	assert_int_equal(look().len, 2);
	assert_int_equal(mc_forget(engine_ctx(all.source), "h00/*", false, &result), 0);
	assert_string_equal(look().series, "h01/collector/sender");
	go_by(20, 0);
	assert_int_equal(look().len, 1);
}

/* As that of a guest that its owner shuts down; the next end is not. */
static void an_end_that_is_expected_is_none(void **state)
{
	const struct mc_id id = { .host = "h00" };

	(void)state;
	engine_start_idle(all.lab.engine);
	put(2, 1);
	mc_expect_end(engine_ctx(all.source), &id, true);
	go_by(6, 0);
	assert_string_equal(look().series, "h01/collector/sender");
	assert_int_equal(look().len, 1);
	wait_for_notifications(1);
	mc_expect_end(engine_ctx(all.source), &id, false);
	go_by(2, 1);
	go_by(6, 0);
	assert_int_equal(look().len, 2);
}

/* The same of a whole host, whatever its plugins are. */
static void an_end_of_a_host_is_expected(void **state)
{
	const struct mc_id id = { .host = "h00", .plugin = "" };

	(void)state;
	engine_start_idle(all.lab.engine);
	put(2, 1);
	mc_expect_end(engine_ctx(all.source), &id, true);
	go_by(6, 0);
	assert_string_equal(look().series, "h01/collector/sender");
	assert_int_equal(look().len, 1);
	wait_for_notifications(1);
}

/* --- A sleep ---------------------------------------------------------- */

static int read_value(struct mc_ctx *ctx, struct mc_batch *out)
{
	(void)ctx;
	mc_put_gauge(out, 1, .type = "gauge");
	return 0;
}

static const struct mc_plugin reader_plugin = { .api = MC_API,
						.name = "reader",
						.read = read_value };

/* In steps that keep the schedule. */
static void pass(unsigned seconds)
{
	for (unsigned i = 0; i < 4 * seconds; i++) {
		clock_step(MC_SECOND / 4);
		lab_settle(&all.lab, 0);
	}
}

static void nobody_is_silent_while_the_collector_sleeps(void **state)
{
	(void)state;
	engine_add(all.lab.engine, &reader_plugin, "reader");
	engine_start(all.lab.engine);
	lab_settle(&all.lab, 0);
	put(1, 20);
	pass(10);
	clock_step(8 * LAB_INTERVAL);
	lab_settle(&all.lab, 0);
	wait_for_notifications(1);
	assert_int_equal(all.heard[0].severity, MC_WARNING);
	assert_string_equal(all.heard[0].plugin, "collector");
	assert_non_null(strstr(all.heard[0].message, "was stopped for 7"));
	/* Then their clock goes on. */
	pass(30);
	wait_for_notifications(2);
	assert_string_equal(all.heard[1].series, "20");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_lab, close_lab)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(few_are_told_of_one_by_one),
		TEST(many_of_a_host_are_one_notification),
		TEST(many_hosts_are_one_notification),
		TEST(a_few_of_many_hosts_are_one_each),
		TEST(a_stream_of_them_is_limited),
		TEST(what_is_back_is_told_of_the_same_way),
		TEST(a_host_that_sends_nothing_stands),
		TEST(it_is_notified_of_once),
		TEST(a_host_that_comes_back_otherwise_is_present),
		TEST(a_host_that_is_forgotten_does_not_stand),
		TEST(an_end_that_is_expected_is_none),
		TEST(an_end_of_a_host_is_expected),
		TEST(nobody_is_silent_while_the_collector_sleeps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
