/* SPDX-License-Identifier: MIT */
/* The spools of perfdata above a journal that answers as the test says: a kill
 * at any moment loses no line that was not acknowledged. */
#include "spool.h"

#include <collector/private/status.h>
#include <collector/serve.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "chunk.h"
#include "offsets.h"
#include "unit.h"

#define WALL (INT64_C(1700000000) * MC_SECOND)
#define COMMITS_MAX 64
#define LINES_MAX 20000
#define LINE "%07u this line is one of many in a file of performance data\n"

/* --- The core, as far as it is needed --------------------------------- */

struct commit {
	struct mc_dedup_id id;
	mc_committed *done;
	void *argument;
	unsigned first, last; /* Lines; 0: none. */
};

static struct core {
	mc_time now;
	struct commit begun;
	struct commit commits[COMMITS_MAX]; /* That wait for an answer. */
	size_t len;
	struct mc_dedup_id known;   /* The last that the journal has. */
	unsigned stored[LINES_MAX]; /* How often it has each line. */
} core;

mc_time mc_now(void)
{
	return core.now;
}

mc_time mc_wall(void)
{
	return WALL + core.now;
}

void mc_log(struct mc_ctx *ctx, enum mc_level level, const char *fmt, ...)
{
	(void)ctx;
	(void)level;
	(void)fmt;
}

void mc_count_failure(struct mc_ctx *ctx)
{
	(void)ctx;
}

struct mc_batch *mc_begin(struct mc_ctx *ctx)
{
	(void)ctx;
	core.begun = (struct commit){ 0 };
	return NULL;
}

struct mc_quota *mc_quota_new(struct mc_ctx *ctx, enum mc_quota_kind kind, const char *name,
			      const struct mc_quota_limits *limits)
{
	(void)ctx;
	(void)name;
	(void)limits;
	assert_int_equal(kind, MC_QUOTA_SOURCE);
	return NULL;
}

void mc_quota_free(struct mc_quota *quota)
{
	(void)quota;
}

void mc_charge(struct mc_batch *batch, struct mc_quota *quota)
{
	(void)batch;
	(void)quota;
}

void mc_set_dedup_id(struct mc_batch *batch, const struct mc_dedup_id *id)
{
	(void)batch;
	core.begun.id = *id;
}

void mc_commit_then(struct mc_batch *batch, mc_time limit, mc_committed *done, void *argument)
{
	(void)batch;
	(void)limit;
	assert_true(core.len < COMMITS_MAX);
	core.begun.done = done;
	core.begun.argument = argument;
	core.commits[core.len++] = core.begun;
}

bool mc_journal_has_room(struct mc_ctx *ctx)
{
	(void)ctx;
	return true;
}

/* --- What is made of lines -------------------------------------------- */

mc_time ingest_line(struct ingest *ingest, char *line, size_t size, mc_time now)
{
	unsigned number = (unsigned)strtoul(line, NULL, 10);

	(void)ingest;
	(void)size;
	assert_in_range(number, 1, LINES_MAX - 1);
	if (core.begun.first == 0)
		core.begun.first = number;
	core.begun.last = number;
	return now;
}

void count_refuse(struct count *count, struct mc_ctx *ctx, enum count_reason reason,
		  const char *spool, const char *text)
{
	(void)ctx;
	(void)spool;
	(void)text;
	count_add(&count->refused[reason], 1);
}

void count_report(const struct count *count, struct mc_batch *batch, const char *name, mc_time now)
{
	(void)count;
	(void)batch;
	(void)name;
	(void)now;
}

void service_sweep(struct services *services, double timeout, mc_time interval)
{
	(void)services;
	(void)timeout;
	(void)interval;
}

double mc_timeout(const struct mc_ctx *ctx)
{
	(void)ctx;
	return 2;
}

void service_done_all(struct services *services)
{
	(void)services;
}

/* --- A spool ---------------------------------------------------------- */

struct rig {
	struct mc_ctx ctx;
	struct spool_options options;
	struct spool spool;
	char folder[32], path[64];
	int wake;
};

static void start(struct rig *rig)
{
	spool_init(&rig->spool, &rig->ctx, &rig->options, rig->wake);
	if (core.known.name[0] != '\0')
		spool_know(&rig->spool, &core.known);
}

/* As a kill: what was on its way is neither acknowledged nor in the journal. */
static void restart(struct rig *rig)
{
	for (size_t i = 0; i < core.len; i++)
		free(core.commits[i].argument);
	core.len = 0;
	spool_done(&rig->spool);
	start(rig);
}

static void open_rig(struct rig *rig, const char *path)
{
	*rig = (struct rig){ .ctx = { .name = "perfdata", .interval = MC_SECOND },
			     .folder = "/tmp/perfdata.XXXXXX" };
	core = (struct core){ .now = 100 * MC_SECOND };
	assert_non_null(mkdtemp(rig->folder));
	snprintf(rig->path, sizeof(rig->path), "%s%s", rig->folder, path);
	rig->options.path = rig->path;
	rig->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	start(rig);
}

