/* SPDX-License-Identifier: MIT */
/* Every system call of the journal that changes something fails once, or is the
 * last one of the process: the linker puts the functions here before those of
 * the C library.  What was acknowledged must be there afterwards. */
#include "unit.h"

#include <errno.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <sys/wait.h>

#include "journal_fixture.h"

#define RUN 60                     /* Records of a run. */
#define WORDS 500                  /* 4 KB each. */
#define ROOM ((uint64_t)256 << 10) /* 64 KiB a file: five in a run. */
#define FILES_MAX 1024

static struct {
	unsigned calls;            /* So far. */
	unsigned at;               /* The one that fails; 0: none. */
	unsigned until;            /* The last one that fails. */
	int error;                 /* With this; 0: the process ends. */
	bool after;                /* The process ends when it has been done. */
	bool dirty[FILES_MAX];     /* Cursors that are not synced. */
	bool condemned[FILES_MAX]; /* A sync of the file failed. */
	bool removing;             /* Files go because all have them. */
	mc_time slow;              /* What a sync takes. */
	unsigned syncs;
	uint64_t room; /* Of the disk; 0: as it is. */
} fault;

static bool fails(void)
{
	fault.calls++;
	if (fault.at == 0 || fault.calls < fault.at || fault.calls > fault.until)
		return false;
	if (fault.error == 0 && !fault.after)
		_exit(9);
	errno = fault.error;
	return fault.error != 0;
}

static void passed(void)
{
	if (fault.at != 0 && fault.after && fault.calls >= fault.at)
		_exit(9);
}

ssize_t __real_pwrite(int file, const void *data, size_t size, off_t at);
ssize_t __wrap_pwrite(int file, const void *data, size_t size, off_t at);
int __real_fdatasync(int file);
int __wrap_fdatasync(int file);
int __real_fsync(int file);
int __wrap_fsync(int file);
int __real_ftruncate(int file, off_t size);
int __wrap_ftruncate(int file, off_t size);
int __real_renameat(int from, const char *name, int to, const char *other);
int __wrap_renameat(int from, const char *name, int to, const char *other);
int __real_unlinkat(int folder, const char *name, int flags);
int __wrap_unlinkat(int folder, const char *name, int flags);
int __real_openat(int folder, const char *name, int flags, ...);
int __wrap_openat(int folder, const char *name, int flags, ...);
int __real_fstatvfs(int file, struct statvfs *disk);
int __wrap_fstatvfs(int file, struct statvfs *disk);
int __real_close(int file);
int __wrap_close(int file);

/* A failing write leaves half of it, as a disk that is full. */
ssize_t __wrap_pwrite(int file, const void *data, size_t size, off_t at)
{
	ssize_t done;

	if (size == 64) /* A cursor: the page is dirty again. */
		fault.condemned[file] = false;
	assert_false(fault.condemned[file]);
	if (fails()) {
		if (size > 64)
			__real_pwrite(file, data, size / 2, at);
		errno = fault.error;
		return -1;
	}
	if (size == 64 && at <= 64)
		fault.dirty[file] = true;
	if (fault.after && fault.calls == fault.at)
		size = size / 2; /* Killed in the middle of it. */
	done = __real_pwrite(file, data, size, at);
	passed();
	return done;
}

int __wrap_fdatasync(int file)
{
	int rc;

	assert_false(fault.condemned[file]);
	if (fails()) {
		fault.condemned[file] = true;
		return -1;
	}
	rc = __real_fdatasync(file);
	fault.syncs++;
	clock_step(fault.slow);
	fault.dirty[file] = false;
	passed();
	return rc;
}

int __wrap_fsync(int file)
{
	int rc;

	if (fails())
		return -1;
	rc = __real_fsync(file);
	passed();
	return rc;
}

int __wrap_ftruncate(int file, off_t size)
{
	int rc;

	if (fails())
		return -1;
	rc = __real_ftruncate(file, size);
	passed();
	return rc;
}

int __wrap_renameat(int from, const char *name, int to, const char *other)
{
	int rc;

	if (fails())
		return -1;
	rc = __real_renameat(from, name, to, other);
	passed();
	return rc;
}

int __wrap_unlinkat(int folder, const char *name, int flags)
{
	int rc;

	if (fails())
		return -1;
	if (fault.removing && strstr(name, ".seg") != NULL)
		for (unsigned i = 0; i < FILES_MAX; i++)
			assert_false(fault.dirty[i]);
	rc = __real_unlinkat(folder, name, flags);
	if (fault.room > 0 && strstr(name, ".seg") != NULL)
		fault.room += ROOM / 4;
	passed();
	return rc;
}

