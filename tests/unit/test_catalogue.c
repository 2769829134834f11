/* SPDX-License-Identifier: MIT */
/* The catalogue: what has ended, over restarts, and its file under all that can happen to it. */
#include "catalogue_lab.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/thread.h"

static bool finds(const char *name)
{
	struct mc_metric metric = { .held = NULL };
	struct mc_ended ended;

	if (!catalogue_find(lab.catalogue, name, strlen(name), &ended, &metric))
		return false;
	assert_string_equal(ended.name, name);
	free((char *)ended.name);
	return true;
}

/* In the order of the names, which have one letter. */
static void add_awaited(void *argument, const char *host, mc_time last)
{
	mc_time *lasts = argument;

	assert_int_equal(strlen(host), 1);
	lasts[host[0] - 'a'] = last;
}

/* "a 10 b 20 ": hosts that may still come back, and the times of their last value. */
static const char *awaited(void)
{
	static char text[256];
	mc_time lasts[26] = { 0 };
	int size = 0;

	text[0] = '\0';
	catalogue_each_awaited_host(lab.catalogue, add_awaited, lasts);
	for (int i = 0; i < 26; i++)
		if (lasts[i] != 0)
			size += snprintf(text + size, sizeof(text) - (size_t)size, "%c %d ",
					 'a' + i, (int)((lasts[i] - WALL) / MC_SECOND));
	return text;
}

static void what_has_ended_is_known(void **state)
{
	char text[256] = "";

	(void)state;
	put("a");
	put("b");
	pass(10);
	put("a");
	put("b");
	assert_string_equal(ended(), "");
	pass(10);
	put("b");
	pass(15);
	assert_string_equal(ended(), "a 0-10 ");
	pass(10);
	assert_string_equal(ended(), "a 0-10 b 0-20 ");
	assert_int_equal(catalogue_each(lab.catalogue, "b/*", print, text), 1);
	assert_string_equal(text, "b 0-20 ");
	put("a");
	catalogue_flush(lab.catalogue);
	assert_string_equal(ended(), "b 0-20 ");
	pass(30);
	assert_string_equal(ended(), "a 0-45 b 0-20 ");
}

static void a_kill_loses_nothing_that_was_flushed(void **state)
{
	(void)state;
	put("a");
	put("gone");
	catalogue_flush(lab.catalogue);
	pass(30);
	put("a");
	put("b");
	catalogue_flush(lab.catalogue);
	end();
	clock_step(100 * MC_SECOND);
	begin();
	assert_string_equal(ended(), "gone 0-0 ");
	/* These may still come: one does. */
	assert_string_equal(awaited(), "a 30 b 30 ");
	assert_int_equal(catalogue_each_absent(lab.catalogue, NULL, print, (char[256]){ "" }), 3);
	assert_true(finds("b/p/gauge"));
	clock_step(15 * MC_SECOND);
	put("a");
	pass(10);
	assert_string_equal(ended(), "b 30-30 gone 0-0 ");
	assert_string_equal(awaited(), "");
	assert_true(finds("b/p/gauge"));
	assert_false(finds("a/p/gauge"));
	put("a");
	/* It keeps the time of its first value over two restarts. */
	pass(5);
	end();
	begin();
	pass(25);
	assert_string_equal(ended(), "a 0-30 b 30-30 gone 0-0 ");
	assert_string_equal(lab.log, "");
}

static void what_lives_has_the_time_of_the_last_minute(void **state)
{
	(void)state;
	put("a");
	pass(10);
	for (int i = 0; i < 70; i++) {
		put("a");
		pass(10);
	}
	end(); /* At 710 seconds. */
	clock_step(1000 * MC_SECOND);
	begin();
	pass(30);
	assert_string_equal(ended(), "a 0-660 ");
	/* It has ended then for good, however many restarts follow. */
	pass(600);
	end();
	begin();
	assert_string_equal(ended(), "a 0-660 ");
}

/* For 'seconds', of which each tenth has values of these hosts. */
static void send_for(const char *const hosts[2], int seconds)
{
	for (int i = 0; i < seconds; i += 10) {
		for (int k = 0; k < 2 && hosts[k] != NULL; k++)
			put(hosts[k]);
		pass(10);
	}
}

static void who_does_not_come_back_keeps_the_time_of_the_stop_before(void **state)
{
	static const char *const both[] = { "a", "b" }, *const one[] = { "a", NULL };

	(void)state;
	send_for(both, 120);
	end();
	begin();
	send_for(one, 100); /* Long before it is clear that b does not come back. */
	end();
	begin();
	assert_string_equal(awaited(), "a 180 b 120 ");
	send_for(one, 70);
	end();
	begin();
	assert_string_equal(awaited(), "a 280 b 120 ");
	send_for(both, 70);
	end();
	begin();
	assert_string_equal(awaited(), "a 350 b 350 ");
	pass(600);
	assert_string_equal(ended(), "a 0-350 b 0-350 ");
}