static void close_rig(struct rig *rig)
{
	char command[64];

	spool_done(&rig->spool);
	close(rig->wake);
	snprintf(command, sizeof(command), "rm -r %s", rig->folder);
	assert_int_equal(system(command), 0);
}

/* Writes a file of those lines, which has settled. */
static void write_lines(const char *path, unsigned first, unsigned last)
{
	struct timespec times[2] = { { .tv_sec = WALL / MC_SECOND },
				     { .tv_sec = WALL / MC_SECOND } };
	FILE *file = fopen(path, "a");

	assert_non_null(file);
	for (; first <= last; first++)
		fprintf(file, LINE, first);
	assert_return_code(futimens(fileno(file), times), 0);
	assert_int_equal(fclose(file), 0);
}

static void write_file(struct rig *rig, const char *name, unsigned first, unsigned last)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", rig->path, name);
	write_lines(path, first, last);
}

/* There is no journal. */
static void answer_without(void)
{
	size_t len = core.len;

	core.len = 0;
	for (size_t i = 0; i < len; i++)
		core.commits[i].done(core.commits[i].argument, -ENOTSUP);
}

/* Answers all that wait, of which one may fail; fewer than 'failing' wait: none
 * does.  The journal has the others. */
static void answer(size_t failing)
{
	size_t len = core.len;

	core.len = 0;
	for (size_t i = 0; i < len; i++) {
		struct commit *commit = &core.commits[i];

		if (i != failing) {
			core.known = commit->id;
			for (unsigned line = commit->first; line > 0 && line <= commit->last;
			     line++)
				core.stored[line]++;
		}
		commit->done(commit->argument, i == failing ? -EIO : 0);
	}
}

#define NONE SIZE_MAX

static void work(struct rig *rig)
{
	while (spool_work(&rig->spool))
		;
}

/* Until nothing is left to read. */
static void work_on(struct rig *rig)
{
	for (int i = 0; i < 100; i++) {
		work(rig);
		answer(NONE);
		core.now += MC_SECOND;
	}
}

static void assert_stored(unsigned first, unsigned last)
{
	for (; first <= last; first++)
		if (core.stored[first] != 1)
			fail_msg("line %u is there %u times", first, core.stored[first]);
}

/* --- Tests ------------------------------------------------------------ */

#define PIECE ((unsigned)(CHUNK_SIZE / 64)) /* Lines, at most. */

/* Each piece of a file of several fails in its turn; then comes a kill. */
static void nothing_hides_what_has_failed(const char *path)
{
	for (size_t failing = 0; failing < 4; failing++) {
		struct rig rig;

		open_rig(&rig, path);
		if (path[0] == '\0')
			write_file(&rig, "perfdata.1600000000", 1, 4 * PIECE);
		else
			write_lines(rig.path, 1, 4 * PIECE);
		for (size_t i = 0; i < failing; i++) {
			work(&rig);
			if (core.len == 1)
				answer(NONE);
		}
		work(&rig);
		answer(core.len > 1 ? failing : 0);
		work(&rig);
		restart(&rig);
		work_on(&rig);
		assert_stored(1, 4 * PIECE);
		close_rig(&rig);
	}
}

static void a_piece_that_failed_is_read_after_a_kill(void **state)
{
	(void)state;
	nothing_hides_what_has_failed("");
}

static void so_is_one_of_a_file_that_grows(void **state)
{
	(void)state;
	nothing_hides_what_has_failed("/growing");
}

static void a_piece_that_failed_is_read_again(void **state)
{
	struct rig rig;

	(void)state;
	open_rig(&rig, "");
	write_file(&rig, "perfdata.1600000000", 1, 2 * PIECE);
	work(&rig);
	answer(0);
	work_on(&rig);
	assert_stored(1, 2 * PIECE);
	assert_int_equal(rig.spool.count.files, 1);
	close_rig(&rig);
}

/* A lack of descriptors is not the fault of the files. */
static void a_file_waits_for_a_descriptor(void **state)
{
	struct rlimit usual, none;
	struct rig rig;
	char name[32];

	(void)state;
	open_rig(&rig, "");
	for (unsigned i = 1; i <= 20; i++) {
		snprintf(name, sizeof(name), "perfdata.%u", 1600000000 + i);
		write_file(&rig, name, i, i);
	}
	assert_true(spool_work(&rig.spool)); /* Some of them. */
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &usual), 0);
	none = usual;
	none.rlim_cur = 0;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	assert_false(spool_work(&rig.spool));
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &usual), 0);
	work_on(&rig);
	assert_int_equal(rig.spool.count.refused[COUNT_UNREADABLE], 0);
	assert_stored(1, 20);
	close_rig(&rig);
}

