/* SPDX-License-Identifier: MIT */
/* Receipts: a number is known after a crash if and only if its record is. */
#include "unit.h"

#include <collector/journal.h>

#include "engine/journal/dedup.h"
#include "formats/journal/dedup_id.h"
#include "journal_fixture.h"

#define ROOM ((uint64_t)1 << 20)

/* A signed record: one field of 'size' bytes in all, or nothing. */
static void put(struct journal *journal, const char *name, uint64_t number, size_t size)
{
	static uint8_t payload[60000];
	struct mc_dedup_id receipt = { .number = number };
	struct journal_record record = {
		.type = FRAME_BATCH, .payload = payload, .size = size, .receipt = &receipt
	};

	if (size > 0) { /* Tag, and a size of three bytes. */
		payload[0] = 0x0a;
		payload[1] = (uint8_t)((size - 4) | 0x80);
		payload[2] = (uint8_t)((size - 4) >> 7 | 0x80);
		payload[3] = (uint8_t)((size - 4) >> 14);
	}
	snprintf(receipt.name, sizeof(receipt.name), "%s", name);
	assert_true(journal_add(journal, &record) > 0);
	assert_int_equal(journal_commit(journal), 0);
}

struct known {
	char text[256];
};

static void add_known(void *argument, const struct mc_dedup_id *receipt)
{
	struct known *known = argument;
	size_t at = strlen(known->text);

	snprintf(known->text + at, sizeof(known->text) - at, "%s=%d ", receipt->name,
		 (int)receipt->number);
}

static void check_known(struct journal *journal, const char *expected)
{
	struct known known = { "" };

	dedup_show(journal_receipts(journal), add_known, &known);
	assert_string_equal(known.text, expected);
}

/* What the files say at this moment, as after a kill. */
static struct journal *crash(struct journal *journal)
{
	struct files files;

	journal_save(&files);
	journal_close(journal);
	journal_restore(&files);
	journal_drop(&files);
	return journal_begin(JOURNAL_SYNC_INTERVAL, ROOM);
}

static void numbers_outlive_a_crash(void **state)
{
	struct journal *journal = journal_begin(JOURNAL_SYNC_INTERVAL, ROOM);

	(void)state;
	check_known(journal, "");
	put(journal, "b/1", 2, 0);
	put(journal, "a/1", 5, 0);
	put(journal, "a/1", 6, 0);
	check_known(journal, "a/1=6 b/1=2 ");
	journal = crash(journal);
	check_known(journal, "a/1=6 b/1=2 ");
	put(journal, "a/2", 1, 0); /* Another run. */
	journal = crash(journal);
	check_known(journal, "a/2=1 b/1=2 ");
	journal_close(journal);
	journal = journal_begin(JOURNAL_SYNC_INTERVAL, ROOM);
	check_known(journal, "a/2=1 b/1=2 ");
	journal_close(journal);
}

/* Files that are through are removed, their numbers are not. */
static void numbers_outlive_their_records(void **state)
{
	struct journal *journal = journal_begin(JOURNAL_SYNC_INTERVAL, ROOM);
	struct journal_status status;

	(void)state;
	put(journal, "old/1", 7, 0);
	for (unsigned i = 1; i <= 100; i++)
		put(journal, "new/1", i, 60000);
	journal_count(journal, &status);
	assert_true(status.dropped_segments > 0 && status.oldest.seq > 1);
	journal = crash(journal);
	check_known(journal, "new/1=100 old/1=7 ");
	journal_close(journal);
}

/* What was not written was not taken. */
static void a_torn_record_has_no_number(void **state)
{
	struct journal *journal = journal_begin(JOURNAL_SYNC_INTERVAL, ROOM);
	struct files files;

	(void)state;
	put(journal, "a/1", 1, 100);
	put(journal, "a/1", 2, 100);
	journal_save(&files);
	journal_close(journal);
	journal_segment(&files, 0)->size -= 20;
	journal_restore(&files);
	journal_drop(&files);
	journal = journal_begin(JOURNAL_SYNC_INTERVAL, ROOM);
	check_known(journal, "a/1=1 ");
	journal_close(journal);
}

/* A table that is not whole is ignored; the journal goes on. */
static void a_damaged_table_is_none(void **state)
{
	struct journal *journal;
	struct files files;

	(void)state;
	journal = journal_begin(JOURNAL_SYNC_INTERVAL, ROOM);
	put(journal, "a/1", 1, 100);
	journal_close(journal);
	journal_save(&files);
	for (size_t i = 0; i < files.len; i++) {
		struct file *file = &files.items[i];

		if (strcmp(file->name, "receipts") != 0)
			continue;
		for (size_t at = 0; at < file->size; at++) {
			file->data[at] ^= 0x10;
			journal_restore(&files);
			file->data[at] ^= 0x10;
			journal = journal_begin(JOURNAL_SYNC_INTERVAL, ROOM);
			check_known(journal, "");
			put(journal, "a/1", 2, 0);
			check_known(journal, "a/1=2 ");
			journal_close(journal);
		}
	}
	journal_drop(&files);
}

/* Not in the order of their names, but near it: those after a new one are moved. */
static void too_many_senders_forget_the_oldest(void **state)
{
	struct dedup dedup;
	struct known known = { "" };

	(void)state;
	dedup_open(&dedup, -1, 1);
	for (uint64_t i = 0; i < DEDUP_MAX + 1; i++) {
		struct mc_dedup_id receipt = { .number = i };

		snprintf(receipt.name, sizeof(receipt.name), "%05u/1", (unsigned)(i ^ 3));
		dedup_take(&dedup, &receipt);
	}
	assert_int_equal(dedup.len, DEDUP_MAX);
	dedup_show(&dedup, add_known, &known);
	assert_int_equal(strncmp(known.text, "00000/1=3 00001/1=2 00002/1=1 00004/1=7 ", 40), 0);
	dedup_close(&dedup);
}

static void a_receipt_is_read_behind_a_request(void **state)
{
	struct mc_dedup_id receipt = { "sender/run", UINT64_C(1) << 40 }, read;
	uint8_t request[4 + DEDUP_ID_SIZE_MAX] = { 0x0a, 0x02, 'x', 'y' };
	size_t size;

	(void)state;
	assert_false(dedup_id_read(request, 4, &read));
	size = 4 + dedup_id_write(request + 4, &receipt);
	assert_true(dedup_id_read(request, size, &read));
	assert_string_equal(read.name, receipt.name);
	assert_int_equal(read.number, receipt.number);
	for (size_t cut = 4; cut < size; cut++)
		assert_false(dedup_id_read(request, cut, &read));
}

#define IN_FOLDER(name) cmocka_unit_test_setup_teardown(name, journal_enter, journal_leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(numbers_outlive_a_crash),
		IN_FOLDER(numbers_outlive_their_records),
		IN_FOLDER(a_torn_record_has_no_number),
		IN_FOLDER(a_damaged_table_is_none),
		cmocka_unit_test(too_many_senders_forget_the_oldest),
		cmocka_unit_test(a_receipt_is_read_behind_a_request),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