static void damage_is_skipped(void **state)
{
	int fd;

	(void)state;
	put("a");
	put("b");
	put("c");
	pass(30);
	end();
	fd = open(lab.path, O_RDWR);
	assert_int_equal(pwrite(fd, "\377", 1, 16 + 40), 1); /* In the second of six. */
	assert_int_equal(ftruncate(fd, lseek(fd, 0, SEEK_END) - 3), 0);
	close(fd);
	begin();
	pass(30);
	assert_string_equal(ended(), "a 0-0 b 0-0 c 0-0 ");
	assert_non_null(strstr(lab.log, "/catalogue' has "));
	assert_non_null(strstr(lab.log, " damaged bytes, which are skipped"));
	/* It can be appended to. */
	lab.log[0] = '\0';
	put("d");
	pass(30);
	end();
	begin();
	pass(30);
	assert_string_equal(ended(), "a 0-0 b 0-0 c 0-0 d 60-60 ");
}

static void another_version_is_set_aside(void **state)
{
	char old[100];
	FILE *file;
	struct stat st;

	(void)state;
	put("a");
	pass(30);
	end();
	file = fopen(lab.path, "r+");
	fputs("MCCATAL\4............................", file);
	fclose(file);
	begin();
	assert_string_equal(ended(), "");
	assert_non_null(strstr(lab.log, "is not a catalogue of this version: it is now"));
	snprintf(old, sizeof(old), "%s.old", lab.path);
	assert_int_equal(stat(old, &st), 0);
	put("b");
	pass(30);
	assert_string_equal(ended(), "b 30-30 ");
}

static void a_full_disk_delays_it(void **state)
{
	const struct rlimit full = { 40, RLIM_INFINITY };
	const struct rlimit free_space = { RLIM_INFINITY, RLIM_INFINITY };

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	put("a");
	catalogue_flush(lab.catalogue);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &full), 0);
	put("b");
	pass(30);
	pass(30);
	assert_string_equal(ended(), "a 0-0 b 0-0 ");
	put("c");
	pass(1);
	assert_non_null(strstr(lab.log, "cannot write '"));
	assert_ptr_equal(strstr(lab.log, "cannot write '"), lab.log);
	assert_null(strstr(lab.log + 1, "cannot write '")); /* Once. */
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &free_space), 0);
	lab.log[0] = '\0';
	put("c");
	pass(60);
	assert_non_null(strstr(lab.log, "is written again"));
	end();
	begin();
	assert_string_equal(ended(), "a 0-0 b 0-0 c 60-61 ");
}

static void another_process_keeps_it(void **state)
{
	int fd;

	(void)state;
	put("a");
	catalogue_flush(lab.catalogue);
	end();
	fd = open(lab.path, O_RDWR);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	begin();
	assert_non_null(strstr(lab.log, "another process has it"));
	put("b");
	pass(30);
	assert_string_equal(ended(), "b 0-0 ");
	close(fd);
	end();
	begin();
	pass(30);
	assert_string_equal(ended(), "a 0-0 ");
}

/* Adds series until it is killed, and writes a byte for each that is in the file. */
static void live(int life, int out)
{
	char name[64];

	begin();
	for (int i = 0;; i++) {
		snprintf(name, sizeof(name), "life-%d-%d", life, i);
		put(name);
		clock_step(MC_SECOND);
		sweep();
		catalogue_flush(lab.catalogue);
		if (write(out, ".", 1) != 1)
			_exit(1);
	}
}

static void a_hundred_kills_lose_nothing_that_was_flushed(void **state)
{
	int acknowledged[100] = { 0 }, lost = 0;
	char pattern[64], bytes[4096];

	(void)state;
	end();
	for (int life = 0; life < 100; life++) {
		int ends[2], status;
		ssize_t got;
		pid_t child;

		assert_int_equal(pipe(ends), 0);
		child = fork();
		if (child == 0)
			live(life, ends[1]);
		close(ends[1]);
		for (int n = 0; n <= life % 7; n += (int)got)
			assert_true((got = read(ends[0], bytes, 1)) == 1);
		acknowledged[life] = life % 7 + 1;
		kill(child, SIGKILL);
		while ((got = read(ends[0], bytes, sizeof(bytes))) > 0)
			acknowledged[life] += (int)got;
		close(ends[0]);
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_true(WIFSIGNALED(status));
	}
	lab.limit = 1000000;
	begin();
	clock_step(3600 * MC_SECOND);
	for (int life = 0; life < 100; life++) {
		snprintf(pattern, sizeof(pattern), "life-%d-*", life);
		lost += (int)catalogue_each(lab.catalogue, pattern, print, (char[256]){ "" }) <
			acknowledged[life];
	}
	assert_int_equal(lost, 0);
}

static off_t size_of_file(void)
{
	struct stat st;

	assert_int_equal(stat(lab.path, &st), 0);
	return st.st_size;
}

