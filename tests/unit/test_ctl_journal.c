/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ctl/ctl.h"
#include "formats/journal/frame.h"

#define EPOCH 7

static struct ctl ctl = { .bold = "", .dim = "", .red = "", .plain = "" };
static char folder[64], output[128];

static void write_file(const char *name, const uint8_t *data, size_t size)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%.48s", folder, name);
	file = fopen(path, "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(data, 1, size, file), size);
	fclose(file);
}

/* Records 'first' to 'first' + 2, of 10 samples each.  'damage' is a byte that
 * is flipped; 0: none. */
static void write_segment(uint64_t first, bool gap, size_t damage)
{
	struct frame_segment head = { EPOCH, first, 0, 1 };
	uint8_t data[1024], payload[FRAME_GAP_SIZE];
	struct frame_gap missing = { 1, 2, 20, 1 };
	struct frame frame = { .time = 1, .size = sizeof(payload), .payload = payload };
	size_t size = FRAME_SEGMENT_SIZE;
	char name[FRAME_NAME_SIZE];

	frame_write_segment(data, &head);
	frame_write_gap(payload, &missing);
	for (unsigned i = 0; i < 3; i++) {
		frame.type = gap && i == 0 ? FRAME_GAP : FRAME_BATCH;
		frame.samples = 10;
		frame.seq = first + i;
		frame.before = 10 * (frame.seq - 1);
		frame_write(data + size, &frame, EPOCH);
		size += frame_size(sizeof(payload));
	}
	if (damage > 0)
		data[damage] ^= 1;
	frame_segment_name(name, first, EPOCH);
	write_file(name, data, size);
}

/* Runs the command; its output can be looked for in 'shown'. */
static int run(const char *action, char *shown, size_t size)
{
	char *argv[] = { folder, (char *)action, folder, NULL };
	int copy = dup(STDOUT_FILENO), status;
	FILE *file;
	size_t got;

	fflush(stdout);
	assert_non_null(freopen(output, "w", stdout));
	status = journal_run(&ctl, 3, argv);
	fflush(stdout);
	assert_true(dup2(copy, STDOUT_FILENO) >= 0);
	close(copy);
	file = fopen(output, "r");
	assert_non_null(file);
	got = fread(shown, 1, size - 1, file);
	shown[got] = '\0';
	fclose(file);
	return status;
}

static int enter(void **state)
{
	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/journal-XXXXXX");
	if (mkdtemp(folder) == NULL)
		return -1;
	snprintf(output, sizeof(output), "%s/output", folder);
	return 0;
}

static int leave(void **state)
{
	static const char *const names[] = {
		"0000000000000001-0000000000000007.seg",
		"0000000000000004-0000000000000007.seg",
		"0000000000000007-0000000000000007.seg",
		"a.cursor",
		"%41%2fb%zz%07.cursor",
		"lock",
		"output",
	};
	char path[128];

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
		unlink(path);
	}
	return rmdir(folder);
}

static void a_whole_journal_is_undamaged(void **state)
{
	char shown[2000];

	(void)state;
	write_segment(1, false, 0);
	write_segment(4, false, 0);
	assert_int_equal(run("verify", shown, sizeof(shown)), CTL_OK);
	assert_string_equal(shown, "2 segments, 6 records, 60 samples: "
				   "undamaged\n");
}

static void damage_is_shown_with_its_place(void **state)
{
	char shown[2000];

	(void)state;
	/* In the payload of the second record. */
	write_segment(1, false, FRAME_SEGMENT_SIZE + 80 + 48 + 5);
	assert_int_equal(run("verify", shown, sizeof(shown)), CTL_FAILED);
	assert_string_equal(shown, "0000000000000001-0000000000000007.seg: 80 bytes in 1 "
				   "place are not records\n"
				   "10 samples are missing in 1 place\n"
				   "1 segment, 2 records, 20 samples: damaged\n");
}

/* In the head of the file, which no record needs. */
static void a_damaged_head_is_shown(void **state)
{
	char shown[2000];

	(void)state;
	write_segment(1, false, 20);
	assert_int_equal(run("verify", shown, sizeof(shown)), CTL_FAILED);
	assert_string_equal(shown, "0000000000000001-0000000000000007.seg: its "
				   "head is damaged\n"
				   "1 segment, 3 records, 30 samples: "
				   "damaged\n");
	assert_int_equal(run("list", shown, sizeof(shown)), CTL_OK);
	assert_non_null(strstr(shown, "damaged"));
}

/* An empty folder is not a journal; one that a collector has just made is. */
static void what_is_no_journal_is_told(void **state)
{
	char shown[2000];

	(void)state;
	assert_int_equal(run("verify", shown, sizeof(shown)), CTL_FAILED);
	assert_string_equal(shown, "");
	write_file("lock", (const uint8_t *)"", 0);
	assert_int_equal(run("verify", shown, sizeof(shown)), CTL_OK);
	assert_string_equal(shown, "0 segments, 0 records, 0 samples: "
				   "undamaged\n");
}

