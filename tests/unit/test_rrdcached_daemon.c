/* SPDX-License-Identifier: MIT */
/* One daemon against a scripted peer on a unix socket, under a clock of the
 * test's own: nobody waits for anything but bytes that are on their way. */
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

#include "daemon.h"

/* --- The core, as far as it is needed --------------------------------- */

static mc_time now;
static char said[8192]; /* Log lines and losses, each with a newline. */
static uint64_t lost;

mc_time mc_now(void)
{
	return now;
}

static void say(const char *fmt, va_list args)
{
	size_t used = strlen(said);

	vsnprintf(said + used, sizeof(said) - used, fmt, args);
	used = strlen(said);
	snprintf(said + used, sizeof(said) - used, "\n");
}

void mc_log(struct mc_ctx *ctx, enum mc_level level, const char *fmt, ...)
{
	va_list args;

	(void)ctx;
	(void)level;
	va_start(args, fmt);
	say(fmt, args);
	va_end(args);
}

void mc_lose(struct mc_ctx *ctx, uint64_t samples, int errnum, const char *fmt,
	     ...)
{
	va_list args;

	(void)ctx;
	(void)errnum;
	lost += samples;
	va_start(args, fmt);
	say(fmt, args);
	va_end(args);
}

int mc_attempt(struct mc_ctx *ctx, mc_time limit, int (*call)(void *),
	       void *argument)
{
	(void)ctx;
	(void)limit;
	return call(argument);
}

/* Statistics: a series is its name. */
struct mc_batch {
	char text[1024];
};

static struct mc_batch stats;
static char series_name[128];

struct mc_batch *mc_begin(struct mc_ctx *ctx)
{
	(void)ctx;
	stats.text[0] = '\0';
	return &stats;
}

void mc_commit(struct mc_batch *batch)
{
	size_t used = strlen(batch->text);

	snprintf(batch->text + used, sizeof(batch->text) - used, "committed");
}

struct mc_series *mc_series(struct mc_batch *batch, struct mc_id id)
{
	(void)batch;
	snprintf(series_name, sizeof(series_name), "%s/%s-%s",
		 id.plugin_instance ? id.plugin_instance : "", id.type,
		 id.type_instance ? id.type_instance : "");
	return (struct mc_series *)series_name;
}

static const struct mc_type gauge = {
	.name = "gauge",
	.sources_len = 1,
	.sources = { { "value", MC_GAUGE, NAN, NAN } },
};

const struct mc_type *mc_type(const struct mc_series *series)
{
	(void)series;
	return &gauge;
}

void mc_put(struct mc_batch *batch, struct mc_series *series,
	    const union mc_value *values, unsigned len)
{
	size_t used = strlen(batch->text);

	assert_int_equal(len, 1);
	snprintf(batch->text + used, sizeof(batch->text) - used, "%s=%g ",
		 (const char *)series, values[0].gauge);
}

/* --- The peer --------------------------------------------------------- */

#define GO "0 Go ahead.  End with dot '.' on its own line.\n"

struct rig {
	char folder[32], path[64];
	int listener, updates, commands; /* The peer's ends. */
	struct mc_ctx ctx;
	struct daemon_house house;
	struct daemon daemon;
	struct mc_rrd_layout *layouts;
};

static void listen_again(struct rig *rig)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	unlink(rig->path);
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", rig->path);
	rig->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
	assert_int_equal(bind(rig->listener, (struct sockaddr *)&address,
			      sizeof(address)),
			 0);
	assert_int_equal(listen(rig->listener, 5), 0);
}