int __wrap_openat(int folder, const char *name, int flags, ...)
{
	int file, mode = 0;

	if (flags & O_CREAT) {
		va_list args;

		va_start(args, flags);
		mode = va_arg(args, int);
		va_end(args);
	}
	if (fails())
		return -1;
	file = __real_openat(folder, name, flags, mode);
	passed();
	return file;
}

int __wrap_close(int file)
{
	if (file >= 0 && file < FILES_MAX)
		fault.dirty[file] = fault.condemned[file] = false;
	return __real_close(file);
}

int __wrap_fstatvfs(int file, struct statvfs *disk)
{
	int rc = __real_fstatvfs(file, disk);

	if (fault.room > 0) {
		disk->f_frsize = 1;
		disk->f_bavail = fault.room;
	}
	return rc;
}

/* --- A run ------------------------------------------------------------ */

struct told { /* Survives the process. */
	bool acked[RUN + 10];
	unsigned acked_len;
};

/* Commits numbered records; a writer follows at some distance.  With batches
 * synced, what the commit says is there must be there for good. */
static void run(struct told *told, enum journal_sync sync)
{
	struct journal_settings settings = { FOLDER, sync, ROOM, 0 };
	struct mc_offset offset;
	struct journal *journal;
	struct cursor *cursor;

	if (journal_open(&settings, &journal) < 0)
		return;
	cursor = journal_cursor(journal, "a", &offset);
	for (unsigned i = 0; i < RUN; i++) {
		uint64_t seq = journal_put(journal, i, WORDS);
		int rc = journal_commit(journal);

		if (rc == 0 && journal_is_safe(journal)) {
			told->acked[i] = true;
			told->acked_len++;
		}
		if (rc == 0 && seq > 30) {
			offset.seq = seq - 30;
			offset.samples = (seq - 31) * RECORD_SAMPLES;
			cursor_move(cursor, &offset);
		}
		if (rc < 0 || i % 10 == 9) {
			clock_step(2 * MC_SECOND);
			fault.removing = true;
			journal_tick(journal);
			fault.removing = false;
		}
	}
	journal_close(journal);
}

/* Which cursor the next process finds, and that everything acknowledged from
 * there on is there, once, in its order, and that it goes on. */
static void check(const struct told *told)
{
	struct journal *journal = journal_begin(JOURNAL_SYNC_BATCH, ROOM);
	struct reader *reader = journal_reader_new(journal);
	bool found[RUN + 10] = { false };
	struct mc_offset offset;
	struct frame frame;
	uint64_t seq, next = 0;

	journal_cursor(journal, "a", &offset);
	for (seq = offset.seq; journal_reader_next(reader, seq, &frame) == 1; seq = frame.seq + 1) {
		uint64_t number;

		if (frame.type != FRAME_BATCH)
			continue;
		number = journal_number(&frame);
		assert_true(number >= next && number < RUN + 10);
		found[number] = true;
		next = number + 1;
	}
	/* The cursor lags by 30 records; the first may be a number later, as many as did not get
	 * into the journal. */
	for (unsigned i = RUN / 2; i < RUN; i++)
		if (told->acked[i] && !found[i])
			fail_msg("call %u: %u is lost", fault.at, i);
	journal_reader_free(reader);
	seq = journal_put(journal, RUN, WORDS);
	assert_int_equal(journal_commit(journal), 0);
	assert_true(journal_is_safe(journal));
	journal_close(journal);
}

static unsigned count_calls(enum journal_sync sync)
{
	struct told told = { 0 };
	unsigned calls;

	memset(&fault, 0, sizeof(fault));
	run(&told, sync);
	calls = fault.calls;
	assert_int_equal(told.acked_len, RUN);
	check(&told);
	journal_clear(FOLDER);
	return calls;
}

static void every_call_fails(int error, unsigned calls)
{
	unsigned len = count_calls(JOURNAL_SYNC_BATCH);

	assert_true(len > 3 * RUN);
	for (unsigned k = 1; k <= len; k++) {
		struct told told = { 0 };

		memset(&fault, 0, sizeof(fault));
		fault.at = k;
		fault.until = k + calls - 1;
		fault.error = error;
		run(&told, JOURNAL_SYNC_BATCH);
		/* Each costs a record, or the start or the end. */
		if (k > 20 && told.acked_len + calls < RUN)
			fail_msg("call %u: %u", k, told.acked_len);
		fault.until = 0;
		check(&told);
		journal_clear(FOLDER);
	}
}

