/* SPDX-License-Identifier: MIT */
/* A file system that does not answer costs one call, one line in the log and nobody else's values.
 * mc_timed_call() is played by the test, which decides when a call comes back. */
#include "space.h"

#include <collector/kit/timed_call.h>

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct stage { /* State of the test; after ctx->self. */
	struct space space;
	bool hang;           /* Calls do not come back ... */
	int (*call)(void *); /* ... before the test lets this one. */
	void *argument;
	int refuse; /* What mc_timed_call() says to all calls. */
	unsigned timed_calls;
	char log[512];
};

int mc_timed_call(struct mc_ctx *ctx, mc_time limit, int (*call)(void *argument), void *argument)
{
	struct stage *stage = ctx->self;

	assert_true(limit <= ctx->interval / 10);
	stage->timed_calls++;
	if (stage->refuse != 0)
		return stage->refuse;
	if (!stage->hang)
		return call(argument);
	stage->call = call;
	stage->argument = argument;
	return -ETIMEDOUT;
}

void mc_log(struct mc_ctx *ctx, enum mc_level level, const char *fmt, ...)
{
	struct stage *stage = ctx->self;
	size_t size = strlen(stage->log);
	char line[256];
	va_list args;

	assert_true(level == MC_WARN || level == MC_NOTE);
	va_start(args, fmt);
	vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	snprintf(stage->log + size, sizeof(stage->log) - size, "%s\n", line);
}

const char *mc_path(struct mc_ctx *ctx, const char *path, char *out, size_t size)
{
	(void)ctx;
	snprintf(out, size, "%s", path);
	return out;
}

/* As the core does with a call that comes back when nobody waits any more. */
static void come_back(struct stage *stage)
{
	assert_int_equal(stage->call(stage->argument), 0);
	free(stage->argument);
	stage->call = NULL;
}

static const struct mount remote = { .device = "server:/a", .point = "/", .may_hang = true };
static const struct mount other = { .device = "other:/a", .point = "/tmp", .may_hang = true };
static const struct mount local = { .device = "dev", .point = "/dev" };
static const struct mount over_it = { .device = "/dev/sdb1", .point = "/" };
static const struct mount absent = { .device = "/dev/sdc1", .point = "/nonexistent/x" };

/* One read of these file systems; how many answered. */
static unsigned read_once(struct mc_ctx *ctx, const struct mount *const *mounts)
{
	struct stage *stage = ctx->self;
	unsigned answers = 0;

	stage->log[0] = '\0';
	stage->timed_calls = 0;
	space_begin(&stage->space);
	for (; *mounts != NULL; mounts++) {
		struct statvfs out = { 0 };

		if (space_ask(ctx, &stage->space, *mounts, &out)) {
			assert_true(out.f_bsize > 0);
			answers++;
		}
	}
	space_end(&stage->space);
	return answers;
}

#define READ(ctx, ...) read_once(ctx, (const struct mount *const[]){ __VA_ARGS__, NULL })

static int set_up(void **state)
{
	struct mc_ctx *ctx = calloc(1, sizeof(*ctx));

	ctx->self = calloc(1, sizeof(struct stage));
	ctx->interval = 10 * MC_SECOND;
	*state = ctx;
	return 0;
}

static int tear_down(void **state)
{
	struct mc_ctx *ctx = *state;

	space_free(&((struct stage *)ctx->self)->space);
	free(ctx->self);
	free(ctx);
	return 0;
}

static void local_ones_are_asked_directly(void **state)
{
	struct stage *stage = ((struct mc_ctx *)*state)->self;

	assert_int_equal(READ(*state, &local), 1);
	assert_int_equal(stage->timed_calls, 0);
	assert_int_equal(READ(*state, &remote), 1);
	assert_int_equal(stage->timed_calls, 1);
	assert_string_equal(stage->log, "");
}

static void one_that_hangs_is_left_alone_until_it_answers(void **state)
{
	struct stage *stage = ((struct mc_ctx *)*state)->self;

	stage->hang = true;
	assert_int_equal(READ(*state, &remote, &local), 1);
	assert_string_equal(stage->log, "file system '/' does not answer: left out until "
					"it does\n");
	stage->hang = false;
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(READ(*state, &remote, &other), 1);
		assert_int_equal(stage->timed_calls, 1); /* The other one. */
		assert_string_equal(stage->log, "");
	}
	come_back(stage);
	assert_int_equal(READ(*state, &remote, &other), 2);
	assert_string_equal(stage->log, "file system '/' answers again\n");
}

static void one_that_hangs_again_is_not_logged_again(void **state)
{
	struct stage *stage = ((struct mc_ctx *)*state)->self;

	stage->hang = true;
	assert_int_equal(READ(*state, &remote), 0);
	come_back(stage);
	assert_int_equal(READ(*state, &remote), 0);
	assert_int_equal(stage->timed_calls, 1);
	assert_string_equal(stage->log, "");
	come_back(stage);
}