/* Without a journal it is known how far a file was read. */
static void a_file_that_grows_is_read_on(void **state)
{
	const struct mc_dedup_id other = { "perfdata-file-1/2", 77 };
	struct mc_dedup_id id = { "", 0 };
	struct rig rig;

	(void)state;
	open_rig(&rig, "/growing");
	write_lines(rig.path, 1, 10);
	work(&rig);
	assert_int_equal(core.begun.last, 10);
	assert_false(spool_safe(&rig.spool, &id));
	answer_without();
	spool_collect(&rig.spool);
	assert_true(spool_safe(&rig.spool, &id));
	assert_false(spool_safe(&rig.spool, &id));
	restart(&rig);
	assert_true(spool_know(&rig.spool, &id));
	assert_false(spool_know(&rig.spool, &other));
	write_lines(rig.path, 11, 12);
	work(&rig);
	assert_int_equal(core.begun.first, 11);
	assert_int_equal(core.begun.last, 12);
	answer_without();
	close_rig(&rig);
}

/* Two of them: what the journal knows is of before it was off. */
static void more_is_known_without_the_journal(void **state)
{
	struct mc_dedup_id id, older;
	struct rig rig;

	(void)state;
	open_rig(&rig, "/growing");
	write_lines(rig.path, 1, 10);
	work(&rig);
	answer_without();
	spool_collect(&rig.spool);
	assert_true(spool_safe(&rig.spool, &id));
	older = id;
	older.number /= 2;
	restart(&rig);
	spool_know(&rig.spool, &id);
	spool_know(&rig.spool, &older);
	work(&rig);
	assert_int_equal(core.len, 0);
	close_rig(&rig);
}

static struct mc_dedup_id seen[4];
static size_t seen_len;

static void see(void *argument, const struct mc_dedup_id *id)
{
	assert_true(seen_len < 4);
	offsets_keep(argument, seen_len % 2, id);
	seen[seen_len++] = *id;
}

static void load(struct offsets *offsets, struct mc_ctx *ctx)
{
	seen_len = 0;
	*offsets = (struct offsets){ 0 };
	offsets_load(offsets, ctx, 2, see, offsets);
}

static void offsets_are_kept(void **state)
{
	const struct mc_dedup_id one = { "perfdata-file-1/2", 77 };
	const struct mc_dedup_id other = { "perfdata-file-3/4", UINT64_MAX };
	const struct mc_dedup_id more = { "perfdata-file-3/5", 9 };
	struct offsets offsets;
	struct rig rig;
	FILE *file;

	(void)state;
	open_rig(&rig, "");
	assert_int_equal(chdir(rig.folder), 0);
	load(&offsets, &rig.ctx);
	assert_int_equal(seen_len, 0);
	assert_int_equal(offsets_due(&offsets), INT64_MAX);
	offsets_set(&offsets, 1, &other);
	offsets_save(&offsets, MC_SECOND);
	offsets_set(&offsets, 0, &one);
	offsets_save(&offsets, MC_SECOND); /* Not twice in a second. */
	assert_int_equal(offsets_due(&offsets), 2 * MC_SECOND);
	offsets_close(&offsets);
	load(&offsets, &rig.ctx);
	offsets_close(&offsets);
	assert_int_equal(seen_len, 2);
	assert_string_equal(seen[0].name, one.name);
	assert_int_equal(seen[0].number, 77);
	assert_string_equal(seen[1].name, other.name);
	assert_true(seen[1].number == UINT64_MAX);

	/* One that does not grow now keeps what it has. */
	load(&offsets, &rig.ctx);
	assert_int_equal(offsets_due(&offsets), INT64_MAX);
	offsets_set(&offsets, 1, &more);
	offsets_close(&offsets);
	load(&offsets, &rig.ctx);
	offsets_close(&offsets);
	assert_int_equal(seen_len, 2);
	assert_int_equal(seen[0].number, 77);
	assert_string_equal(seen[1].name, more.name);

	/* What cannot be written is written when it can. */
	assert_int_equal(mkdir("perfdata.offsets.new", 0755), 0);
	load(&offsets, &rig.ctx);
	offsets_set(&offsets, 1, &other);
	offsets_save(&offsets, MC_SECOND);
	assert_int_equal(offsets_due(&offsets), 2 * MC_SECOND);
	assert_int_equal(rmdir("perfdata.offsets.new"), 0);
	offsets_close(&offsets);
	load(&offsets, &rig.ctx);
	offsets_close(&offsets);
	assert_string_equal(seen[1].name, other.name);

	file = fopen("perfdata.offsets", "w");
	fputs("\n \nx\nno number\na 18446744073709551616\ngood/1 5\ncut/1 5", file);
	fclose(file);
	load(&offsets, &rig.ctx);
	offsets_close(&offsets);
	assert_int_equal(seen_len, 2);
	assert_string_equal(seen[0].name, "good/1");
	assert_int_equal(chdir("/"), 0);
	close_rig(&rig);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_piece_that_failed_is_read_after_a_kill),
		cmocka_unit_test(so_is_one_of_a_file_that_grows),
		cmocka_unit_test(a_piece_that_failed_is_read_again),
		cmocka_unit_test(a_file_waits_for_a_descriptor),
		cmocka_unit_test(a_file_that_grows_is_read_on),
		cmocka_unit_test(more_is_known_without_the_journal),
		cmocka_unit_test(offsets_are_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
