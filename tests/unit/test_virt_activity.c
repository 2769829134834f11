/* SPDX-License-Identifier: MIT */
/* The work of a process as the kernel shows it. */
#include "activity.h"

#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "kit/base/kept_file.h"

/* --- Pure parts ------------------------------------------------------------ */

static void fields_of_io(void **state)
{
	static const char text[] = "rchar: 1\nwchar: 2\nsyscr: 3\nsyscw: 4\nread_bytes: 5\n"
				   "write_bytes: 6\ncancelled_write_bytes: 7\n";
	uint64_t io[ACTIVITY_IO_FIELDS] = { 0 };

	(void)state;
	assert_true(activity_parse_io(text, io));
	assert_int_equal(io[ACTIVITY_READ_CHARS], 1);
	assert_int_equal(io[ACTIVITY_WRITE_BYTES], 6);
	assert_int_equal(io[ACTIVITY_CANCELLED_BYTES], 7);
	assert_false(activity_parse_io("", io));
	assert_false(activity_parse_io("rchar: 9\nwchar: 2\nsyscr: x\n", io));
	assert_int_equal(io[ACTIVITY_READ_CHARS], 1);
}

static void run_time_of_threads(void **state)
{
	uint64_t ran = 5;

	(void)state;
	assert_true(activity_parse_schedstat("1000 77 3\n", &ran));
	assert_int_equal(ran, 1008);
	assert_false(activity_parse_schedstat("0 0 0\n", &ran)); /* The kernel does not count. */
	assert_false(activity_parse_schedstat("1000 77\n", &ran));
	assert_false(activity_parse_schedstat("", &ran));
	assert_int_equal(ran, 1008);
}

static void threads_that_serve_disks(void **state)
{
	(void)state;
	assert_true(activity_serves("qemu-system-x86\n"));
	assert_true(activity_serves("IO iothread1\n"));
	assert_true(activity_serves("iou-wrk-3276\n"));
	assert_true(activity_serves("of a later version\n"));
	assert_false(activity_serves("CPU 0/KVM\n"));
	assert_false(activity_serves("CPU 12/TCG\n"));
	assert_false(activity_serves("IO mon_iothread\n"));
	assert_false(activity_serves("vhost-4711\n"));
	assert_false(activity_serves("worker\n"));
}

static void idle_only_if_both_looks_say_so(void **state)
{
	struct activity_sample before = { .known = true, .has_io = true, .started = 7 }, after;

	(void)state;
	after = before;
	assert_true(activity_is_idle(&before, &after));
	after.ran++; /* Shown only without 'io'. */
	assert_true(activity_is_idle(&before, &after));
	for (unsigned i = 0; i < ACTIVITY_IO_FIELDS; i++) {
		after = before;
		after.io[i]++;
		assert_false(activity_is_idle(&before, &after));
	}
	after = before;
	after.started = 8; /* Another process has its number. */
	assert_false(activity_is_idle(&before, &after));
	after = before;
	after.has_io = false;
	assert_false(activity_is_idle(&before, &after));
	before.has_io = false;
	assert_true(activity_is_idle(&before, &after));
	after.ran++;
	assert_false(activity_is_idle(&before, &after));
	after = before;
	after.known = false;
	assert_false(activity_is_idle(&before, &after));
	assert_false(
		activity_is_idle(&(struct activity_sample){ 0 }, &(struct activity_sample){ 0 }));
}

static void the_end_of_an_answer(void **state)
{
	struct activity_sample before = { .known = true, .has_io = true, .io = { 100, 100, 9, 9 } };
	struct activity_sample after = before;

	(void)state;
	after.io[ACTIVITY_READ_CHARS] += 32;
	after.io[ACTIVITY_READ_CALLS] += 4;
	after.io[ACTIVITY_WRITE_CHARS] += 48;
	after.io[ACTIVITY_WRITE_CALLS] += 6;
	assert_true(activity_has_only_woken(&before, &after));
	assert_false(activity_has_transferred(&before, &after));
	after.io[ACTIVITY_WRITE_CHARS] += 512; /* By pwrite(2). */
	after.io[ACTIVITY_WRITE_CALLS] += 1;
	assert_false(activity_has_only_woken(&before, &after));
	after = before;
	after.io[ACTIVITY_WRITE_BYTES] += 512; /* Without it. */
	assert_false(activity_has_only_woken(&before, &after));
	assert_true(activity_has_transferred(&before, &after));
	after.started++;
	assert_false(activity_has_transferred(&before, &after));
}

/* --- Files ------------------------------------------------------------------ */

struct lab {
	char folder[64];
	struct mc_kept_files files;
};

