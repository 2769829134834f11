/* SPDX-License-Identifier: MIT */
/* Programs that do what they should, and all that they should not.  With a number as argument that
 * many are run one after the other, sixteen at a time. */
#include <collector/kit/spawn.h>

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <collector/kit/wait.h>
#include <collector/serve.h>

#include "unit.h"

#define HANG_MS 60000 /* A test that waits as long has failed. */
#define TEXT_SIZE 4096

static struct {
	mc_time now;
	unsigned runs;
	struct mc_loop loop;
	struct mc_spawner *spawner;
	struct mc_child *child;
	char text[TEXT_SIZE]; /* Lines: "1:text\n", a half one with '-'. */
	size_t size;
	unsigned lines, ended, left;
	struct mc_child_end end;
	char why[256];
	bool reaps;   /* Status of processes that programs have left behind. */
	mc_time step; /* By which the clock goes on with each line. */
} lab;

mc_time mc_now(void)
{
	return lab.now;
}

/* In real time, but for timers. */
int mc_epoll(int epoll, struct epoll_event *events, int len, mc_time until)
{
	return epoll_wait(epoll, events, len, until > lab.now ? HANG_MS : 0);
}

int mc_stop_fd(struct mc_ctx *ctx)
{
	(void)ctx;
	return -1;
}

int mc_fail(struct mc_ctx *ctx, int errnum, const char *fmt, ...)
{
	(void)ctx, (void)fmt;
	return errnum != 0 ? -errnum : -EINVAL;
}

static void take_line(void *argument, const struct mc_child_line *line)
{
	int size = snprintf(lab.text + lab.size, TEXT_SIZE - lab.size, "%d%c%.*s\n", line->fd,
			    line->whole ? ':' : '-', line->size < 100 ? (int)line->size : 100,
			    line->text);

	(void)argument;
	assert_int_equal(line->text[line->size], '\0');
	if (size > 0 && lab.size + (size_t)size < TEXT_SIZE)
		lab.size += (size_t)size;
	lab.text[lab.size] = '\0';
	lab.lines++;
	lab.now += lab.step;
}

static void take_end(void *argument, const struct mc_child_end *end)
{
	(void)argument;
	lab.ended++;
	lab.end = *end;
	snprintf(lab.why, sizeof(lab.why), "%s", end->why);
}

static unsigned descriptors(void)
{
	DIR *folder = opendir("/proc/self/fd");
	unsigned len = 0;

	while (readdir(folder) != NULL)
		len++;
	closedir(folder);
	return len;
}

static int open_lab(void **state)
{
	unsigned runs = lab.runs;

	(void)state;
	memset(&lab, 0, sizeof(lab));
	lab.runs = runs;
	lab.now = 1000 * MC_SECOND;
	assert_int_equal(mc_loop_init(&lab.loop), 0);
	lab.spawner = mc_spawner_new(&lab.loop, "./collector-spawn");
	return 0;
}

static int close_lab(void **state)
{
	(void)state;
	mc_spawner_free(lab.spawner);
	mc_loop_done(&lab.loop);
	while (lab.reaps && waitpid(-1, NULL, 0) > 0)
		;
	prctl(PR_SET_CHILD_SUBREAPER, 0);
	assert_int_equal(waitpid(-1, NULL, 0), -1); /* No zombie. */
	assert_int_equal(errno, ECHILD);
	return 0;
}

static void work_once(void)
{
	assert_int_equal(mc_loop_round(&lab.loop, INT64_MAX), 0);
}

static void work_until_all_have_ended(void)
{
	while (mc_spawner_len(lab.spawner) > 0)
		work_once();
}

static void start(struct mc_program program)
{
	program.line = take_line;
	program.ended = take_end;
	assert_int_equal(mc_spawn(lab.spawner, &program, &lab.child), 0);
}

static void start_shell(const char *text, struct mc_program program)
{
	const char *const argv[] = { "/bin/sh", "-c", text, NULL };

	program.argv = argv;
	start(program);
}

static void run_shell(const char *text, struct mc_program program)
{
	start_shell(text, program);
	work_until_all_have_ended();
	assert_int_equal(lab.ended, 1);
}

#define PROGRAM(...) ((struct mc_program){ __VA_ARGS__ })

static void its_lines_come_and_its_status(void **state)
{
	(void)state;
	run_shell("echo a; echo; printf 'b c\\nhalf'; exit 3", PROGRAM(0));
	assert_string_equal(lab.text, "1:a\n1:\n1:b c\n1-half\n");
	assert_int_equal(lab.end.status, 3);
	assert_int_equal(lab.end.signal, 0);
	assert_int_equal(lab.end.errnum, 0);
	assert_false(lab.end.timed_out);
}

