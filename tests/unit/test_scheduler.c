/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include <errno.h>
#include <sched.h>

#include "base/thread.h"
#include "engine/read/scheduler.h"
#include "engine/write/writer_internal.h"
#include "lab.h"

struct probe {
	_Atomic unsigned reads;
	_Atomic mc_time last; /* clock_now() of the last read. */
	_Atomic mc_time times[64];
	_Atomic unsigned turns[64]; /* Reads of all that began before. */
	_Atomic int result;
	_Atomic bool empty; /* It puts nothing. */
	_Atomic bool block;
	pthread_mutex_t lock;
	pthread_cond_t change;
};

static int probe_start(struct mc_ctx *ctx)
{
	struct probe *probe = ctx->self;

	pthread_mutex_init(&probe->lock, NULL);
	pthread_cond_init(&probe->change, NULL);
	return 0;
}

static _Atomic unsigned turn;

static int probe_read(struct mc_ctx *ctx, struct mc_batch *out)
{
	struct probe *probe = ctx->self;
	int result = probe->result; /* Once: a test may change it meanwhile. */

	pthread_mutex_lock(&probe->lock);
	probe->turns[probe->reads % 64] = turn++;
	probe->last = clock_now();
	probe->times[probe->reads % 64] = probe->last;
	probe->reads++;
	pthread_cond_broadcast(&probe->change);
	while (probe->block)
		pthread_cond_wait(&probe->change, &probe->lock);
	pthread_mutex_unlock(&probe->lock);
	if (!probe->empty)
		mc_put_gauge(out, 1, .plugin_instance = ctx->name, .type = "gauge");
	return result < 0 ? mc_fail(ctx, -result, "told to fail") : 0;
}

static const struct mc_plugin probe_plugin = {
	.api = MC_API,
	.name = "probe",
	.self_size = sizeof(struct probe),
	.start = probe_start,
	.read = probe_read,
};

/* Takes what probe.0 has read. */
static int sink_write(struct mc_ctx *ctx, const struct mc_batch *batch)
{
	_Atomic unsigned *taken = ctx->self;

	MC_FOR_EACH_SAMPLE (sample, batch)
		if (strcmp(mc_plugin_instance(sample->series), "probe.0") == 0)
			++*taken;
	return 0;
}

static const struct mc_plugin sink_plugin = {
	.api = MC_API,
	.name = "sink",
	.self_size = sizeof(_Atomic unsigned),
	.writer = &(const struct mc_writer){ .write = sink_write },
};

enum { N = 20 };
static struct lab lab;
static struct instance *instances[N];
static struct probe *probes[N];

static int open_lab(void **state)
{
	(void)state;
	lab_open(&lab, 1 << 20);
	for (int i = 0; i < N; i++) {
		char name[32];

		snprintf(name, sizeof(name), "probe.%d", i);
		instances[i] = engine_add(lab.engine, &probe_plugin, name);
		probes[i] = engine_ctx(instances[i])->self;
	}
	return 0;
}

static void let_go(struct probe *probe)
{
	pthread_mutex_lock(&probe->lock);
	probe->block = false;
	pthread_cond_broadcast(&probe->change);
	pthread_mutex_unlock(&probe->lock);
}

static int close_lab(void **state)
{
	(void)state;
	for (int i = 0; i < N; i++)
		let_go(probes[i]);
	lab_close(&lab);
	return 0;
}

static void wait_for_reads(struct probe *probe, unsigned reads)
{
	pthread_mutex_lock(&probe->lock);
	while (probe->reads < reads)
		pthread_cond_wait(&probe->change, &probe->lock);
	pthread_mutex_unlock(&probe->lock);
}

/* The watcher says so when it has looked, which nothing else waits for. */
static void wait_until_stuck(struct instance *instance)
{
	struct mc_reader_status status = { 0 };

	for (;;) {
		scheduler_status(lab.engine->scheduler, &instance->reading, &status);
		if (status.stuck)
			return;
		sched_yield();
	}
}

/* Steps on as time would, until a probe has been read so often. */
static void step_until_reads(struct probe *probe, unsigned reads, unsigned hanging)
{
	lab_settle(&lab, hanging);
	while (probe->reads < reads) {
		clock_step(100 * MC_MILLISECOND);
		lab_settle(&lab, hanging);
	}
}

static void the_first_read_is_at_once_and_then_on_a_grid(void **state)
{
	mc_time begun = clock_now(), first;

	(void)state;
	engine_start(lab.engine);
	for (int i = 0; i < N; i++)
		wait_for_reads(probes[i], 1);
	assert_int_equal(probes[0]->times[0], begun);
	step_until_reads(probes[0], 6, 0);
	first = probes[0]->times[1];
	assert_in_range(first - begun, LAB_INTERVAL / 2, 3 * LAB_INTERVAL / 2);
	for (int read = 2; read < 6; read++)
		assert_in_range(probes[0]->times[read] - first - (read - 1) * LAB_INTERVAL, 0,
				100 * MC_MILLISECOND);
}

