/* SPDX-License-Identifier: MIT */
#include "daemon/watch.h"

#include <collector/serve.h>
#include <collector/writer.h>

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/log.h"
#include "daemon/config/own_types.h"
#include "daemon/process/watchdog.h"

static struct {
	unsigned reopened, flushed, reloaded;
	unsigned series, series_wanted; /* One more with every flush. */
	mc_time age;                    /* Of the first flush. */
	_Atomic bool stop_at_flush;     /* Read by the writer's thread. */
} seen;

static void add_series(struct mc_ctx *ctx)
{
	struct mc_batch *batch = mc_begin(ctx);
	char instance[16];

	snprintf(instance, sizeof(instance), "%u", seen.series++);
	mc_series(batch, MC_ID(.type = "gauge", .type_instance = instance));
	mc_discard(batch);
	if (seen.series >= seen.series_wanted)
		kill(getpid(), SIGTERM);
	clock_step(MC_SECOND);
	kill(getpid(), SIGUSR1); /* The next one. */
}

static int probe_flush(struct mc_ctx *ctx, mc_time age, const char *name)
{
	(void)ctx;
	assert_null(name);
	if (seen.flushed++ == 0)
		seen.age = age;
	if (atomic_exchange(&seen.stop_at_flush, false)) /* A second one would be for real. */
		kill(getpid(), SIGTERM);
	if (seen.series < seen.series_wanted)
		add_series(ctx);
	return 0;
}

static int probe_write(struct mc_ctx *ctx, const struct mc_batch *batch)
{
	(void)ctx;
	(void)batch;
	return 0;
}

static void probe_reopen(struct mc_ctx *ctx)
{
	(void)ctx;
	seen.reopened++;
}

static const struct mc_plugin probe = {
	.api = MC_API,
	.name = "probe",
	.writer = &(const struct mc_writer){ .write = probe_write,
					     .flush = probe_flush,
					     .reopen = probe_reopen },
};

static void reload(void *argument)
{
	assert_ptr_equal(argument, &seen);
	assert_int_equal(seen.reopened, 1); /* Its lines are in the new file. */
	seen.reloaded++;
}

static struct type_set *types;
static struct watch watch;
static struct member member;
static struct instances instances;
static struct systemd systemd;
static int manager;

static int start(void **state)
{
	int fds[2];

	(void)state;
	memset(&seen, 0, sizeof(seen));
	log_to_stderr(-1);
	types = own_types_new();
	assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM, 0, fds), 0);
	manager = fds[0];
	systemd = (struct systemd){ .fd = fds[1] };
	watch = (struct watch){
		.instances = &instances, .systemd = &systemd, .reload = reload, .argument = &seen
	};
	watch.engine = engine_new(&(struct engine_settings){
		.host = "h",
		.types = types,
		.interval = 10 * MC_SECOND,
		.read_interval_max = 10 * MC_SECOND,
		.timeout = 2,
		.read_threads = 1,
		.series_limit = 10,
		.queue_bytes = 65536,
	});
	member = (struct member){
		.instance = engine_add(watch.engine, &probe, "probe"),
	};
	member.ctx = engine_ctx(member.instance);
	instances = (struct instances){ .items = &member, .len = 1 };
	engine_start_idle(watch.engine);
	watch_prepare();
	return 0;
}

static int stop(void **state)
{
	(void)state;
	engine_free(watch.engine);
	type_set_free(types);
	systemd_close(&systemd);
	close(manager);
	return 0;
}

static void block(int signal_number)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, signal_number);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

static bool is_blocked(int signal_number)
{
	sigset_t set;

	sigprocmask(SIG_BLOCK, NULL, &set);
	return sigismember(&set, signal_number) == 1;
}