static void its_errors_come_as_such(void **state)
{
	(void)state;
	run_shell("echo bad >&2; kill -9 $$", PROGRAM(0));
	assert_string_equal(lab.text, "2:bad\n");
	assert_int_equal(lab.end.signal, SIGKILL);
}

static void it_has_what_it_is_given_and_nothing_else(void **state)
{
	static const char *const env[] = { "PATH=/usr/bin:/bin", "A=b c", NULL };
	sigset_t all, before;
	int leak = dup(1); /* As a library might leave one open. */

	(void)state;
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	run_shell("echo $A; pwd; ulimit -c; ulimit -Sn; umask; "
		  "signals() { echo $((0x$(sed -n \"s/^$1:.//p\" "
		  "/proc/self/status) & 0x7fffffff)); }; "
		  "signals SigBlk; signals SigIgn; "
		  "grep NoNewPrivs /proc/self/status; "
		  "ls /proc/self/fd | wc -l; env | grep -c =; "
		  "[ \"$(cut -d' ' -f6 /proc/$$/stat)\" = $$ ] && echo leader",
		  PROGRAM(.env = env));
	sigprocmask(SIG_SETMASK, &before, NULL);
	close(leak);
	/* glibc ignores two signals of its own.  ls itself has a descriptor;
	 * the shell knows PWD as well. */
	assert_string_equal(lab.text, "1:b c\n1:/\n1:0\n1:1024\n1:0022\n"
				      "1:0\n1:0\n1:NoNewPrivs:\t1\n"
				      "1:4\n1:3\n1:leader\n");
}

static void it_may_be_another_user(void **state)
{
	(void)state;
	run_shell("id -u; id -g; id -G", PROGRAM(.user = "65534", .group = "65534"));
	if (geteuid() == 0) {
		assert_string_equal(lab.text, "1:65534\n1:65534\n1:65534\n");
		return;
	}
	assert_int_equal(lab.end.errnum, EPERM);
	assert_string_equal(lab.why, "cannot become another user");
}

static void it_may_refuse_to_be_root(void **state)
{
	(void)state;
	run_shell("echo a", PROGRAM(.never_root = true));
	if (geteuid() != 0) {
		assert_string_equal(lab.text, "1:a\n");
		return;
	}
	assert_int_equal(lab.end.errnum, EPERM);
	assert_string_equal(lab.why, "programs are not run as root");
	assert_int_equal(lab.size, 0);
}

static void why_it_is_not_run_is_said(void **state)
{
	static const char *const argv[] = { "/nowhere/at/all", "a", NULL };

	(void)state;
	start(PROGRAM(.argv = argv));
	work_until_all_have_ended();
	assert_int_equal(lab.end.errnum, ENOENT);
	assert_string_equal(lab.why, "cannot run '/nowhere/at/all'");
	start_shell("echo a", PROGRAM(.user = "nobody that is there"));
	work_until_all_have_ended();
	assert_int_equal(lab.end.errnum, ENOENT);
	assert_string_equal(lab.why, "no user 'nobody that is there'");
	assert_int_equal(lab.size, 0);
}

static void without_the_helper_nothing_starts(void **state)
{
	const char *const argv[] = { "/bin/true", NULL };
	const struct mc_program program = { .argv = argv };
	struct mc_spawner *spawner;
	unsigned before = descriptors();

	(void)state;
	spawner = mc_spawner_new(&lab.loop, "/nowhere");
	assert_int_equal(mc_spawn(spawner, &program, NULL), -ENOENT);
	assert_string_equal(mc_spawner_helper(spawner), "/nowhere");
	mc_spawner_free(spawner);
	assert_int_equal(descriptors(), before);
}

static void it_reads_what_it_is_given(void **state)
{
	static char input[300000];

	(void)state;
	memset(input, 'x', sizeof(input) - 1);
	run_shell("wc -c", PROGRAM(.input = input, .input_size = 300000));
	assert_string_equal(lab.text, "1:300000\n");
}

static void it_need_not_read(void **state)
{
	static char input[300000];

	(void)state;
	run_shell("exec <&-; echo a", PROGRAM(.input = input, .input_size = 300000));
	assert_string_equal(lab.text, "1:a\n");
	assert_int_equal(lab.end.status, 0);
}

