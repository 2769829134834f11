/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include <collector/kit/timed_call.h>

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/slow_file.h"
#include "base/timed_calls.h"
#include "lab.h"

static const struct mc_plugin plain_plugin = { .api = MC_API, .name = "plain" };

struct question {
	int answer;
	int fd; /* If not -1, the answer comes when this can be read. */
};

static int answer(void *argument)
{
	struct question *question = argument;
	char byte;

	if (question->fd >= 0 && read(question->fd, &byte, 1) < 0)
		return -errno;
	return question->answer;
}

static struct question *ask(int value, int fd)
{
	struct question *question = malloc(sizeof(*question));

	*question = (struct question){ value, fd };
	return question;
}

static void answers_come_back(void **state)
{
	struct lab lab;
	struct instance *plain;

	(void)state;
	lab_open(&lab, 1 << 20);
	plain = engine_add(lab.engine, &plain_plugin, "plain");
	engine_start_idle(lab.engine);
	for (int i = 0; i < 50; i++) {
		struct question *question = ask(i, -1);

		assert_int_equal(mc_timed_call(engine_ctx(plain), LAB_LIMIT, answer, question), i);
		free(question);
	}
	lab_close(&lab);
}

static void calls_that_hang_are_left_and_bounded(void **state)
{
	struct question *question;
	struct lab lab;
	struct instance *plain;
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	lab_open(&lab, 1 << 20);
	plain = engine_add(lab.engine, &plain_plugin, "plain");
	engine_start_idle(lab.engine);
	for (int i = 0; i < TIMED_CALLS_MAX; i++)
		assert_int_equal(
			mc_timed_call(engine_ctx(plain), MC_MILLISECOND, answer, ask(i, fds[0])),
			-ETIMEDOUT);
	question = ask(1, -1);
	assert_int_equal(mc_timed_call(engine_ctx(plain), MC_MILLISECOND, answer, question),
			 -EAGAIN);
	/* Those that hang come back one by one, and serve again. */
	assert_int_equal(write(fds[1], "x", 1), 1);
	while (mc_timed_call(engine_ctx(plain), LAB_LIMIT, answer, question) == -EAGAIN)
		;
	free(question);
	close(fds[1]);
	lab_close(&lab); /* Nobody waits for those who read fds[0]. */
}

/* A thread that is idle is given one call only, though it has not begun with that yet. */
static void a_call_that_hangs_delays_no_other(void **state)
{
	(void)state;
	for (int i = 0; i < 50; i++) {
		struct question *question = ask(1, -1);
		struct instance *plain;
		struct lab lab;
		int fds[2];

		assert_int_equal(pipe(fds), 0);
		lab_open(&lab, 1 << 20);
		plain = engine_add(lab.engine, &plain_plugin, "plain");
		engine_start_idle(lab.engine);
		assert_int_equal(mc_timed_call(engine_ctx(plain), LAB_LIMIT, answer, question), 1);
		mc_timed_call(engine_ctx(plain), 0, answer, ask(2, fds[0]));
		assert_int_equal(mc_timed_call(engine_ctx(plain), LAB_LIMIT, answer, question), 1);
		free(question);
		close(fds[1]);
		lab_close(&lab);
	}
}

/* A stop may come before a thread has begun with a call; the leak sanitizer
 * sees what becomes of it. */
static void a_call_that_was_not_begun_yet_is_freed(void **state)
{
	(void)state;
	for (int i = 0; i < 50; i++) {
		struct question *question = ask(i, -1);
		struct instance *plain;
		struct lab lab;
		int rc;

		lab_open(&lab, 1 << 20);
		plain = engine_add(lab.engine, &plain_plugin, "plain");
		engine_start_idle(lab.engine);
		rc = mc_timed_call(engine_ctx(plain), 0, answer, question);
		lab_close(&lab);
		if (rc == i)
			free(question);
		else
			assert_int_equal(rc, -ETIMEDOUT);
	}
}

static void *call_once(void *ctx)
{
	struct question *question = ask(7, -1);
	int rc = mc_timed_call(ctx, LAB_LIMIT, answer, question);

	assert_int_equal(rc, 7);
	free(question);
	return NULL;
}

/* Both are the first; the leak sanitizer sees a second set of threads. */
static void run_and_read_may_call_at_the_same_time(void **state)
{
	struct lab lab;

	(void)state;
	lab_open(&lab, 1 << 20);
	for (int i = 0; i < 200; i++) {
		struct mc_ctx *ctx = engine_ctx(engine_add(lab.engine, &plain_plugin, "plain"));
		pthread_t thread;

		assert_int_equal(pthread_create(&thread, NULL, call_once, ctx), 0);
		call_once(ctx);
		pthread_join(thread, NULL);
	}
	engine_start_idle(lab.engine);
	lab_close(&lab);
}

/* A file that is fine, one that is not there, a folder, a pipe: a reader of the
 * last would wait for ever. */
static void files_are_tried(void **state)
{
	char folder[] = "/tmp/test_timed_call.XXXXXX", path[64];
	struct timed_calls *calls = timed_calls_new();
	struct stat status;

	(void)state;
	assert_non_null(mkdtemp(folder));
	assert_int_equal(slow_file_try(calls, folder, &status), 0);
	assert_true(S_ISDIR(status.st_mode));
	snprintf(path, sizeof(path), "%s/file", folder);
	assert_int_equal(slow_file_try(calls, path, NULL), -ENOENT);
	assert_string_equal(slow_file_reason(-ENOENT), strerror(ENOENT));
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(slow_file_try(calls, path, NULL), -ESPIPE);
	assert_int_equal(remove(path), 0);
	assert_int_equal(close(creat(path, 0600)), 0);
	assert_int_equal(truncate(path, 100000), 0);
	assert_int_equal(slow_file_try(calls, path, &status), 0);
	assert_int_equal(status.st_size, 100000);
	assert_int_equal(remove(path), 0);
	assert_int_equal(rmdir(folder), 0);
	timed_calls_free(calls);
}

static void files_that_hang_are_bounded(void **state)
{
	struct timed_calls *calls = timed_calls_new();
	int fds[2], rc;

	(void)state;
	assert_int_equal(pipe(fds), 0);
	for (unsigned i = 0; i < TIMED_CALLS_MAX; i++)
		assert_int_equal(timed_calls_run(calls, 0, answer, ask(1, fds[0])), -ETIMEDOUT);
	assert_int_equal(timed_calls_busy(calls), TIMED_CALLS_MAX);
	rc = slow_file_try(calls, "/", NULL);
	assert_int_equal(rc, -EAGAIN);
	assert_true(slow_file_hangs(rc));
	close(fds[1]);
	while (timed_calls_busy(calls) > 0)
		sched_yield();
	assert_int_equal(slow_file_try(calls, "/", NULL), 0);
	timed_calls_free(calls);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers_come_back),
		cmocka_unit_test(calls_that_hang_are_left_and_bounded),
		cmocka_unit_test(a_call_that_hangs_delays_no_other),
		cmocka_unit_test(a_call_that_was_not_begun_yet_is_freed),
		cmocka_unit_test(files_are_tried),
		cmocka_unit_test(files_that_hang_are_bounded),
		cmocka_unit_test(run_and_read_may_call_at_the_same_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
