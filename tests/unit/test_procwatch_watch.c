/* SPDX-License-Identifier: MIT */
/* Real processes that end, and the reports of that.  The test plays the core. */
#include "watch.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include <collector/kit/wait.h>
#include <collector/serve.h>

struct stage { /* After ctx->self. */
	unsigned notifications;
	enum mc_severity severity;
	char message[512], instance[64];
};

static mc_time clock_now = 1000 * MC_SECOND;

mc_time mc_now(void)
{
	return clock_now;
}

void mc_log(struct mc_ctx *ctx, enum mc_level level, const char *fmt, ...)
{
	(void)ctx;
	(void)level;
	fail_msg("logs '%s'", fmt);
}

int mc_fail(struct mc_ctx *ctx, int errnum, const char *fmt, ...)
{
	(void)ctx, (void)fmt;
	return -errnum;
}

int mc_stop_fd(struct mc_ctx *ctx)
{
	(void)ctx;
	return -1;
}

static int ready; /* Descriptors, in the last round. */

/* The time is that of the processes: real. */
int mc_epoll(int epoll, struct epoll_event *events, int len, mc_time until)
{
	return ready = epoll_wait(epoll, events, len, (int)((until - clock_now) / MC_MILLISECOND));
}

void mc_notify(struct mc_ctx *ctx, const struct mc_notification *notification)
{
	struct stage *stage = ctx->self;

	stage->notifications++;
	stage->severity = notification->severity;
	snprintf(stage->message, sizeof(stage->message), "%s", notification->message);
	snprintf(stage->instance, sizeof(stage->instance), "%s", notification->id.plugin_instance);
}

struct lab {
	struct stage stage;
	struct mc_ctx ctx;
	struct mc_loop loop;
	struct watch watch;
	struct daemon daemon;
};

static void lab_init(struct lab *lab)
{
	memset(lab, 0, sizeof(*lab));
	lab->ctx.self = &lab->stage;
	lab->daemon.name = "libvirtd";
	lab->daemon.severity = 1;
	assert_int_equal(watch_start(&lab->watch), 0);
	lab->loop.ctx = &lab->ctx;
	assert_int_equal(mc_loop_init(&lab->loop), 0);
	assert_int_equal(watch_begin(&lab->watch, &lab->loop), 0);
}

static void lab_done(struct lab *lab)
{
	watch_leave(&lab->watch);
	mc_loop_done(&lab->loop);
	watch_stop(&lab->watch);
}

static struct member process(struct lab *lab)
{
	struct member member = { .daemon = &lab->daemon, .start = 1 };
	pid_t pid = fork();

	if (pid == 0) {
		pause();
		_exit(0);
	}
	assert_true(pid > 0);
	member.pid = (uint32_t)pid;
	member.pidfd = watch_open(member.pid);
	assert_true(member.pidfd >= 0);
	return member;
}

static void kill_it(const struct member *member)
{
	assert_int_equal(kill((pid_t)member->pid, SIGKILL), 0);
	waitpid((pid_t)member->pid, NULL, 0);
}

/* As run() does once; whether something happened. */
static bool work(struct lab *lab, int timeout_ms)
{
	assert_int_equal(mc_loop_round(&lab->loop, clock_now + timeout_ms * MC_MILLISECOND), 0);
	return ready > 0;
}

static void said(struct lab *lab, unsigned notifications, enum mc_severity severity,
		 const char *message)
{
	assert_int_equal(lab->stage.notifications, notifications);
	assert_int_equal(lab->stage.severity, severity);
	assert_string_equal(lab->stage.message, message);
	assert_string_equal(lab->stage.instance, "libvirtd");
}

static void test_ends_and_runs_again(void **state)
{
	struct lab lab;
	struct member first, second;
	char text[200];

	(void)state;
	lab_init(&lab);
	first = process(&lab);
	watch_add(&lab.watch, &lab.ctx, &first);
	assert_int_equal(lab.stage.notifications, 0);
	assert_true(work(&lab, 0)); /* It was woken. */
	assert_false(work(&lab, 0));
	assert_int_equal(watch_status(&lab.watch, &lab.daemon).state, DAEMON_RUNS);

	kill_it(&first);
	assert_true(work(&lab, 10000));
	snprintf(text, sizeof(text), "'libvirtd' has ended, which was process %u", first.pid);
	said(&lab, 1, MC_FAILURE, text);
	assert_true(watch_has_ended(&lab.watch, &first));
	assert_int_equal(first.pidfd, -1);
	assert_int_equal(watch_status(&lab.watch, &lab.daemon).len, 0);
	watch_missing(&lab.watch, &lab.ctx, &lab.daemon);
	assert_int_equal(lab.stage.notifications, 1);

	clock_now += 12345 * MC_MILLISECOND;
	second = process(&lab);
	watch_add(&lab.watch, &lab.ctx, &second);
	snprintf(text, sizeof(text), "'libvirtd' runs again, as process %u, after 12.3 s",
		 second.pid);
	said(&lab, 2, MC_OKAY, text);
	assert_int_equal(watch_status(&lab.watch, &lab.daemon).restarts, 1);
	assert_true(work(&lab, 0));
	kill_it(&second);
	assert_true(work(&lab, 10000));
	lab_done(&lab);
}