static void one_that_hangs_is_told_to_end(void **state)
{
	(void)state;
	lab.step = 10 * MC_SECOND;
	run_shell("echo a; exec sleep 1000", PROGRAM(.time_max = 10 * MC_SECOND));
	assert_true(lab.end.timed_out);
	assert_int_equal(lab.end.signal, SIGTERM);
	assert_int_equal(lab.end.duration, 10 * MC_SECOND);
}

static void one_that_does_not_listen_is_killed(void **state)
{
	(void)state;
	start_shell("trap 'echo told' TERM; echo a; "
		    "while :; do sleep 1000 & wait; done 2>/dev/null",
		    PROGRAM(.time_max = 10 * MC_SECOND));
	while (lab.lines < 1)
		work_once();
	lab.now += 10 * MC_SECOND;
	while (lab.lines < 2)
		work_once();
	assert_int_equal(mc_loop_due(&lab.loop), lab.now + 2 * MC_SECOND);
	lab.now += 2 * MC_SECOND;
	work_until_all_have_ended();
	assert_string_equal(lab.text, "1:a\n1:told\n");
	assert_true(lab.end.timed_out);
	assert_int_equal(lab.end.signal, SIGKILL);
}

static void one_may_be_stopped(void **state)
{
	(void)state;
	start_shell("echo a; exec sleep 1000", PROGRAM(0));
	while (lab.lines < 1)
		work_once();
	mc_child_stop(lab.child);
	mc_child_stop(lab.child);
	work_until_all_have_ended();
	assert_false(lab.end.timed_out);
	assert_int_equal(lab.end.signal, SIGTERM);
}

static void an_open_input_goes_on(void **state)
{
	(void)state;
	start_shell("while read line; do echo \"got $line\"; done; echo end",
		    PROGRAM(.input = "a\n", .input_size = 2, .input_open = true));
	while (lab.lines < 1)
		work_once();
	mc_child_write(lab.child, "b\nc", 3);
	while (lab.lines < 2)
		work_once();
	mc_child_write(lab.child, "d\n", 2);
	mc_child_close_input(lab.child);
	work_until_all_have_ended();
	assert_string_equal(lab.text, "1:got a\n1:got b\n1:got cd\n1:end\n");
	assert_int_equal(lab.end.status, 0);
}

static void what_an_open_input_does_not_take_waits(void **state)
{
	static char bytes[1000];
	const size_t all = 1000 * sizeof(bytes); /* More than a pipe holds. */

	(void)state;
	memset(bytes, 'x', sizeof(bytes));
	start_shell("echo a; read line; head -c 500000 | wc -c; "
		    "exec <&-; echo b; exec sleep 1000",
		    PROGRAM(.input_open = true));
	while (lab.lines < 1)
		work_once();
	for (unsigned i = 0; i < 1000; i++)
		mc_child_write(lab.child, bytes, sizeof(bytes));
	assert_int_equal(mc_child_unread(lab.child), all);
	mc_child_write(lab.child, "", 0);
	assert_int_equal(mc_loop_round(&lab.loop, 0), 0);
	assert_true(mc_child_unread(lab.child) < all);
	assert_true(mc_child_unread(lab.child) > 0);
	mc_child_write(lab.child, "\n", 1);
	for (unsigned i = 0; i < 600; i++)
		mc_child_write(lab.child, bytes, sizeof(bytes));
	while (lab.lines < 3)
		work_once();
	assert_string_equal(lab.text, "1:a\n1:500000\n1:b\n");
	while (mc_child_unread(lab.child) > 0)
		work_once();
	mc_child_write(lab.child, "x", 1);
	assert_int_equal(mc_child_unread(lab.child), 0);
	mc_child_kill(lab.child);
	mc_child_kill(lab.child);
	work_until_all_have_ended();
	assert_int_equal(lab.end.signal, SIGKILL);
	assert_false(lab.end.timed_out);
}

static void one_that_floods_is_killed(void **state)
{
	(void)state;
	run_shell("exec yes", PROGRAM(.output_max = 1000000));
	assert_true(lab.end.flooded);
	assert_int_equal(lab.end.signal, SIGKILL);
	assert_int_equal(lab.lines, 500000);
}

static void one_that_floods_does_not_delay_others(void **state)
{
	(void)state;
	start_shell("exec yes", PROGRAM(.output_max = 4000000));
	start_shell("exit 5", PROGRAM(0));
	while (lab.ended == 0)
		work_once();
	assert_int_equal(lab.end.status, 5);
	work_until_all_have_ended();
	assert_true(lab.end.flooded);
}