static void test_signals(void **state)
{
	char text[128];
	ssize_t size;

	(void)state;
	raise(SIGHUP); /* These two wait since watch_prepare(). */
	raise(SIGUSR1);
	block(SIGTERM);
	raise(SIGTERM);
	assert_int_equal(watch_run(&watch), 0);
	assert_true(engine_stop(watch.engine, 60 * MC_SECOND));
	assert_int_equal(seen.reloaded, 1);
	assert_int_equal(seen.flushed, 2); /* The other one is the stop's. */
	assert_int_equal(seen.age, 0);
	assert_false(is_blocked(SIGTERM)); /* The next one is for real. */
	assert_false(is_blocked(SIGINT));
	size = recv(manager, text, sizeof(text) - 1, MSG_DONTWAIT);
	assert_true(size > 0);
	text[size] = '\0';
	assert_string_equal(text, "STATUS=running: 0 series");
	assert_int_equal(recv(manager, text, 1, MSG_DONTWAIT), -1);
}

static void test_flush_interval(void **state)
{
	(void)state;
	member.flush_interval = MC_MILLISECOND;
	member.flush_timeout = 7 * MC_SECOND;
	seen.stop_at_flush = true;
	assert_int_equal(watch_run(&watch), 0);
	assert_true(engine_stop(watch.engine, 60 * MC_SECOND));
	assert_true(seen.flushed >= 1);
	assert_int_equal(seen.age, 7 * MC_SECOND);
}

/* One more series with every flush, of which there are fifteen in as many seconds. */
static void test_status_goes_on(void **state)
{
	char text[128];
	ssize_t size;

	(void)state;
	clock_stop(1000 * MC_SECOND, 2000 * MC_SECOND);
	seen.series_wanted = 15;
	block(SIGUSR1);
	raise(SIGUSR1);
	assert_int_equal(watch_run(&watch), 0);
	assert_true(engine_stop(watch.engine, 60 * MC_SECOND));
	size = recv(manager, text, sizeof(text) - 1, MSG_DONTWAIT);
	assert_int_equal(size, strlen("STATUS=running: 0 series"));
	size = recv(manager, text, sizeof(text) - 1, MSG_DONTWAIT);
	assert_true(size > 0);
	text[size] = '\0';
	assert_string_equal(text, "STATUS=running: 10 series");
	assert_int_equal(recv(manager, text, 1, MSG_DONTWAIT), -1);
}

static void test_watchdog(void **state)
{
	char text[128];
	int signs = 0;
	ssize_t size;

	(void)state;
	systemd.watchdog = 15 * MC_SECOND;
	block(SIGTERM);
	raise(SIGTERM);
	assert_int_equal(watch_run(&watch), 0);
	assert_true(engine_stop(watch.engine, 60 * MC_SECOND));
	while ((size = recv(manager, text, sizeof(text), MSG_DONTWAIT)) >= 0)
		signs += size == 10 && memcmp(text, "WATCHDOG=1", 10) == 0;
	assert_int_equal(signs, 1);
}

/* A main thread that does one thing for too long gives no sign of life, and time that passes while
 * it rests is not a fault. */
static void test_watchdog_wants_progress(void **state)
{
	struct watchdog watchdog = { .engine = watch.engine };
	mc_time now = 1000 * MC_SECOND;

	(void)state;
	watchdog_turn(&watchdog, false);
	assert_true(watchdog_sees_progress(&watchdog, now));
	now += WATCHDOG_PATIENCE - 1;
	assert_true(watchdog_sees_progress(&watchdog, now));
	assert_false(watchdog_sees_progress(&watchdog, now + 1));
	engine_renew(member.instance); /* A step of a reload. */
	assert_true(watchdog_sees_progress(&watchdog, now + 1));
	now += 1 + WATCHDOG_PATIENCE;
	assert_false(watchdog_sees_progress(&watchdog, now));
	watchdog_turn(&watchdog, true);
	now += 3600 * MC_SECOND;
	assert_true(watchdog_sees_progress(&watchdog, now));
	now += 3600 * MC_SECOND;
	assert_true(watchdog_sees_progress(&watchdog, now));
	assert_true(engine_stop(watch.engine, 60 * MC_SECOND));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_signals, start, stop),
		cmocka_unit_test_setup_teardown(test_flush_interval, start, stop),
		cmocka_unit_test_setup_teardown(test_watchdog, start, stop),
		cmocka_unit_test_setup_teardown(test_watchdog_wants_progress, start, stop),
		cmocka_unit_test_setup_teardown(test_status_goes_on, start, stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
