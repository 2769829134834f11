/* SPDX-License-Identifier: MIT */
/* A walk that reads only what has run finds what a walk over all finds, whatever the processes do,
 * and leaves out those that sleep.  The folder has links to the children of this test alone. */
#include "unit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process.h"
#include "table.h"

#define FULL_READS 32 /* As in process.c. */
#define SHARED_SIZE (4 << 20)
#define CHILDREN_MAX 8

struct child {
	pid_t pid;
	int order, answer; /* Pipes. */
};

static struct child children[CHILDREN_MAX];
static size_t children_len;
static char folder[] = "/tmp/test_processes_walk.XXXXXX", *shared;
static struct table active, all;
static int thread_pipe[2];

/* Of the collector, for what reports groups, which nobody does here. */
struct mc_series *mc_hold(struct mc_series *series)
{
	return series;
}

void mc_release(struct mc_series *series)
{
	(void)series;
}

struct mc_series *mc_series(struct mc_batch *batch, struct mc_id id)
{
	(void)batch;
	(void)id;
	return NULL;
}

void mc_put(struct mc_batch *batch, struct mc_series *series, const union mc_value *values,
	    unsigned len)
{
	(void)batch;
	(void)series;
	(void)values;
	(void)len;
}

/* --- What a child does -------------------------------------------------------- */

static void burn(void)
{
	struct timespec start, now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	while ((now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1000000 < 30);
}

static void *thread(void *argument)
{
	char order;

	(void)argument;
	while (read(thread_pipe[0], &order, 1) == 1)
		burn();
	return NULL;
}

static void obey(char order)
{
	pthread_t id;

	switch (order) {
	case 'b':
		burn();
		break;
	case 'm':
		memset(mmap(NULL, SHARED_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			    -1, 0),
		       1, SHARED_SIZE);
		break;
	case 's':
		memset(shared, 1, SHARED_SIZE);
		break;
	case 'n':
		prctl(PR_SET_NAME, "another");
		break;
	case 't':
		pthread_create(&id, NULL, thread, NULL);
		break;
	case 'x':
		_exit(0);
	}
}

static void live(const int order[2], const int answer[2])
{
	char byte;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, "walker");
	while (read(order[0], &byte, 1) == 1) {
		obey(byte);
		if (write(answer[1], &byte, 1) != 1)
			break;
	}
	_exit(1);
}

/* --- What the test does with it ------------------------------------------------- */

/* Of a process, or of one of its threads: its path below /proc. */
static char state_of(const char *task)
{
	char path[320], text[512], *end;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%s/stat", task);
	file = fopen(path, "r");
	if (file == NULL)
		return '\0';
	if (fgets(text, sizeof(text), file) == NULL)
		text[0] = '\0';
	fclose(file);
	end = strrchr(text, ')');
	return end != NULL ? end[2] : '\0';
}

/* Whether all threads are in this state. */
static bool is_in(pid_t pid, char state)
{
	char path[64], task[300];
	const struct dirent *entry;
	bool all_are = true;
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	tasks = opendir(path);
	assert_non_null(tasks);
	while ((entry = readdir(tasks)) != NULL) {
		snprintf(task, sizeof(task), "%d/task/%.200s", (int)pid, entry->d_name);
		if (entry->d_name[0] != '.' && state_of(task) != state)
			all_are = false;
	}
	closedir(tasks);
	return all_are;
}

/* A thread that was woken for a moment sleeps again by the second look. */
static void await(pid_t pid, char state)
{
	do {
		while (!is_in(pid, state))
			poll(NULL, 0, 1);
		poll(NULL, 0, 5);
	} while (!is_in(pid, state));
}

/* Does it, and sleeps. */
static void order(const struct child *child, char what)
{
	char byte;

	assert_int_equal(write(child->order, &what, 1), 1);
	assert_int_equal(read(child->answer, &byte, 1), 1);
	await(child->pid, 'S');
}

static struct child *give_birth(void)
{
	struct child *child = &children[children_len++];
	char from[64], to[64];
	int down[2], up[2];

	assert_int_equal(pipe(down), 0);
	assert_int_equal(pipe(up), 0);
	child->pid = fork();
	if (child->pid == 0)
		live(down, up);
	assert_true(child->pid > 0);
	close(down[0]);
	close(up[1]);
	child->order = down[1];
	child->answer = up[0];
	snprintf(from, sizeof(from), "/proc/%d", (int)child->pid);
	snprintf(to, sizeof(to), "%s/%d", folder, (int)child->pid);
	assert_int_equal(symlink(from, to), 0);
	order(child, ' ');
	return child;
}

static void forget(const struct child *child)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/%d", folder, (int)child->pid);
	unlink(path);
}