static void lines_that_are_too_long_are_skipped(void **state)
{
	(void)state;
	run_shell("echo a; head -c 200000 /dev/zero; echo b; echo c; "
		  "printf %30s x",
		  PROGRAM(.line_max = 20));
	assert_string_equal(lab.text, "1:a\n1:c\n");
	assert_int_equal(lab.end.lines_skipped, 2);
}

/* Processes that programs leave behind become ours. */
static void adopt(void)
{
	lab.reaps = true;
	prctl(PR_SET_CHILD_SUBREAPER, 1);
}

/* The status of a process that was left to us; -1 if it is not ours. */
static int reap(const char *digits)
{
	int status;

	if (waitpid((pid_t)strtol(digits, NULL, 10), &status, 0) < 0)
		return -1;
	return status;
}

static void what_it_leaves_behind_goes_with_it(void **state)
{
	int status;

	(void)state;
	adopt();
	run_shell("(sleep 1000 & echo $!)", PROGRAM(0));
	assert_int_equal(lab.lines, 1);
	status = reap(lab.text + 2);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGKILL);
}

/* Its pipe stays open, and nobody waits for that. */
static void what_leaves_its_group_is_let_go(void **state)
{
	pid_t pid;

	(void)state;
	adopt();
	run_shell("trap 'exit 0' USR1; "
		  "setsid sh -c \"echo \\$\\$; kill -USR1 $$; exec sleep "
		  "1000\" & "
		  "while :; do sleep 1000 & wait; done",
		  PROGRAM(0));
	assert_int_equal(lab.lines, 1);
	pid = (pid_t)strtol(lab.text + 2, NULL, 10);
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void the_memory_has_a_limit(void **state)
{
	(void)state;
	run_shell("ulimit -v", PROGRAM(.memory_max = 512 << 20));
	assert_string_equal(lab.text, "1:524288\n");
}

static void none_outlives_the_spawner(void **state)
{
	(void)state;
	start_shell("trap '' TERM; echo a; while :; do sleep 1000; done", PROGRAM(0));
	start_shell("echo a; exec sleep 1000", PROGRAM(0));
	while (lab.lines < 2)
		work_once();
	mc_spawner_free(lab.spawner);
	lab.spawner = NULL;
	assert_int_equal(lab.ended, 0);
}

static void start_next(void *argument, const struct mc_child_end *end)
{
	static const char *const argv[] = { "/bin/echo", "a", NULL };
	const struct mc_program program = { .argv = argv, .line = take_line, .ended = start_next };

	(void)argument;
	if (end != NULL) {
		lab.ended++;
		assert_int_equal(end->errnum, 0);
		assert_int_equal(end->status, 0);
	}
	if (lab.left > 0) {
		lab.left--;
		assert_int_equal(mc_spawn(lab.spawner, &program, NULL), 0);
	}
}

static void many_leave_nothing_behind(void **state)
{
	unsigned before = descriptors();

	(void)state;
	lab.left = lab.runs;
	for (unsigned i = 0; i < 16; i++)
		start_next(NULL, NULL);
	work_until_all_have_ended();
	assert_int_equal(lab.ended, lab.runs);
	assert_int_equal(lab.lines, lab.runs);
	assert_int_equal(descriptors(), before);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_lab, close_lab)

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		TEST(its_lines_come_and_its_status),
		TEST(its_errors_come_as_such),
		TEST(it_has_what_it_is_given_and_nothing_else),
		TEST(it_may_be_another_user),
		TEST(it_may_refuse_to_be_root),
		TEST(why_it_is_not_run_is_said),
		TEST(without_the_helper_nothing_starts),
		TEST(it_reads_what_it_is_given),
		TEST(it_need_not_read),
		TEST(one_that_hangs_is_told_to_end),
		TEST(one_that_does_not_listen_is_killed),
		TEST(one_may_be_stopped),
		TEST(an_open_input_goes_on),
		TEST(what_an_open_input_does_not_take_waits),
		TEST(one_that_floods_is_killed),
		TEST(one_that_floods_does_not_delay_others),
		TEST(lines_that_are_too_long_are_skipped),
		TEST(what_it_leaves_behind_goes_with_it),
		TEST(what_leaves_its_group_is_let_go),
		TEST(the_memory_has_a_limit),
		TEST(none_outlives_the_spawner),
		TEST(many_leave_nothing_behind),
	};

	signal(SIGPIPE, SIG_IGN);
	lab.runs = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 64;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