static void open_rig(struct rig *rig)
{
	struct daemon_rules rules = { .limit = 1 << 20,
				      .replay_limit = 200,
				      .timeout = 30 * MC_SECOND,
				      .seed = 1 };

	*rig = (struct rig){ .folder = "/tmp/rrdcached.XXXXXX",
			     .updates = -1,
			     .commands = -1,
			     .ctx = { .interval = 10 * MC_SECOND } };
	assert_non_null(mkdtemp(rig->folder));
	snprintf(rig->path, sizeof(rig->path), "%s/s", rig->folder);
	rig->house =
		(struct daemon_house){ .ctx = &rig->ctx, .create_files = true };
	pthread_mutex_init(&rig->house.lock, NULL);
	pthread_cond_init(&rig->house.room, NULL);
	now = 1000 * MC_SECOND;
	said[0] = '\0';
	lost = 0;
	assert_true(daemon_init(&rig->daemon, &rig->house, rig->path, &rules));
	listen_again(rig);
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* Returns how many updates were not sent. */
static uint64_t close_rig(struct rig *rig)
{
	uint64_t left = daemon_done(&rig->daemon);

	close_fd(&rig->listener);
	close_fd(&rig->updates);
	close_fd(&rig->commands);
	unlink(rig->path);
	rmdir(rig->folder);
	file_done(&rig->house.files);
	mc_rrd_layouts_free(rig->layouts);
	return left;
}

/* Lets the daemon do what it can do without waiting; returns for how long it
 * would sleep. */
static mc_time work(struct rig *rig)
{
	struct pollfd fds[DAEMON_FDS];
	mc_time wake = INT64_MAX;

	for (int i = 0; i < 20; i++) {
		wake = INT64_MAX;
		daemon_prepare(&rig->daemon, now, fds, &wake);
		poll(fds, DAEMON_FDS, 0);
		daemon_work(&rig->daemon, now, fds);
	}
	return wake == INT64_MAX ? wake : wake - now;
}

static int take_connection(struct rig *rig)
{
	int fd = -1;

	for (int i = 0; i < 20 && fd < 0; i++) {
		work(rig);
		fd = accept4(rig->listener, NULL, NULL, SOCK_NONBLOCK);
	}
	assert_true(fd >= 0);
	work(rig);
	return fd;
}

/* What the peer has been sent so far. */
static const char *heard(struct rig *rig, int fd)
{
	static char text[8192];
	ssize_t got;

	work(rig);
	got = read(fd, text, sizeof(text) - 1);
	text[got > 0 ? got : 0] = '\0';
	return text;
}

static void answer(struct rig *rig, int fd, const char *text)
{
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	work(rig);
}

/* A sample of a series, in the given second. */
static void put(struct rig *rig, const char *name, int64_t second)
{
	struct mc_rrd_rules rules = { .rows = 10, .xff = 0.5 };
	char prefix[FILE_PREFIX_MAX];
	struct file *file = file_open(&rig->house.files, prefix,
				      file_prefix("/d", name, prefix));

	file->users = 1;
	file->daemon = &rig->daemon;
	file->layout =
		mc_rrd_layout(&rig->layouts, &rules, &gauge, 10 * MC_SECOND);
	pthread_mutex_lock(&rig->house.lock);
	daemon_put(&rig->daemon, file, second, &(union mc_value){ .gauge = 1 });
	pthread_mutex_unlock(&rig->house.lock);
}

/* --- Tests ------------------------------------------------------------ */

static void test_updates(void **state)
{
	struct rig rig;

	(void)state;
	open_rig(&rig);
	rig.updates = take_connection(&rig);
	put(&rig, "a", 10);
	put(&rig, "b c", 10);
	put(&rig, "a", 10); /* RRD files take one of a second. */
	assert_string_equal(heard(&rig, rig.updates),
			    "BATCH\nUPDATE /d/a.rrd 10:1\n"
			    "UPDATE /d/b\\ c.rrd 10:1\n.\n");
	put(&rig, "a", 20);
	assert_string_equal(heard(&rig, rig.updates), "");
	assert_false(daemon_is_idle(&rig.daemon));
	answer(&rig, rig.updates, GO "0 errors\n");
	assert_string_equal(heard(&rig, rig.updates),
			    "BATCH\nUPDATE /d/a.rrd 20:1\n.\n");
	answer(&rig, rig.updates, GO "0 errors\n");
	assert_true(daemon_is_idle(&rig.daemon));
	assert_string_equal(said, "");
	assert_int_equal(close_rig(&rig), 0);
}

static void test_errors_in_mid_batch(void **state)
{
	static const char reply[] = GO "2 errors\n1 illegal attempt to update\n"
				       "3 Cannot write to file: /d/c.rrd\n";
	struct rig rig;

	(void)state;
	open_rig(&rig);
	rig.updates = take_connection(&rig);
	put(&rig, "a", 10);
	put(&rig, "b", 10);
	put(&rig, "c", 10);
	put(&rig, "d", 10);
	heard(&rig, rig.updates);
	for (const char *c = reply; *c != '\0'; c++) /* Cut anywhere. */
		answer(&rig, rig.updates, (char[]){ *c, '\0' });
	assert_true(daemon_is_idle(&rig.daemon));
	assert_int_equal(lost, 1);
	assert_non_null(strstr(said, "'/d/c.rrd 10:1'"));
	assert_non_null(strstr(said, "Cannot write to file"));
	assert_int_equal(close_rig(&rig), 0);
}

static void test_cut_connection(void **state)
{
	struct rig rig;

	(void)state;
	open_rig(&rig);
	rig.updates = take_connection(&rig);
	put(&rig, "a", 10);
	heard(&rig, rig.updates);
	answer(&rig, rig.updates, GO "0 errors\n");
	put(&rig, "a", 20);
	put(&rig, "b", 20);
	heard(&rig, rig.updates);
	answer(&rig, rig.updates, GO "2 err");
	close_fd(&rig.updates);
	work(&rig);
	put(&rig, "a", 30);
	assert_non_null(strstr(said, "lost the connection to"));
	now += 200 * MC_MILLISECOND;
	rig.updates = take_connection(&rig);
	assert_string_equal(heard(&rig, rig.updates),
			    "BATCH\nUPDATE /d/a.rrd 10:1\n.\n");
	answer(&rig, rig.updates, GO "1 errors\n1 illegal attempt to update\n");
	assert_string_equal(heard(&rig, rig.updates),
			    "BATCH\nUPDATE /d/a.rrd 20:1\n"
			    "UPDATE /d/b.rrd 20:1\n"
			    "UPDATE /d/a.rrd 30:1\n.\n");
	assert_non_null(strstr(said, "the last 1 updates once more"));
	assert_int_equal(lost, 0);
	assert_int_equal(close_rig(&rig), 3);
}

static void test_no_answer(void **state)
{
	struct rig rig;

	(void)state;
	open_rig(&rig);
	rig.updates = take_connection(&rig);
	put(&rig, "a", 10);
	assert_in_range(work(&rig), 29 * MC_SECOND, 30 * MC_SECOND);
	heard(&rig, rig.updates);
	answer(&rig, rig.updates, GO);
	now += 29 * MC_SECOND;
	work(&rig);
	assert_string_equal(said, "");
	now += 2 * MC_SECOND;
	work(&rig);
	assert_non_null(strstr(said, "Connection timed out"));
	assert_int_equal(lost, 0);
	assert_int_equal(close_rig(&rig), 1);
}

static void test_nobody_there(void **state)
{
	struct rig rig;
	mc_time last = 0;

	(void)state;
	open_rig(&rig);
	close_fd(&rig.listener);
	for (int i = 0; i < 12; i++) {
		mc_time sleep = work(&rig);

		if (i < 6)
			assert_in_range(sleep, 50 * MC_MILLISECOND << i,
					100 * MC_MILLISECOND << i);
		now += last = sleep;
	}
	assert_in_range(last, 5 * MC_SECOND, 10 * MC_SECOND);
	/* Said once. */
	assert_ptr_equal(strchr(said, '\n'), said + strlen(said) - 1);
	assert_non_null(strstr(said, "cannot connect to"));
	for (int i = 1; i < 60000; i++)
		put(&rig, "a", i);
	assert_true(daemon_is_full(&rig.daemon));
	daemon_report(&rig.daemon);
	assert_true(lost > 0);
	assert_int_equal(close_rig(&rig) + lost, 59999);
}

static void test_what_does_not_speak_it(void **state)
{
	struct rig rig;

	(void)state;
	open_rig(&rig);
	rig.updates = take_connection(&rig);
	put(&rig, "a", 10);
	heard(&rig, rig.updates);
	answer(&rig, rig.updates, "-1 Permission denied.\n");
	assert_non_null(strstr(said, "no sensible answer: 'Permission"));
	assert_int_equal(rig.daemon.updates.state, CLIENT_AWAY);
	close_fd(&rig.updates);
	now += MC_SECOND;
	rig.updates = take_connection(&rig);
	answer(&rig, rig.updates, "220 Welcome\n");
	assert_int_equal(rig.daemon.updates.state, CLIENT_AWAY);
	assert_int_equal(close_rig(&rig), 1);
}

/* An answer to a batch that it cannot have read yet. */
static void test_answers_too_early(void **state)
{
	struct rig rig;

	(void)state;
	open_rig(&rig);
	rig.updates = take_connection(&rig);
	for (int i = 1; i < 20000; i++)
		put(&rig, "a", i);
	work(&rig);
	assert_true(rig.daemon.updates.out_len > 0);
	answer(&rig, rig.updates,
	       GO "0 errors\n" GO "0 errors\n" GO "0 errors\n" GO "0 errors\n");
	assert_int_equal(rig.daemon.updates.state, CLIENT_AWAY);
	assert_non_null(strstr(said, "no sensible answer"));
	assert_in_range(close_rig(&rig), 1, 19999);
}

static void test_missing_file(void **state)
{
	struct rig rig;
	const char *text;

	(void)state;
	open_rig(&rig);
	rig.updates = take_connection(&rig);
	put(&rig, "a", 1700000010);
	put(&rig, "b", 1700000010);
	heard(&rig, rig.updates);
	put(&rig, "a", 1700000020);
	answer(&rig, rig.updates, GO "1 errors\n1 No such file: /d/a.rrd\n");
	/* It is not made while an update of it is on its way; and what comes
	 * meanwhile is behind that. */
	heard(&rig, rig.updates);
	put(&rig, "a", 1700000030);
	answer(&rig, rig.updates, GO "1 errors\n1 No such file: /d/a.rrd\n");
	rig.commands = take_connection(&rig);
	text = heard(&rig, rig.commands);
	assert_memory_equal(text,
			    "CREATE /d/a.rrd -s 10 -b 1700000009 -O "
			    "DS:value:GAUGE:20:U:U RRA:",
			    60);
	/* The other file goes on. */
	put(&rig, "a", 1700000040);
	put(&rig, "b", 1700000020);
	assert_string_equal(heard(&rig, rig.updates),
			    "BATCH\nUPDATE /d/b.rrd 1700000020:1\n.\n");
	answer(&rig, rig.updates, GO "0 errors\n");
	answer(&rig, rig.commands, "0 RRD created OK\n");
	assert_string_equal(heard(&rig, rig.updates),
			    "BATCH\nUPDATE /d/a.rrd 1700000010:1\n"
			    "UPDATE /d/a.rrd 1700000020:1\n"
			    "UPDATE /d/a.rrd 1700000030:1\n"
			    "UPDATE /d/a.rrd 1700000040:1\n.\n");
	answer(&rig, rig.updates, GO "0 errors\n");
	assert_true(daemon_is_idle(&rig.daemon));
	assert_int_equal(lost, 0);
	assert_string_equal(said, "");
	assert_int_equal(close_rig(&rig), 0);
}

static void test_refused_file(void **state)
{
	struct rig rig;

	(void)state;
	open_rig(&rig);
	rig.updates = take_connection(&rig);
	put(&rig, "a", 1700000010);
	put(&rig, "b", 1700000010);
	heard(&rig, rig.updates);
	answer(&rig, rig.updates,
	       GO "2 errors\n1 No such file: a\n2 No such file: b\n");
	rig.commands = take_connection(&rig);
	heard(&rig, rig.commands);
	answer(&rig, rig.commands, "-1 Read-only file system\n");
	assert_memory_equal(heard(&rig, rig.commands), "CREATE /d/b.rrd", 15);
	answer(&rig, rig.commands, "-1 Read-only file system\n");
	/* One is named; both wait and are tried again. */
	assert_non_null(strstr(said, "/d/a.rrd"));
	assert_null(strstr(said, "/d/b.rrd"));
	put(&rig, "a", 1700000020);
	assert_string_equal(heard(&rig, rig.commands), "");
	now += 11 * MC_SECOND;
	assert_memory_equal(heard(&rig, rig.commands), "CREATE /d/", 10);
	close_fd(&rig.commands); /* Its answer never comes. */
	work(&rig);
	now += MC_SECOND;
	rig.commands = take_connection(&rig);
	assert_memory_equal(heard(&rig, rig.commands), "CREATE /d/", 10);
	assert_int_equal(lost, 0);
	assert_int_equal(close_rig(&rig), 3);
}

static void check_file(struct rig *rig, const char *name)
{
	char prefix[FILE_PREFIX_MAX];
	struct file *file = file_open(&rig->house.files, prefix,
				      file_prefix("/d", name, prefix));

	check_add(&rig->daemon.check, file);
}

/* Files are looked at one after the other; one that is of other data sources
 * takes nothing any more, until it is found to be as it should. */
static void test_other_sources(void **state)
{
	struct rig rig;

	(void)state;
	open_rig(&rig);
	rig.updates = take_connection(&rig);
	put(&rig, "a", 1700000010);
	put(&rig, "b", 1700000010);
	put(&rig, "c", 1700000010);
	check_file(&rig, "a");
	check_file(&rig, "b");
	check_file(&rig, "c");
	heard(&rig, rig.updates);
	answer(&rig, rig.updates, GO "0 errors\n");
	rig.commands = take_connection(&rig);
	assert_string_equal(heard(&rig, rig.commands), "INFO /d/a.rrd\n");
	answer(&rig, rig.commands,
	       "5 Info for /d/a.rrd follows\nstep 1 10\n"
	       "ds[rx].index 1 0\nds[rx].type 2 GAUGE\n"
	       "ds[tx].index 1 1\nds[tx].type 2 GAUGE\n");
	assert_string_equal(heard(&rig, rig.commands), "");
	now += 11 * MC_MILLISECOND;
	assert_string_equal(heard(&rig, rig.commands), "INFO /d/b.rrd\n");
	answer(&rig, rig.commands,
	       "2 Info for /d/b.rrd follows\n"
	       "ds[value].index 1 0\nds[value].type 2 GAUGE\n");
	now += 11 * MC_MILLISECOND;
	assert_string_equal(heard(&rig, rig.commands), "INFO /d/c.rrd\n");
	answer(&rig, rig.commands, "-1 Permission denied.\n");
	put(&rig, "a", 1700000020);
	put(&rig, "b", 1700000020);
	put(&rig, "c", 1700000020);
	assert_string_equal(heard(&rig, rig.updates),
			    "BATCH\nUPDATE /d/b.rrd 1700000020:1\n"
			    "UPDATE /d/c.rrd 1700000020:1\n.\n");
	answer(&rig, rig.updates, GO "0 errors\n");
	assert_int_equal(lost, 1);
	assert_non_null(strstr(said, "updates of '/d/a.rrd'"));
	assert_non_null(strstr(said, "it has 2 data sources, its type has 1"));
	/* It is looked at again: now it is no RRD file at all, then mended. */
	now += 61 * MC_SECOND;
	put(&rig, "a", 1700000030);
	assert_string_equal(heard(&rig, rig.commands), "INFO /d/a.rrd\n");
	answer(&rig, rig.commands,
	       "-1 RRD Error: '/d/a.rrd' is not an RRD file\n");
	now += 61 * MC_SECOND;
	put(&rig, "a", 1700000040);
	assert_string_equal(heard(&rig, rig.commands), "INFO /d/a.rrd\n");
	assert_non_null(strstr(said, "it is not an RRD file"));
	answer(&rig, rig.commands,
	       "1 Info for /d/a.rrd follows\nds[value].index 1 0\n");
	put(&rig, "a", 1700000050);
	assert_string_equal(heard(&rig, rig.updates),
			    "BATCH\nUPDATE /d/a.rrd 1700000050:1\n.\n");
	answer(&rig, rig.updates, GO "0 errors\n");
	assert_int_equal(lost, 3);
	assert_int_equal(close_rig(&rig), 0);
}

static void test_flush_follows_updates(void **state)
{
	struct rig rig;

	(void)state;
	open_rig(&rig);
	rig.updates = take_connection(&rig);
	put(&rig, "a", 10);
	daemon_flush(&rig.daemon, "/d/a.rrd", 8);
	heard(&rig, rig.updates);
	assert_int_equal(rig.daemon.commands.state, CLIENT_AWAY);
	answer(&rig, rig.updates, GO "0 errors\n");
	rig.commands = take_connection(&rig);
	assert_string_equal(heard(&rig, rig.commands), "FLUSH /d/a.rrd\n");
	answer(&rig, rig.commands, "-1 No such file: /d/a.rrd\n");
	assert_true(daemon_is_idle(&rig.daemon));
	assert_int_equal(close_rig(&rig), 0);
}

static void test_statistics(void **state)
{
	struct rig rig;

	(void)state;
	open_rig(&rig);
	rig.house.statistics = true;
	rig.updates = take_connection(&rig);
	rig.commands = take_connection(&rig);
	assert_string_equal(heard(&rig, rig.commands), "STATS\n");
	answer(&rig, rig.commands,
	       "3 Statistics follow\nQueueLength: 7\n"
	       "Other: 1\nTreeDepth: 4\n");
	assert_string_equal(stats.text, "/queue_length-=7 "
					"/gauge-tree_depth=4 committed");
	assert_in_range(work(&rig), 9 * MC_SECOND, 10 * MC_SECOND);
	now += 10 * MC_SECOND;
	assert_string_equal(heard(&rig, rig.commands), "STATS\n");
	assert_int_equal(close_rig(&rig), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_updates),
		cmocka_unit_test(test_errors_in_mid_batch),
		cmocka_unit_test(test_cut_connection),
		cmocka_unit_test(test_no_answer),
		cmocka_unit_test(test_nobody_there),
		cmocka_unit_test(test_what_does_not_speak_it),
		cmocka_unit_test(test_answers_too_early),
		cmocka_unit_test(test_missing_file),
		cmocka_unit_test(test_refused_file),
		cmocka_unit_test(test_other_sources),
		cmocka_unit_test(test_flush_follows_updates),
		cmocka_unit_test(test_statistics),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