static void test_one_of_several(void **state)
{
	struct lab lab;
	struct member members[3];
	char text[200];

	(void)state;
	lab_init(&lab);
	lab.daemon.severity = 0;
	for (size_t i = 0; i < 3; i++) {
		members[i] = process(&lab);
		watch_add(&lab.watch, &lab.ctx, &members[i]);
	}
	assert_true(work(&lab, 0));
	kill_it(&members[0]);
	assert_true(work(&lab, 10000));
	snprintf(text, sizeof(text), "process %u of 'libvirtd' has ended, 2 are left",
		 members[0].pid);
	said(&lab, 1, MC_WARNING, text);
	kill_it(&members[2]);
	kill_it(&members[1]);
	while (lab.stage.notifications < 3)
		assert_true(work(&lab, 10000));
	assert_int_equal(watch_status(&lab.watch, &lab.daemon).state, DAEMON_ENDED);
	assert_int_equal(lab.watch.len, 0);
	lab_done(&lab);
}

static void test_does_not_run_at_first(void **state)
{
	struct lab lab;

	(void)state;
	lab_init(&lab);
	watch_missing(&lab.watch, &lab.ctx, &lab.daemon);
	said(&lab, 1, MC_FAILURE, "'libvirtd' does not run");
	watch_missing(&lab.watch, &lab.ctx, &lab.daemon);
	assert_int_equal(lab.stage.notifications, 1);
	lab_done(&lab);
}

/* Without a pidfd read() says that it has ended. */
static void test_without_pidfd(void **state)
{
	struct lab lab;
	struct member member = { .pid = 12, .start = 1, .pidfd = -1 };

	(void)state;
	lab_init(&lab);
	member.daemon = &lab.daemon;
	watch_add(&lab.watch, &lab.ctx, &member);
	assert_int_equal(lab.watch.len, 0);
	watch_end(&lab.watch, &lab.ctx, &member);
	said(&lab, 1, MC_FAILURE, "'libvirtd' has ended, which was process 12");
	lab_done(&lab);
}

static void test_answers(void **state)
{
	struct lab lab;
	struct member member;

	(void)state;
	lab_init(&lab);
	watch_answer(&lab.watch, &lab.ctx, &lab.daemon, "refused", 0);
	assert_int_equal(lab.stage.notifications, 0); /* It does not run. */
	member = process(&lab);
	watch_add(&lab.watch, &lab.ctx, &member);
	watch_answer(&lab.watch, &lab.ctx, &lab.daemon, NULL, 0.5);
	assert_int_equal(lab.stage.notifications, 0);
	assert_true(watch_status(&lab.watch, &lab.daemon).response_time == 0.5);
	watch_answer(&lab.watch, &lab.ctx, &lab.daemon, "refused", 1);
	said(&lab, 1, MC_FAILURE, "'libvirtd' does not answer: refused");
	watch_answer(&lab.watch, &lab.ctx, &lab.daemon, "late", 1);
	assert_int_equal(lab.stage.notifications, 1);
	assert_false(watch_status(&lab.watch, &lab.daemon).answers);
	watch_answer(&lab.watch, &lab.ctx, &lab.daemon, NULL, 1);
	said(&lab, 2, MC_OKAY, "'libvirtd' answers again");
	assert_true(work(&lab, 0));
	kill_it(&member);
	assert_true(work(&lab, 10000));
	assert_false(watch_status(&lab.watch, &lab.daemon).was_asked);
	lab_done(&lab);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ends_and_runs_again),
		cmocka_unit_test(test_one_of_several),
		cmocka_unit_test(test_does_not_run_at_first),
		cmocka_unit_test(test_without_pidfd),
		cmocka_unit_test(test_answers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