/* Hosts come and go: what is kept is bounded, in memory and on disk. */
static void churn_is_bounded(void **state)
{
	char name[100];
	off_t largest = 0;

	(void)state;
	for (int round = 0; round < 100; round++) {
		for (int i = 0; i < 500; i++) {
			snprintf(name, sizeof(name), "a-host-with-a-name-of-some-length-%d-%d",
				 round, i);
			put(name);
		}
		pass(30);
		if (size_of_file() > largest)
			largest = size_of_file();
	}
	assert_int_equal(catalogue_each(lab.catalogue, NULL, print, (char[256]){ "" }), 1000);
	assert_true(largest < 1500000);
	end();
	begin();
	assert_int_equal(catalogue_each(lab.catalogue, "*-99-499/*", print, (char[256]){ "" }), 1);
	assert_int_equal(catalogue_each(lab.catalogue, "*-97-499/*", print, (char[256]){ "" }), 0);
	assert_int_equal(catalogue_each(lab.catalogue, NULL, print, (char[256]){ "" }), 1000);
}

/* More begin than notes have room: none is lost. */
static void lost_notes_are_made_good(void **state)
{
	char name[100];

	(void)state;
	put("h-1");
	pass(30);
	end();
	begin_with(65536 + 1024);
	for (int i = 0; i < 2000; i++) {
		snprintf(name, sizeof(name), "h-%d", i);
		put(name);
	}
	catalogue_flush(lab.catalogue);
	assert_string_equal(ended(), "");
	end();
	begin();
	clock_step(30 * MC_SECOND);
	assert_int_equal(catalogue_each(lab.catalogue, NULL, print, (char[256]){ "" }), 2000);
	assert_int_equal(catalogue_each(lab.catalogue, "h-1/*", print, (char[256]){ "" }), 1);
}

static enum catalogue_learning learn(const char *name, int first, int last)
{
	return catalogue_learn(lab.catalogue, &(struct mc_ended){ .name = name,
								  .first = WALL + first * MC_SECOND,
								  .last = WALL + last * MC_SECOND,
								  .interval = 10 * MC_SECOND });
}

/* Series have files of several days, or of several writers. */
static void series_of_files_are_known(void **state)
{
	(void)state;
	end();
	lab.limit = 3;
	begin();
	assert_int_equal(learn("a/p/gauge", -500, -400), CATALOGUE_LEARNED);
	assert_int_equal(learn("a/p/gauge", -900, -800), CATALOGUE_KNEW);
	assert_int_equal(learn("a/p/gauge", -500, -400), CATALOGUE_KNEW);
	assert_string_equal(ended(), "a -900--400 ");
	/* It had a value just now, and may come back. */
	assert_int_equal(learn("b/p/gauge", -500, -5), CATALOGUE_LEARNED);
	assert_string_equal(ended(), "a -900--400 ");
	assert_int_equal(learn("c/p/gauge", -500, -300), CATALOGUE_LEARNED);
	assert_int_equal(learn("d/p/gauge", -500, -300), CATALOGUE_FULL);
	assert_int_equal(learn("c/p/gauge", -600, -300), CATALOGUE_KNEW);
	pass(21);
	assert_string_equal(ended(), "a -900--400 b -500--5 c -600--300 ");
	end();
	begin();
	clock_step(21 * MC_SECOND);
	assert_string_equal(ended(), "a -900--400 b -500--5 c -600--300 ");
	put("b");
	catalogue_flush(lab.catalogue);
	assert_string_equal(ended(), "a -900--400 c -600--300 ");
}

static void count_scan(void *argument)
{
	++*(int *)argument;
}

/* The thread scans once, and only for an empty catalogue. */
static void an_empty_catalogue_is_filled(void **state)
{
	int scans = 0;

	(void)state;
	for (int life = 0; life < 2; life++) {
		end();
		lab.store = store_new(&(struct store_settings){
			.limit = 100, .timeout = 2, .notes_bytes = 1 << 20 });
		lab.catalogue = catalogue_new(lab.path, lab.limit, lab.store, &lab.ctx);
		catalogue_scan_if_empty(lab.catalogue, count_scan, &scans);
		catalogue_start(lab.catalogue);
		put("a");
		clock_settle(1);
		clock_step(CATALOGUE_FLUSH);
		clock_settle(1);
		assert_true(catalogue_stop(lab.catalogue, thread_time() + 60 * MC_SECOND));
		assert_int_equal(scans, 1);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_lab, close_lab)
		TEST(what_has_ended_is_known),
		TEST(a_kill_loses_nothing_that_was_flushed),
		TEST(what_lives_has_the_time_of_the_last_minute),
		TEST(who_does_not_come_back_keeps_the_time_of_the_stop_before),
		TEST(damage_is_skipped),
		TEST(another_version_is_set_aside),
		TEST(a_full_disk_delays_it),
		TEST(another_process_keeps_it),
		TEST(a_hundred_kills_lose_nothing_that_was_flushed),
		TEST(churn_is_bounded),
		TEST(lost_notes_are_made_good),
		TEST(series_of_files_are_known),
		TEST(an_empty_catalogue_is_filled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