/* The clock begins when the machine does. */
static void the_grid_begins_with_the_machine(void **state)
{
	(void)state;
	clock_stop(1, LAB_WALL);
	for (int i = 0; i < N; i++)
		engine_set_interval(instances[i], (i + 5) * MC_SECOND);
	engine_start(lab.engine);
	for (int i = 0; i < N; i++) {
		mc_time interval = (i + 5) * MC_SECOND;

		step_until_reads(probes[i], 2, 0);
		assert_in_range(probes[i]->times[1], interval / 2,
				3 * interval / 2 + 100 * MC_MILLISECOND);
	}
}

static void all_readers_of_a_host_fire_together(void **state)
{
	(void)state;
	engine_start(lab.engine);
	step_until_reads(probes[0], 3, 0);
	for (int i = 0; i < N; i++) {
		wait_for_reads(probes[i], 3);
		assert_int_equal(probes[i]->times[2], probes[0]->times[2]);
	}
}

/* Those that share a thread, which the first read has to show. */
static void those_due_at_once_come_in_the_same_order(void **state)
{
	(void)state;
	engine_start(lab.engine);
	for (int i = 0; i < N; i++)
		wait_for_reads(probes[i], 1);
	for (int i = 0; i < N; i++)
		step_until_reads(probes[i], 10, 0);
	for (int read = 2; read < 10; read++)
		for (int i = 1; i < N; i++)
			assert_int_equal(probes[i]->turns[read], probes[0]->turns[read] + i);
}

static void readers_that_hang_cost_the_others_nothing(void **state)
{
	mc_time first;

	(void)state;
	for (int i = 0; i < 16; i++)
		probes[i]->block = true;
	engine_start(lab.engine);
	for (int i = 0; i < N; i++)
		wait_for_reads(probes[i], 1);
	step_until_reads(probes[19], 6, 16);
	first = probes[19]->times[1];
	for (int read = 2; read < 6; read++)
		assert_in_range(probes[19]->times[read] - first - (read - 1) * LAB_INTERVAL, 0,
				100 * MC_MILLISECOND);
	for (int i = 0; i < 16; i++)
		assert_int_equal(probes[i]->reads, 1);
	wait_until_stuck(instances[0]);
	assert_non_null(strstr(lab.log, "probe.0: a read has not returned"));
}

static void a_quick_reader_that_begins_to_hang_loses_the_lead(void **state)
{
	unsigned reads;

	(void)state;
	engine_start(lab.engine);
	step_until_reads(probes[19], 3, 0);
	for (int i = 0; i < 16; i++)
		probes[i]->block = true;
	reads = probes[19]->reads;
	/* The leader hangs in one after the other, and each time the watcher
	 * takes over after SCHEDULER_PATIENCE. */
	while (probes[16]->reads < reads + 3 || probes[17]->reads < reads + 3 ||
	       probes[18]->reads < reads + 3 || probes[19]->reads < reads + 3)
		clock_step(MC_MILLISECOND);
	for (int i = 0; i < 16; i++)
		assert_int_equal(probes[i]->reads, reads + 1);
}

/* The writer's thread sleeps until it is woken. */
static void wait_until_idle(struct writer *writer)
{
	bool idle = false;

	while (!idle) {
		sched_yield();
		pthread_mutex_lock(&writer->worker.lock);
		idle = writer->worker.state == WORKER_WAITING && queue_empty(&writer->worker.queue);
		pthread_mutex_unlock(&writer->worker.lock);
	}
}

/* What it read is written when it returns, and not when somebody reads next. */
static void one_that_lost_the_lead_wakes_the_writers(void **state)
{
	struct instance *sink = engine_add(lab.engine, &sink_plugin, "sink");
	_Atomic unsigned *taken = engine_ctx(sink)->self;
	unsigned reads;
	mc_time until;

	(void)state;
	engine_start(lab.engine);
	step_until_reads(probes[0], 3, 0);
	probes[0]->block = true;
	reads = probes[0]->reads;
	while (probes[0]->reads == reads || probes[19]->reads == reads)
		clock_step(MC_MILLISECOND);
	for (int i = 0; i < 20; i++) /* It may have been the last to read. */
		clock_step(MC_MILLISECOND);
	lab_settle(&lab, 1);
	wait_until_idle(sink->context.writer);
	assert_int_equal(*taken, reads);
	let_go(probes[0]);
	until = thread_time() + LAB_LIMIT;
	while (*taken == reads && thread_time() < until)
		sched_yield();
	assert_true(*taken > reads); /* Twice, if it was due again meanwhile. */
}