static unsigned compare(void)
{
	struct table_result some, each;
	const struct group *left = active.groups.items, *right = all.groups.items;

	assert_int_equal(table_read(&active, folder, NULL, &some), 0);
	assert_int_equal(table_read(&all, folder, NULL, &each), 0);
	assert_int_equal(some.failed, 0);
	assert_int_equal(some.found, each.found);
	assert_true(each.asked >= each.found);
	assert_memory_equal(&some.states, &each.states, sizeof(some.states));
	for (unsigned i = 0; i < active.groups.len; i++) {
		assert_int_equal(left[i].spoilt, right[i].spoilt);
		assert_int_equal(left[i].sum.known, right[i].sum.known);
		assert_int_equal(left[i].sum.gauges_of, right[i].sum.gauges_of);
		for (unsigned n = 0; n < GROUP_GAUGES_LEN; n++)
			assert_true(left[i].sum.gauges[n] == right[i].sum.gauges[n]);
		for (unsigned n = 0; n < GROUP_COUNTERS_LEN; n++)
			assert_int_equal(left[i].sum.counters[n], right[i].sum.counters[n]);
	}
	return some.asked;
}

static uint64_t ticks(void)
{
	const uint64_t *counters = active.groups.items[0].sum.counters;

	return counters[GROUP_USER_TICKS] + counters[GROUP_SYSTEM_TICKS];
}

static double sum_of(enum group_gauge gauge)
{
	return active.groups.items[0].sum.gauges[gauge];
}

/* --- Tests ---------------------------------------------------------------------- */

/* ThreadSanitizer gives each process a thread, which runs again and again. */
static void need_quiet(void)
{
#ifdef __SANITIZE_THREAD__
	skip();
#endif
}

static void sleeping(void **state)
{
	unsigned asked = 0;

	(void)state;
	need_quiet();
	for (size_t i = 0; i < 4; i++)
		give_birth();
	assert_int_equal(compare(), 4);
	for (size_t i = 0; i < 4; i++) { /* What they have used is known from here on. */
		poll(NULL, 0, 10);
		compare();
	}
	for (size_t i = 0; i < FULL_READS; i++)
		asked += compare();
	assert_int_equal(asked, 4); /* Each once. */
	assert_true(sum_of(GROUP_PROCESSES) == 4);
}

static void running(void **state)
{
	uint64_t before = ticks();
	double rss;

	(void)state;
	need_quiet();
	order(&children[0], 'b');
	assert_true(compare() >= 1);
	assert_true(ticks() > before);
	rss = sum_of(GROUP_RSS);
	order(&children[1], 'm');
	compare();
	assert_true(sum_of(GROUP_RSS) >= rss + SHARED_SIZE);
}

static void renamed(void **state)
{
	(void)state;
	need_quiet();
	order(&children[3], 'n');
	compare();
	assert_true(sum_of(GROUP_PROCESSES) == 3);
	assert_true(active.groups.items[1].sum.gauges[GROUP_PROCESSES] == 1);
}

/* Its memory becomes smaller while it sleeps. */
static void robbed(void **state)
{
	double rss;

	(void)state;
	need_quiet();
	order(&children[0], 's');
	compare();
	rss = sum_of(GROUP_RSS);
	assert_int_equal(madvise(shared, SHARED_SIZE, MADV_REMOVE), 0);
	compare();
	assert_true(sum_of(GROUP_RSS) <= rss - SHARED_SIZE);
}

static void stopped(void **state)
{
	(void)state;
	need_quiet();
	kill(children[1].pid, SIGSTOP);
	await(children[1].pid, 'T');
	compare();
	compare();
	assert_int_equal(compare() <= 3, 1);
	kill(children[1].pid, SIGCONT);
	await(children[1].pid, 'S');
	compare();
}

/* Its first thread sleeps all the time. */
static void threaded(void **state)
{
	uint64_t before;

	(void)state;
	need_quiet();
	order(&children[2], 't');
	compare();
	assert_true(sum_of(GROUP_THREADS) == 4);
	before = ticks();
	for (int i = 0; i < 3; i++) {
		assert_int_equal(write(thread_pipe[1], "x", 1), 1);
		await(children[2].pid, 'S');
		compare();
	}
	assert_true(ticks() > before);
}

/* Its number is given up when it is waited for. */
static void ended(void **state)
{
	(void)state;
	need_quiet();
	assert_int_equal(write(children[0].order, "x", 1), 1);
	await(children[0].pid, 'Z');
	compare();
	assert_true(sum_of(GROUP_PROCESSES) == 2);
	compare();
	waitpid(children[0].pid, NULL, 0);
	compare(); /* The link is still there. */
	forget(&children[0]);
	compare();
	give_birth();
	compare();
	assert_true(sum_of(GROUP_PROCESSES) == 3);
}