static void every_call_fails_with_eio(void **state)
{
	(void)state;
	every_call_fails(EIO, 1);
	every_call_fails(EIO, 4);
}

static void every_call_fails_for_want_of_space(void **state)
{
	(void)state;
	every_call_fails(ENOSPC, 1);
	every_call_fails(ENOSPC, 7);
}

static void dies_at(struct told *told, unsigned k, bool after, enum journal_sync sync)
{
	pid_t child;
	int status;

	memset(told, 0, sizeof(*told));
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		memset(&fault, 0, sizeof(fault));
		fault.at = k;
		fault.until = k;
		fault.after = after;
		run(told, sync);
		_exit(1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 9)
		fail_msg("call %u: %x", k, status);
	memset(&fault, 0, sizeof(fault));
	check(told);
	journal_clear(FOLDER);
}

static void every_call_is_the_last(void **state)
{
	unsigned len = count_calls(JOURNAL_SYNC_INTERVAL);
	struct told *told = mmap(NULL, sizeof(*told), PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	(void)state;
	assert_true(told != MAP_FAILED);
	for (unsigned k = 1; k <= len; k++) {
		dies_at(told, k, false, JOURNAL_SYNC_INTERVAL);
		dies_at(told, k, true, JOURNAL_SYNC_INTERVAL);
	}
	munmap(told, sizeof(*told));
}

/* A power cut costs what came in a second, also when a sync takes its time. */
static void every_second_is_synced(void **state)
{
	struct journal *journal;

	(void)state;
	memset(&fault, 0, sizeof(fault));
	journal = journal_begin(JOURNAL_SYNC_INTERVAL, ROOM);
	fault.slow = 20 * MC_MILLISECOND;
	for (unsigned i = 0; i < 30; i++) {
		mc_time begin = clock_now();

		fault.syncs = 0;
		journal_put(journal, i, WORDS);
		assert_int_equal(journal_commit(journal), 0);
		journal_tick(journal);
		/* A file that is full was synced when it was closed. */
		assert_true(fault.syncs > 0);
		clock_step(begin + MC_SECOND - clock_now());
	}
	fault.slow = 0;
	journal_close(journal);
}

/* With too little room on the disk as many of the oldest files go as it takes,
 * and a gap says what a writer has missed by that. */
static void the_disk_keeps_its_room(void **state)
{
	struct journal_settings settings = {
		.path = FOLDER, .sync = JOURNAL_SYNC_INTERVAL, .bytes = 4 * ROOM, .min_free = ROOM
	};
	struct journal_status before, after;
	struct mc_offset offset, start;
	struct journal *journal;

	(void)state;
	memset(&fault, 0, sizeof(fault));
	fault.room = ROOM;
	assert_int_equal(journal_open(&settings, &journal), 0);
	journal_cursor(journal, "late", &offset);
	for (unsigned i = 0; i < 3 * RUN; i++) {
		journal_put(journal, i, WORDS);
		assert_int_equal(journal_commit(journal), 0);
	}
	journal_tick(journal);
	journal_count(journal, &before);
	assert_int_equal(before.oldest.seq, 1);
	assert_int_equal(before.dropped_segments, 0);

	fault.room = ROOM / 2 + 1; /* Two files short. */
	journal_tick(journal);
	journal_tick(journal);
	journal_count(journal, &after);
	assert_int_equal(after.dropped_segments, 2);
	assert_int_equal(after.end.seq, before.end.seq + 1); /* The gap. */
	start = journal_start(journal);
	assert_int_equal(start.samples, (start.seq - 1) * RECORD_SAMPLES);

	for (unsigned i = 0; i < 10; i++) {
		fault.room = 1; /* Never enough. */
		journal_tick(journal);
	}
	journal_count(journal, &after);
	assert_int_equal(after.segments, 1); /* The one that is open. */
	fault.room = 0;
	assert_int_equal(journal_put(journal, 0, 1), after.end.seq);
	assert_int_equal(journal_commit(journal), 0);
	journal_close(journal);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, journal_enter, journal_leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(every_call_fails_with_eio), TEST(every_call_fails_for_want_of_space),
		TEST(every_call_is_the_last),    TEST(every_second_is_synced),
		TEST(the_disk_keeps_its_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
