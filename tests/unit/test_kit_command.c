/* SPDX-License-Identifier: MIT */
/* What the log says of what a program writes. */
#include <collector/check.h>
#include <collector/kit/command.h>
#include <collector/kit/wait.h>
#include <collector/private/status.h>
#include <collector/serve.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>

#include "unit.h"

static struct {
	mc_time now;
	char text[256]; /* What was logged last; "": nothing. */
	unsigned logged;
} lab;

mc_time mc_now(void)
{
	return lab.now;
}

void mc_log(struct mc_ctx *ctx, enum mc_level level, const char *fmt, ...)
{
	va_list args;

	(void)ctx;
	assert_int_equal(level, MC_WARN);
	va_start(args, fmt);
	vsnprintf(lab.text, sizeof(lab.text), fmt, args);
	va_end(args);
	lab.logged++;
}

void mc_count_failure(struct mc_ctx *ctx)
{
	(void)ctx;
}

/* Of the loop of programs, which is not tried here, as little as check(). */
int mc_epoll(int epoll, struct epoll_event *events, int len, mc_time until)
{
	(void)epoll, (void)events, (void)len, (void)until;
	return 0;
}

int mc_stop_fd(struct mc_ctx *ctx)
{
	(void)ctx;
	return -1;
}

int mc_fail(struct mc_ctx *ctx, int errnum, const char *fmt, ...)
{
	(void)ctx;
	fail_msg("%s", fmt);
	return -errnum;
}

bool mc_check_host(struct mc_ctx *ctx)
{
	(void)ctx;
	return false;
}

void mc_check_warn(struct mc_ctx *ctx, const void *field, const char *fmt, ...)
{
	(void)ctx;
	(void)field;
	fail_msg("%s", fmt);
}

bool mc_check_access(struct mc_ctx *ctx, const void *field, const char *path, enum mc_access access)
{
	(void)ctx;
	(void)field;
	(void)path;
	(void)access;
	return true;
}

bool mc_check_capabilities(struct mc_ctx *ctx, const void *field, const char *capabilities)
{
	(void)ctx;
	(void)field;
	(void)capabilities;
	return true;
}

static struct mc_command begin(void)
{
	memset(&lab, 0, sizeof(lab));
	lab.now = 1000 * MC_SECOND;
	return (struct mc_command){ .name = "probe" };
}

/* A run that writes those lines, up to NULL; and the pause after it. */
static void run(struct mc_command *command, const char *const *lines, mc_time pause)
{
	struct mc_child_end end = { 0 };

	lab.text[0] = '\0';
	command->has_written = false;
	for (; *lines != NULL; lines++)
		mc_command_say(command, NULL, *lines);
	mc_command_ended(command, &end, 0);
	lab.now += pause;
}

static const char *const three[] = { "one", "other", "third", NULL };
static const char *const both[] = { "one", "other", NULL };
static const char *const one[] = { "one", NULL };
static const char *const nothing[] = { NULL };

/* However far apart its runs are. */
static void each_line_of_a_run_is_said(void **state)
{
	const mc_time pauses[] = { MC_SECOND, 10 * MC_SECOND, 60 * MC_SECOND, 86401 * MC_SECOND };

	(void)state;
	for (size_t i = 0; i < sizeof(pauses) / sizeof(*pauses); i++) {
		struct mc_command command = begin();

		run(&command, three, pauses[i]);
		assert_string_equal(lab.text, "'probe' says: 'one'");
		run(&command, three, pauses[i]);
		assert_string_equal(lab.text, "'probe' says: 'other'; 3 others are not shown");
		run(&command, three, pauses[i]);
		assert_string_equal(lab.text, "'probe' says: 'third'; 3 others are not shown");
	}
}

static void a_line_is_said_once(void **state)
{
	struct mc_command command = begin();

	(void)state;
	for (unsigned i = 0; i < 100; i++)
		run(&command, one, 10 * MC_SECOND);
	assert_int_equal(lab.logged, 1);
}

static void lines_of_each_run_do_not_fill_the_log(void **state)
{
	struct mc_command command = begin();

	(void)state;
	for (unsigned i = 0; i < 100; i++)
		run(&command, three, 10 * MC_SECOND);
	assert_in_range(lab.logged, 3, 4);
}

static void a_line_is_said_again_after_a_run_without(void **state)
{
	struct mc_command command = begin();

	(void)state;
	run(&command, both, 10 * MC_SECOND);
	run(&command, nothing, 10 * MC_SECOND);
	assert_int_equal(lab.logged, 1);
	run(&command, one, 10 * MC_SECOND);
	assert_string_equal(lab.text, "'probe' says: 'one'; 1 others are not shown");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_line_of_a_run_is_said),
		cmocka_unit_test(a_line_is_said_once),
		cmocka_unit_test(lines_of_each_run_do_not_fill_the_log),
		cmocka_unit_test(a_line_is_said_again_after_a_run_without),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