static void what_is_unmounted_is_forgotten(void **state)
{
	struct stage *stage = ((struct mc_ctx *)*state)->self;

	stage->hang = true;
	assert_int_equal(READ(*state, &remote), 0);
	/* The same point, without the one that hangs, whose call still is. */
	assert_int_equal(READ(*state, &over_it), 1);
	assert_int_equal(READ(*state, &absent), 0);
	stage->hang = false;
	assert_int_equal(READ(*state, &remote), 1);
	assert_int_equal(stage->timed_calls, 1);
	assert_string_equal(stage->log, "");
	come_back(stage); /* Long after: it still has its own memory. */
}

/* A server whose file systems hang costs two calls, and no other server's. */
static void a_server_that_hangs_is_asked_twice(void **state)
{
	static const struct mount mounts[] = {
		{ .device = "server:/1", .point = "/1", .may_hang = true },
		{ .device = "server:/2", .point = "/2", .may_hang = true },
		{ .device = "server:/3", .point = "/3", .may_hang = true },
		{ .device = "server2:/1", .point = "/", .may_hang = true },
	};
	struct stage *stage = ((struct mc_ctx *)*state)->self;
	struct stage first;

	stage->hang = true;
	assert_int_equal(READ(*state, &mounts[0]), 0);
	first = *stage;
	assert_int_equal(READ(*state, &mounts[0], &mounts[1]), 0);
	stage->hang = false;
	assert_int_equal(READ(*state, &mounts[0], &mounts[1], &mounts[2], &mounts[3]), 1);
	assert_int_equal(stage->timed_calls, 1);
	assert_string_equal(stage->log, "file system '/3' does not answer: left out until "
					"it does\n");
	come_back(stage);
	assert_int_equal(READ(*state, &mounts[0], &mounts[2], &mounts[3]), 1);
	assert_int_equal(stage->timed_calls, 2);
	assert_string_equal(stage->log, "cannot ask file system '/3': No such file or "
					"directory\n");
	come_back(&first);
}

static void a_call_may_outlive_the_plugin(void **state)
{
	struct stage *stage = ((struct mc_ctx *)*state)->self;

	stage->hang = true;
	assert_int_equal(READ(*state, &remote), 0);
	space_free(&stage->space);
	come_back(stage);
}

static void errors_are_logged_when_they_change(void **state)
{
	struct stage *stage = ((struct mc_ctx *)*state)->self;

	assert_int_equal(READ(*state, &absent), 0);
	assert_string_equal(stage->log, "cannot ask file system "
					"'/nonexistent/x': No such file or "
					"directory\n");
	assert_int_equal(READ(*state, &absent), 0);
	assert_string_equal(stage->log, "");
}

static void a_refused_attempt_is_an_error(void **state)
{
	struct stage *stage = ((struct mc_ctx *)*state)->self;

	stage->refuse = -EAGAIN;
	assert_int_equal(READ(*state, &remote), 0);
	assert_string_equal(stage->log, "cannot ask file system '/': Resource "
					"temporarily unavailable\n");
	stage->refuse = 0;
	assert_int_equal(READ(*state, &remote), 1);
}

static void a_read_waits_for_three_at_most(void **state)
{
	static const char *const points[] = { "/1", "/2", "/3", "/4", "/5" };
	struct stage *stage = ((struct mc_ctx *)*state)->self;
	struct mount mounts[5] = { 0 };
	void *arguments[3];
	struct statvfs out;

	stage->hang = true;
	space_begin(&stage->space);
	for (unsigned i = 0; i < 5; i++) {
		mounts[i].device = mounts[i].point = points[i];
		mounts[i].may_hang = true;
		assert_false(space_ask(*state, &stage->space, &mounts[i], &out));
		if (i < 3)
			arguments[i] = stage->argument;
	}
	assert_int_equal(stage->timed_calls, 3);
	assert_true(space_ask(*state, &stage->space, &local, &out));
	for (unsigned i = 0; i < 3; i++) {
		stage->argument = arguments[i];
		stage->call(arguments[i]);
		free(arguments[i]);
	}
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(local_ones_are_asked_directly),
		TEST(one_that_hangs_is_left_alone_until_it_answers),
		TEST(one_that_hangs_again_is_not_logged_again),
		TEST(what_is_unmounted_is_forgotten),
		TEST(a_server_that_hangs_is_asked_twice),
		TEST(a_call_may_outlive_the_plugin),
		TEST(errors_are_logged_when_they_change),
		TEST(a_refused_attempt_is_an_error),
		TEST(a_read_waits_for_three_at_most),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