static void lab_write(const struct lab *lab, const char *name, const char *text)
{
	char path[PATH_MAX];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", lab->folder, name);
	file = fopen(path, "we");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static void lab_remove(const struct lab *lab, const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", lab->folder, name);
	assert_int_equal(unlink(path), 0);
}

static void lab_stat(const struct lab *lab, char state, unsigned started)
{
	char text[256];

	snprintf(text, sizeof(text),
		 "7 (qemu) %c 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 3 18 %u 20 21 22 23 24 25 26 "
		 "27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49\n",
		 state, started);
	lab_write(lab, "7/stat", text);
}

static int lab_open(void **state)
{
	static const char *const folders[] = { "/7", "/7/task", "/7/task/7", "/7/task/8",
					       "/7/task/9" };
	static struct lab lab;
	char path[128];

	lab = (struct lab){ .folder = "/tmp/activity-XXXXXX" };
	if (mkdtemp(lab.folder) == NULL)
		return -1;
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		snprintf(path, sizeof(path), "%s%s", lab.folder, folders[i]);
		if (mkdir(path, 0700) < 0)
			return -1;
	}
	lab.files.folder = open(lab.folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	lab.files.kept_max = 100;
	lab_write(&lab, "7/task/7/comm", "qemu-system-x86\n");
	lab_write(&lab, "7/task/8/comm", "CPU 0/KVM\n");
	lab_write(&lab, "7/task/9/comm", "IO iothread1\n");
	lab_write(&lab, "7/task/7/schedstat", "100 5 1\n");
	lab_write(&lab, "7/task/8/schedstat", "100 5 1\n");
	lab_write(&lab, "7/task/9/schedstat", "100 5 1\n");
	lab_stat(&lab, 'S', 1234);
	*state = &lab;
	return lab.files.folder < 0;
}

static int lab_close(void **state)
{
	struct lab *lab = *state;
	char command[128];

	close(lab->files.folder);
	snprintf(command, sizeof(command), "rm -r %s", lab->folder);
	return system(command); /* NOLINT */
}

static struct activity_sample look(struct lab *lab, struct activity *activity)
{
	struct activity_sample sample;

	activity_look(&lab->files, activity, &sample);
	return sample;
}

#define IO(first)                                                                                  \
	"rchar: " first "\nwchar: 2\nsyscr: 3\nsyscw: 4\nread_bytes: 5\n"                          \
	"write_bytes: 6\ncancelled_write_bytes: 7\n"

static void a_process_with_io(void **state)
{
	struct lab *lab = *state;
	struct activity activity = { 0 };
	struct activity_sample first, next;

	lab_write(lab, "7/io", IO("10"));
	activity_begin(&lab->files, &activity, 7, 1234);
	first = look(lab, &activity);
	assert_true(first.known && first.has_io && !first.halted);
	lab_write(lab, "7/task/7/schedstat", "200 5 2\n"); /* A timer; not asked for. */
	next = look(lab, &activity);
	assert_true(activity_is_idle(&first, &next));
	lab_write(lab, "7/io", IO("18"));
	next = look(lab, &activity);
	assert_true(next.known);
	assert_false(activity_is_idle(&first, &next));
	lab_stat(lab, 'T', 1234);
	assert_true(look(lab, &activity).halted);
	lab_stat(lab, 'S', 1235); /* The number was given to another. */
	assert_false(look(lab, &activity).known);
	activity_begin(&lab->files, &activity, 7, 1235);
	next = look(lab, &activity);
	assert_true(next.known);
	assert_false(activity_is_idle(&first, &next));
	activity_end(&lab->files, &activity);
	assert_int_equal(lab->files.kept, 0);
	assert_false(look(lab, &activity).known);
	lab_remove(lab, "7/io");
	lab_stat(lab, 'S', 1234);
}

static void a_process_without_io(void **state)
{
	struct lab *lab = *state;
	struct activity activity = { 0 };
	struct activity_sample first, next;

	activity_begin(&lab->files, &activity, 7, 1234);
	first = look(lab, &activity);
	assert_true(first.known && !first.has_io);
	assert_int_equal(activity.threads_len, 2);
	lab_write(lab, "7/task/8/schedstat", "999 5 9\n"); /* A virtual processor. */
	next = look(lab, &activity);
	assert_true(activity_is_idle(&first, &next));
	lab_write(lab, "7/task/9/schedstat", "101 5 1\n");
	next = look(lab, &activity);
	assert_true(next.known);
	assert_false(activity_is_idle(&first, &next));
	lab_write(lab, "7/task/7/schedstat", "0 0 0\n"); /* The kernel does not count. */
	assert_false(look(lab, &activity).known);
	activity_end(&lab->files, &activity);
	assert_int_equal(lab->files.kept, 0);
	assert_null(activity.threads);
}

static void few_descriptors(void **state)
{
	struct lab *lab = *state;
	struct activity activity = { 0 };

	lab_write(lab, "7/io", IO("10"));
	lab->files.kept_max = 0;
	activity_begin(&lab->files, &activity, 7, 1234);
	assert_true(look(lab, &activity).known);
	assert_int_equal(lab->files.kept, 0);
	activity_end(&lab->files, &activity);
	lab->files.kept_max = 100;
	lab_remove(lab, "7/io");
}

static void a_process_that_is_not_there(void **state)
{
	struct lab *lab = *state;
	struct activity activity = { 0 };

	activity_begin(&lab->files, &activity, 77, 1234);
	assert_false(look(lab, &activity).known);
	activity_list(&lab->files, &activity);
	activity_end(&lab->files, &activity);
	assert_int_equal(lab->files.kept, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_of_io),
		cmocka_unit_test(run_time_of_threads),
		cmocka_unit_test(threads_that_serve_disks),
		cmocka_unit_test(idle_only_if_both_looks_say_so),
		cmocka_unit_test(the_end_of_an_answer),
		cmocka_unit_test_setup_teardown(a_process_with_io, lab_open, lab_close),
		cmocka_unit_test_setup_teardown(a_process_without_io, lab_open, lab_close),
		cmocka_unit_test_setup_teardown(few_descriptors, lab_open, lab_close),
		cmocka_unit_test_setup_teardown(a_process_that_is_not_there, lab_open, lab_close),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