/* Bytes at the end that are not a record yet: a collector writes them now. */
static void what_is_being_written_is_not_damaged(void **state)
{
	struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	char shown[2000], path[128];
	int file;

	(void)state;
	write_segment(1, false, 0);
	snprintf(path, sizeof(path), "%s/0000000000000001-0000000000000007.seg", folder);
	assert_int_equal(truncate(path, FRAME_SEGMENT_SIZE + 2 * 80 + 50), 0);
	write_file("lock", (const uint8_t *)"", 0);
	assert_int_equal(run("verify", shown, sizeof(shown)), CTL_FAILED);
	snprintf(path, sizeof(path), "%s/lock", folder);
	file = open(path, O_RDWR);
	assert_true(file >= 0);
	assert_int_equal(fcntl(file, F_OFD_SETLK, &whole), 0);
	assert_int_equal(run("verify", shown, sizeof(shown)), CTL_OK);
	assert_string_equal(shown, "0000000000000001-0000000000000007.seg: 50 bytes "
				   "at its end are being written\n"
				   "1 segment, 2 records, 20 samples: undamaged\n");
	close(file);
}

static void a_file_that_is_missing_is_a_gap(void **state)
{
	char shown[2000];

	(void)state;
	write_segment(1, false, 0);
	write_segment(7, false, 0);
	assert_int_equal(run("verify", shown, sizeof(shown)), CTL_FAILED);
	assert_non_null(strstr(shown, "30 samples are missing in 1 place\n"));
}

static void list_shows_files_and_cursors(void **state)
{
	uint8_t slots[2 * FRAME_CURSOR_SIZE] = { 0 };
	struct frame_cursor cursor = { 1, EPOCH, 3, 20 };
	char shown[2000];

	(void)state;
	write_segment(1, false, 0);
	frame_write_cursor(slots, &cursor);
	write_file("a.cursor", slots, sizeof(slots));
	assert_int_equal(run("list", shown, sizeof(shown)), CTL_OK);
	assert_non_null(strstr(shown, "0000000000000001-0000000000000007.seg"));
	assert_non_null(strstr(shown, "open"));
	assert_non_null(strstr(shown, "a                 3              10"));
}

static void list_has_json(void **state)
{
	uint8_t slots[2 * FRAME_CURSOR_SIZE] = { 0 };
	struct frame_cursor cursor = { 1, EPOCH, 3, 20 };
	char shown[2000];
	int status;

	(void)state;
	write_segment(1, false, 0);
	frame_write_cursor(slots, &cursor);
	write_file("a.cursor", slots, sizeof(slots));
	ctl.json = true;
	status = run("list", shown, sizeof(shown));
	ctl.json = false;
	assert_int_equal(status, CTL_OK);
	assert_non_null(strstr(shown, "\"records\": 3,\n"));
	assert_non_null(strstr(shown, "\"from\": 1e-09,\n"));
	assert_non_null(strstr(shown, "\"state\": \"open\"\n"));
	assert_non_null(strstr(shown, "\"name\": \"a\",\n"
				      "      \"next\": 3,\n"
				      "      \"behind\": 10\n"));
}

/* What the name of a file has for other characters is read back, but not what
 * a terminal would obey. */
static void list_shows_names_of_writers(void **state)
{
	uint8_t slots[2 * FRAME_CURSOR_SIZE] = { 0 };
	struct frame_cursor cursor = { 1, EPOCH, 3, 20 };
	char shown[2000];

	(void)state;
	frame_write_cursor(slots, &cursor);
	write_file("%41%2fb%zz%07.cursor", slots, sizeof(slots));
	assert_int_equal(run("list", shown, sizeof(shown)), CTL_OK);
	assert_non_null(strstr(shown, "\nA/b%zz%07  "));
}

static void export_of_a_damaged_journal_fails(void **state)
{
	char shown[2000];

	(void)state;
	write_segment(1, true, FRAME_SEGMENT_SIZE + 80 + 48 + 5);
	assert_int_equal(run("export", shown, sizeof(shown)), CTL_FAILED);
	assert_string_equal(shown, "{\"v\":1,\"record\":1,\"gap\":{\"from\":1,\"to\":2,"
				   "\"samples\":20,\"reason\":\"quota\"}}\n");
}

static void export_shows_gaps(void **state)
{
	char shown[2000];

	(void)state;
	write_segment(1, true, 0);
	assert_int_equal(run("export", shown, sizeof(shown)), CTL_OK);
	assert_string_equal(shown, "{\"v\":1,\"record\":1,\"gap\":{\"from\":1,\"to\":2,"
				   "\"samples\":20,\"reason\":\"quota\"}}\n");
}

static void nonsense_is_refused(void **state)
{
	char shown[100];

	(void)state;
	assert_int_equal(run("eat", shown, sizeof(shown)), CTL_USAGE);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, enter, leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_whole_journal_is_undamaged),
		TEST(damage_is_shown_with_its_place),
		TEST(a_damaged_head_is_shown),
		TEST(what_is_no_journal_is_told),
		TEST(what_is_being_written_is_not_damaged),
		TEST(a_file_that_is_missing_is_a_gap),
		TEST(list_shows_files_and_cursors),
		TEST(list_has_json),
		TEST(list_shows_names_of_writers),
		TEST(export_of_a_damaged_journal_fails),
		TEST(export_shows_gaps),
		TEST(nonsense_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