static void a_reader_that_returns_goes_on(void **state)
{
	(void)state;
	probes[0]->block = true;
	engine_start(lab.engine);
	step_until_reads(probes[1], 4, 1);
	assert_int_equal(probes[0]->reads, 1);
	wait_until_stuck(instances[0]);
	let_go(probes[0]);
	step_until_reads(probes[0], 3, 0);
	assert_true(instances[0]->reading.skipped >= 2);
	assert_non_null(strstr(lab.log, "probe.0: the read that hung has returned"));
}

static void a_failing_reader_is_asked_ever_more_slowly(void **state)
{
	mc_time gap;

	(void)state;
	probes[0]->result = -EIO;
	probes[0]->empty = true;
	engine_start(lab.engine);
	step_until_reads(probes[0], 7, 0);
	gap = probes[0]->times[2] - probes[0]->times[1];
	assert_in_range(gap, 35 * MC_SECOND, 45 * MC_SECOND);
	gap = probes[0]->times[6] - probes[0]->times[5]; /* The most. */
	assert_in_range(gap, 75 * MC_SECOND, 85 * MC_SECOND);
	assert_true(probes[1]->reads > 30);

	probes[0]->result = 0; /* And as before when it works again. */
	step_until_reads(probes[0], 10, 0);
	gap = probes[0]->times[9] - probes[0]->times[8];
	assert_in_range(gap, LAB_INTERVAL - 100 * MC_MILLISECOND,
			LAB_INTERVAL + 100 * MC_MILLISECOND);
}

/* What works of it is not to come late because of the rest. */
static void one_that_fails_in_part_is_not_slowed_down(void **state)
{
	mc_time gap;

	(void)state;
	probes[0]->result = -EIO;
	engine_start(lab.engine);
	step_until_reads(probes[0], 7, 0);
	gap = probes[0]->times[6] - probes[0]->times[5];
	assert_in_range(gap, LAB_INTERVAL - 100 * MC_MILLISECOND,
			LAB_INTERVAL + 100 * MC_MILLISECOND);
	assert_int_equal(instances[0]->reading.failures, 7);
}

static void one_that_asks_for_it_is_not_slowed_down(void **state)
{
	mc_time gap;

	(void)state;
	probes[0]->result = -EAGAIN;
	probes[0]->empty = true;
	engine_start(lab.engine);
	step_until_reads(probes[0], 7, 0);
	gap = probes[0]->times[6] - probes[0]->times[5];
	assert_in_range(gap, LAB_INTERVAL - 100 * MC_MILLISECOND,
			LAB_INTERVAL + 100 * MC_MILLISECOND);
	assert_int_equal(instances[0]->reading.failures, 7);
}

static void what_was_read_before_an_error_counts(void **state)
{
	(void)state;
	probes[0]->result = -EIO;
	assert_int_equal(engine_start_idle(lab.engine), 0);
	engine_read_once(lab.engine);
	assert_int_equal(instances[0]->samples, 1);
	assert_int_equal(engine_series(lab.engine), N);
}

static void missed_cycles_are_skipped_and_counted(void **state)
{
	unsigned reads;

	(void)state;
	engine_start(lab.engine);
	step_until_reads(probes[0], 3, 0);
	reads = probes[0]->reads;
	clock_step(10 * LAB_INTERVAL); /* The machine slept. */
	wait_for_reads(probes[0], reads + 1);
	step_until_reads(probes[0], reads + 2, 0);
	/* No burst: one late read, then the grid. */
	assert_in_range(probes[0]->times[reads + 1] - probes[0]->times[reads], MC_SECOND / 2,
			LAB_INTERVAL);
	assert_in_range(instances[0]->reading.skipped, 8, 10);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_lab, close_lab)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_first_read_is_at_once_and_then_on_a_grid),
		TEST(the_grid_begins_with_the_machine),
		TEST(all_readers_of_a_host_fire_together),
		TEST(those_due_at_once_come_in_the_same_order),
		TEST(readers_that_hang_cost_the_others_nothing),
		TEST(a_quick_reader_that_begins_to_hang_loses_the_lead),
		TEST(one_that_lost_the_lead_wakes_the_writers),
		TEST(a_reader_that_returns_goes_on),
		TEST(a_failing_reader_is_asked_ever_more_slowly),
		TEST(one_that_fails_in_part_is_not_slowed_down),
		TEST(one_that_asks_for_it_is_not_slowed_down),
		TEST(what_was_read_before_an_error_counts),
		TEST(missed_cycles_are_skipped_and_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
