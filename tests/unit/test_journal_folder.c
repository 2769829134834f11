/* SPDX-License-Identifier: MIT */
/* Folders that the journal cannot use, or not now. */
#include "unit.h"

#include <errno.h>

#include "journal_fixture.h"

#define ROOM ((uint64_t)1 << 20)

static void others_are_kept_out(void **state)
{
	struct journal_settings settings = { FOLDER, JOURNAL_SYNC_OFF, ROOM, 0 };
	struct journal *journal = NULL, *other = NULL;

	(void)state;
	assert_int_equal(mkdir(FOLDER, 0755), 0);
	assert_int_equal(journal_open(&settings, &journal), -EPERM);
	assert_int_equal(chmod(FOLDER, 0700), 0);
	assert_int_equal(symlink("/etc/passwd", FOLDER "/0000000000000001-"
						       "0000000000000007.seg"),
			 0);
	assert_int_equal(journal_open(&settings, &journal), 0);
	assert_int_equal(journal_open(&settings, &other), -EBUSY);
	assert_int_equal(access(FOLDER "/0000000000000001-"
				       "0000000000000007.seg",
				F_OK),
			 -1); /* Set aside. */
	assert_null(other);
	journal_close(journal);
	journal_clear(FOLDER);
	assert_int_equal(symlink(".", FOLDER), 0);
	assert_true(journal_open(&settings, &journal) < 0);
	assert_int_equal(unlink(FOLDER), 0);
}

#define OTHER 65534 /* "nobody" */

static void a_folder_of_another_user_is_refused(void **state)
{
	struct journal_settings settings = { FOLDER, JOURNAL_SYNC_OFF, ROOM, 0 };
	struct journal *journal = NULL;

	(void)state;
	if (geteuid() != 0)
		skip();
	assert_int_equal(mkdir(FOLDER, 0700), 0);
	assert_int_equal(chown(FOLDER, OTHER, OTHER), 0);
	assert_int_equal(journal_open(&settings, &journal), -EPERM);
	assert_null(journal);
}

/* Root may write everywhere, so this is done as somebody else. */
static void become_other(void)
{
	assert_int_equal(chmod(".", 0777), 0);
	if (geteuid() == 0)
		assert_int_equal(seteuid(OTHER), 0);
}

static void become_root(void)
{
	if (getuid() == 0)
		assert_int_equal(seteuid(0), 0);
}

static void a_folder_without_access_is_refused(void **state)
{
	struct journal_settings settings = { FOLDER, JOURNAL_SYNC_OFF, ROOM, 0 };
	struct journal *journal = NULL;

	(void)state;
	become_other();
	assert_int_equal(mkdir(FOLDER, 0500), 0);
	assert_int_equal(journal_open(&settings, &journal), -EACCES);
	assert_null(journal);
	become_root();
}

/* How many records there are; each must be the one of its number. */
static unsigned count_records(struct journal *journal)
{
	struct reader *reader = journal_reader_new(journal);
	struct frame frame = { .seq = 0 };
	unsigned len = 0;

	while (journal_reader_next(reader, frame.seq + 1, &frame) == 1) {
		assert_true(journal_number(&frame) == frame.seq);
		len++;
	}
	journal_reader_free(reader);
	return len;
}

static void commit(struct journal *journal, uint64_t number)
{
	assert_int_equal(journal_put(journal, number, 4), number);
	assert_int_equal(journal_commit(journal), 0);
}

/* What is in it is read; nothing can be added until it can. */
static void a_folder_that_becomes_read_only(void **state)
{
	struct journal_status status;
	struct mc_offset offset;
	struct journal *journal;

	(void)state;
	become_other();
	journal = journal_begin(JOURNAL_SYNC_BATCH, ROOM);
	journal_cursor(journal, "a", &offset);
	commit(journal, 1);
	commit(journal, 2);
	journal_close(journal);
	assert_int_equal(chmod(FOLDER, 0500), 0);
	journal = journal_begin(JOURNAL_SYNC_BATCH, ROOM);
	journal_cursor(journal, "a", &offset);
	assert_int_equal(count_records(journal), 2);
	assert_int_equal(journal_put(journal, 3, 4), 3);
	assert_int_equal(journal_commit(journal), -EACCES);
	assert_false(journal_is_ready(journal));
	journal_count(journal, &status);
	assert_true(status.failed);
	assert_int_equal(status.end.seq, 3);
	assert_int_equal(chmod(FOLDER, 0700), 0);
	clock_step(2 * MC_SECOND);
	assert_true(journal_is_ready(journal));
	commit(journal, 3);
	assert_int_equal(count_records(journal), 3);
	journal_close(journal);
	become_root();
}

/* Commits until nine tenths of what may be in it are, and then some. */
static void fill(struct journal *journal)
{
	struct journal_status status;
	uint64_t number = 0;

	do {
		journal_put(journal, ++number, 1024);
		assert_int_equal(journal_commit(journal), 0);
		journal_count(journal, &status);
	} while (status.bytes < ROOM * 19 / 20);
}

static void a_full_one_has_no_room_while_somebody_reads_it(void **state)
{
	struct journal *journal = journal_begin(JOURNAL_SYNC_OFF, ROOM);
	struct mc_offset offset;
	struct cursor *cursor = journal_cursor(journal, "reader", &offset);

	(void)state;
	fill(journal);
	assert_false(journal_has_room(journal, ROOM / 10));
	cursor_let_go(cursor);
	assert_true(journal_has_room(journal, ROOM / 10));
	journal_close(journal);
}

/* What is in it then is history, which goes for what is new. */
static void one_that_nobody_reads_always_has_room(void **state)
{
	struct journal *journal = journal_begin(JOURNAL_SYNC_OFF, ROOM);

	(void)state;
	fill(journal);
	assert_true(journal_has_room(journal, 1));
	assert_true(journal_has_room(journal, ROOM / 2));
	journal_close(journal);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, journal_enter, journal_leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(others_are_kept_out),
		TEST(a_folder_of_another_user_is_refused),
		TEST(a_folder_without_access_is_refused),
		TEST(a_folder_that_becomes_read_only),
		TEST(a_full_one_has_no_room_while_somebody_reads_it),
		TEST(one_that_nobody_reads_always_has_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
