/* SPDX-License-Identifier: MIT */
/* What events of the kernel become: one notification when waiting begins to be
 * too much, and one when it is over.  The core is played by the test. */
#include "trigger.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <collector/check.h>
#include <collector/kit/wait.h>

static const struct trigger memory = {
	.resource = 1,
	.level = 1,
	.severity = 1,
	.stall = 150 * MC_MILLISECOND,
	.window = MC_SECOND,
	.calm = 10 * MC_SECOND,
};

struct stage { /* After ctx->self. */
	unsigned notifications, errors;
	struct mc_notification last;
	char message[256], instance[64], level[64];
};

void mc_notify(struct mc_ctx *ctx, const struct mc_notification *notification)
{
	struct stage *stage = ctx->self;

	stage->notifications++;
	stage->last = *notification;
	snprintf(stage->message, sizeof(stage->message), "%s", notification->message);
	snprintf(stage->instance, sizeof(stage->instance), "%s", notification->id.plugin_instance);
	snprintf(stage->level, sizeof(stage->level), "%s", notification->id.type_instance);
}

void mc_check_error(struct mc_ctx *ctx, const void *field, const char *fmt, ...)
{
	struct stage *stage = ctx->self;

	(void)fmt;
	assert_non_null(field);
	stage->errors++;
}

void mc_log(struct mc_ctx *ctx, enum mc_level level, const char *fmt, ...)
{
	(void)ctx;
	(void)level;
	fail_msg("'%s'", fmt);
}

int mc_fail(struct mc_ctx *ctx, int errnum, const char *fmt, ...)
{
	(void)ctx;
	(void)errnum;
	fail_msg("'%s'", fmt);
	return -1;
}

const char *mc_path(struct mc_ctx *ctx, const char *path, char *out, size_t size)
{
	(void)ctx;
	snprintf(out, size, "%s", path);
	return out;
}

mc_time mc_now(void)
{
	return 0;
}

int mc_wait(struct mc_ctx *ctx, struct pollfd *fds, size_t len, mc_time until)
{
	(void)ctx, (void)fds, (void)len, (void)until;
	return -ECANCELED;
}

static void test_begin_and_end(void **state)
{
	struct stage stage = { 0 };
	struct mc_ctx ctx = { .self = &stage };
	struct trigger trigger = memory;

	(void)state;
	assert_int_equal(trigger_look(&ctx, &trigger, 100 * MC_SECOND), -1);
	assert_int_equal(stage.notifications, 0);

	trigger_event(&ctx, &trigger, 100 * MC_SECOND);
	assert_int_equal(stage.notifications, 1);
	assert_int_equal(stage.last.severity, MC_FAILURE);
	assert_string_equal(stage.message, "all tasks waited for memory for "
					   "0.15 s or more within 1 s");
	assert_string_equal(stage.instance, "memory");
	assert_string_equal(stage.level, "full");

	/* Further events make it last longer, and say nothing. */
	assert_int_equal(trigger_look(&ctx, &trigger, 104 * MC_SECOND), 6 * MC_SECOND);
	trigger_event(&ctx, &trigger, 105 * MC_SECOND);
	assert_int_equal(trigger_look(&ctx, &trigger, 110 * MC_SECOND), 5 * MC_SECOND);
	assert_int_equal(stage.notifications, 1);

	assert_int_equal(trigger_look(&ctx, &trigger, 115 * MC_SECOND), -1);
	assert_int_equal(stage.notifications, 2);
	assert_int_equal(stage.last.severity, MC_OKAY);
	assert_string_equal(stage.message, "all tasks have waited for memory for less than "
					   "0.15 s within 1 s, for 10 s");
	assert_int_equal(trigger_look(&ctx, &trigger, 200 * MC_SECOND), -1);
	assert_int_equal(stage.notifications, 2);

	trigger_event(&ctx, &trigger, 201 * MC_SECOND);
	assert_int_equal(stage.notifications, 3);
}

static void test_severity_and_level(void **state)
{
	struct stage stage = { 0 };
	struct mc_ctx ctx = { .self = &stage };
	struct trigger trigger = memory;

	(void)state;
	trigger.severity = 0;
	trigger.level = 0;
	trigger_event(&ctx, &trigger, 1);
	assert_int_equal(stage.last.severity, MC_WARNING);
	assert_string_equal(stage.message, "some tasks waited for memory for "
					   "0.15 s or more within 1 s");
}

static unsigned errors_of(struct trigger *items, size_t len)
{
	struct stage stage = { 0 };
	struct mc_ctx ctx = { .self = &stage };
	const struct mc_blocks triggers = { items, len };

	trigger_check(&ctx, &triggers);
	return stage.errors;
}

static void test_options(void **state)
{
	struct trigger right = memory, stall = memory, calm = memory;
	struct trigger many[TRIGGERS_MAX + 1];

	(void)state;
	assert_int_equal(errors_of(&right, 1), 0);
	stall.stall = stall.window;
	assert_int_equal(errors_of(&stall, 1), 1);
	calm.calm = calm.window - 1;
	assert_int_equal(errors_of(&calm, 1), 1);
	for (size_t i = 0; i < TRIGGERS_MAX + 1; i++)
		many[i] = memory;
	assert_int_equal(errors_of(many, TRIGGERS_MAX), 0);
	assert_int_equal(errors_of(many, TRIGGERS_MAX + 1), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_begin_and_end),
		cmocka_unit_test(test_severity_and_level),
		cmocka_unit_test(test_options),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