/* --- A control group --------------------------------------------------------------- */

static char mount[] = "/tmp/test_processes_mount.XXXXXX";

static void put(const char *top, const char *name, const char *text)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", top, name);
	for (char *at = path + strlen(top) + 1; (at = strchr(at, '/')) != NULL; *at++ = '/') {
		*at = '\0';
		mkdir(path, 0700);
	}
	file = fopen(path, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	fclose(file);
}

#define STAT " (qemu) S 1 1 1 0 -1 4194560 7 0 1 0 2 0 0 0 20 0 3 0 17 5615616 11 1 1 1 1\n"

static unsigned asked_of(struct table *table, const char *top)
{
	struct table_result result;

	assert_int_equal(table_read(table, top, mount, &result), 0);
	assert_int_equal(result.states.sleeping, result.found);
	return result.asked;
}

/* Two guests, whose CPUs are in groups of type "threaded". */
static void grouped(void **state)
{
	char top[] = "/tmp/test_processes_proc.XXXXXX", command[128];
	struct table table = { .source.kept_max = 100, .groups.leaves.files.kept_max = 100 };

	(void)state;
	need_quiet();
	assert_non_null(mkdtemp(top));
	assert_non_null(mkdtemp(mount));
	put(top, "40/stat", "40" STAT);
	put(top, "40/cgroup", "1:name=systemd:/\n0::/m/one/libvirt/emulator\n");
	put(top, "41/stat", "41" STAT);
	put(top, "41/cgroup", "0::/m/two\n");
	put(mount, "cgroup.controllers", "cpu\n");
	put(mount, "m/one/cgroup.type", "domain threaded\n");
	put(mount, "m/one/cpu.stat", "usage_usec 100\nuser_usec 60\n");
	put(mount, "m/one/libvirt/cgroup.type", "threaded\n");
	put(mount, "m/one/libvirt/cpu.stat", "usage_usec 50\n");
	put(mount, "m/one/libvirt/emulator/cgroup.type", "threaded\n");
	put(mount, "m/one/libvirt/emulator/cpu.stat", "usage_usec 10\n");
	put(mount, "m/two/cgroup.type", "domain\n");
	put(mount, "m/two/cpu.stat", "usage_usec 200\n");
	assert_int_equal(asked_of(&table, top), 2);
	assert_int_equal(asked_of(&table, top), 2); /* Finds their groups. */
	assert_int_equal(asked_of(&table, top), 2); /* Knows what these have used. */
	assert_int_equal(asked_of(&table, top), 0);
	put(mount, "m/one/cpu.stat", "usage_usec 101\nuser_usec 60\n");
	assert_int_equal(asked_of(&table, top), 1);
	assert_int_equal(asked_of(&table, top), 0);
	put(mount, "m/two/cpu.stat", "garbage\n");
	assert_int_equal(asked_of(&table, top), 1);
	assert_int_equal(asked_of(&table, top), 1);
	put(mount, "m/two/cpu.stat", "usage_usec 200\n");
	assert_int_equal(asked_of(&table, top), 1);
	assert_int_equal(asked_of(&table, top), 0);
	table.groups.all = true;
	assert_int_equal(asked_of(&table, top), 2);
	table_done(&table);
	snprintf(command, sizeof(command), "rm -r %s %s", top, mount);
	assert_int_equal(system(command), 0);
}

static int set_up(void **state)
{
	static struct group groups[2][2];

	(void)state;
	assert_non_null(mkdtemp(folder));
	assert_int_equal(pipe(thread_pipe), 0);
	shared = mmap(NULL, SHARED_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	for (size_t i = 0; i < 2; i++) {
		struct table *table = i == 0 ? &active : &all;

		groups[i][0].name = "walker";
		groups[i][1].name = "another";
		table->groups.items = groups[i];
		table->groups.len = 2;
		table->groups.all = i == 1;
		table->source.kept_max = 24;
	}
	return 0;
}

static int clean_up(void **state)
{
	(void)state;
	for (size_t i = 0; i < children_len; i++) {
		kill(children[i].pid, SIGKILL);
		waitpid(children[i].pid, NULL, 0);
		forget(&children[i]);
	}
	table_done(&active);
	table_done(&all);
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sleeping), cmocka_unit_test(running), cmocka_unit_test(renamed),
		cmocka_unit_test(robbed),   cmocka_unit_test(stopped), cmocka_unit_test(threaded),
		cmocka_unit_test(ended),    cmocka_unit_test(grouped),
	};

	return cmocka_run_group_tests(tests, set_up, clean_up);
}
