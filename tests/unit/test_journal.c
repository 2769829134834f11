/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "journal_fixture.h"

#define ROOM ((uint64_t)1 << 20)

/* Records of 'words' numbers, from 'first' on, each committed alone. */
static void commit(struct journal *journal, uint64_t first, unsigned len, size_t words)
{
	for (unsigned i = 0; i < len; i++) {
		assert_true(journal_put(journal, first + i, words) > 0);
		assert_int_equal(journal_commit(journal), 0);
	}
}

/* Reads from record 'seq' on; which numbers there were, a bit for each. */
static uint64_t read_bits(struct journal *journal, uint64_t seq)
{
	struct reader *reader = journal_reader_new(journal);
	uint64_t bits = 0, before = 0;
	struct frame frame;

	while (journal_reader_next(reader, seq, &frame) == 1) {
		assert_true(frame.seq >= seq);
		assert_true(frame.before >= before);
		before = frame.before + frame.samples;
		seq = frame.seq + 1;
		if (frame.type == FRAME_BATCH) {
			uint64_t bit = UINT64_C(1) << journal_number(&frame);

			assert_true((bits & bit) == 0 && bits < bit);
			bits |= bit;
		}
	}
	journal_reader_free(reader);
	return bits;
}

static void records_outlive_the_process(void **state)
{
	struct journal *journal = journal_begin(JOURNAL_SYNC_BATCH, ROOM);
	struct journal_status status;

	(void)state;
	assert_int_equal(journal_put(journal, 0, 5), 1);
	assert_int_equal(journal_put(journal, 1, 5), 2);
	assert_int_equal(read_bits(journal, 1), 0); /* Not committed. */
	assert_int_equal(journal_commit(journal), 0);
	assert_true(journal_is_safe(journal));
	commit(journal, 2, 3, 5);
	assert_int_equal(read_bits(journal, 1), 0x1f);
	assert_int_equal(read_bits(journal, 4), 0x18);
	journal_close(journal);

	journal = journal_begin(JOURNAL_SYNC_BATCH, ROOM);
	assert_int_equal(read_bits(journal, 1), 0x1f);
	commit(journal, 5, 1, 100);
	assert_int_equal(read_bits(journal, 1), 0x3f);
	journal_count(journal, &status);
	assert_int_equal(status.end.seq, 7);
	assert_int_equal(status.end.samples, 6 * RECORD_SAMPLES);
	assert_int_equal(status.oldest.seq, 1);
	assert_int_equal(status.segments, 2);
	assert_false(status.failed);
	assert_int_equal(status.damage.pieces + status.damage.torn, 0);
	journal_close(journal);
}

/* A process that was killed leaves its file unsealed. */
static void a_killed_process_costs_nothing(void **state)
{
	struct journal *journal = journal_begin(JOURNAL_SYNC_OFF, ROOM);
	struct files files;

	(void)state;
	commit(journal, 0, 9, 7);
	journal_save(&files);
	journal_close(journal);
	journal_restore(&files);
	journal_drop(&files);
	journal = journal_begin(JOURNAL_SYNC_OFF, ROOM);
	assert_int_equal(read_bits(journal, 1), 0x1ff);
	journal_close(journal);
	journal = journal_begin(JOURNAL_SYNC_OFF, ROOM); /* Sealed by now. */
	assert_int_equal(read_bits(journal, 1), 0x1ff);
	journal_close(journal);
}

static void it_is_cut_into_files(void **state)
{
	struct journal *journal = journal_begin(JOURNAL_SYNC_INTERVAL, ROOM);
	struct reader *reader = journal_reader_new(journal);
	struct journal_status status;
	struct frame frame;

	(void)state;
	for (unsigned i = 0; i < 600; i++) {
		commit(journal, i, 1, 100);
		/* A reader that keeps up, across the borders of files. */
		assert_int_equal(journal_reader_next(reader, i + 1, &frame), 1);
		assert_int_equal(journal_number(&frame), i);
		assert_int_equal(journal_reader_next(reader, i + 2, &frame), 0);
	}
	journal_reader_free(reader);
	journal_count(journal, &status);
	/* 600 * 848 bytes, in files of 128 KiB. */
	assert_int_equal(status.segments, 4);
	assert_in_range(status.bytes, 600 * 848, 600 * 848 + 4 * 112);
	reader = journal_reader_new(journal);
	for (unsigned i = 0; i < 600; i++) {
		assert_int_equal(journal_reader_next(reader, i + 1, &frame), 1);
		assert_int_equal(journal_number(&frame), i);
	}
	journal_reader_free(reader);
	journal_close(journal);
}

static void the_quota_takes_the_oldest(void **state)
{
	struct journal *journal = journal_begin(JOURNAL_SYNC_OFF, ROOM);
	struct mc_offset offset, start;
	struct journal_status status;
	struct reader *reader;
	struct frame_gap gap;
	struct frame frame;

	(void)state;
	journal_cursor(journal, "late", &offset);
	assert_int_equal(offset.seq, 1);
	for (unsigned i = 0; i < 2000; i++)
		commit(journal, i, 1, 100);
	journal_count(journal, &status);
	assert_true(status.bytes <= ROOM);
	assert_true(status.dropped_segments > 3);
	start = journal_start(journal);
	assert_int_equal(start.seq, status.oldest.seq);

	reader = journal_reader_new(journal);
	assert_int_equal(journal_reader_next(reader, offset.seq, &frame), 1);
	assert_int_equal(frame.seq, status.oldest.seq);
	assert_int_equal(frame.before, start.samples);
	assert_true(start.samples - offset.samples > 0);
	while (frame.type != FRAME_GAP) {
		uint64_t seq = frame.seq + 1;

		assert_int_equal(journal_reader_next(reader, seq, &frame), 1);
		assert_int_equal(frame.seq, seq);
	}
	assert_true(frame_read_gap(&frame, &gap));
	assert_int_equal(gap.reason, 1);
	assert_true(gap.to >= gap.from && gap.to < frame.seq);
	assert_true(gap.samples > 0);
	journal_reader_free(reader);
	journal_close(journal);
}

static void count_drops(void *argument, enum mc_level level, const char *line)
{
	uint64_t *told = argument;
	const char *samples = strstr(line, "is full, ");

	assert_int_equal(level, MC_WARN);
	assert_non_null(samples);
	told[0]++;
	told[1] += strtoull(samples + strlen("is full, "), NULL, 10);
}

/* Once in a while, with all that was dropped. */
static void a_journal_that_stays_full_does_not_flood_the_log(void **state)
{
	struct journal *journal = journal_begin(JOURNAL_SYNC_OFF, ROOM);
	struct mc_offset offset;
	uint64_t told[2] = { 0 };

	(void)state;
	journal_cursor(journal, "late", &offset);
	log_add_target(count_drops, told);
	for (unsigned i = 0; i < 4000; i++)
		commit(journal, i, 1, 100);
	assert_int_equal(told[0], 1);
	clock_step(61 * MC_SECOND);
	journal_tick(journal);
	assert_int_equal(told[0], 2);
	assert_int_equal(told[1], journal_start(journal).samples);
	journal_close(journal);
	log_remove_target(told);
}

static unsigned count_segments(void)
{
	struct files files;
	unsigned len = 0;

	journal_save(&files);
	while (journal_segment(&files, len) != NULL)
		len++;
	journal_drop(&files);
	return len;
}

static void what_all_have_goes(void **state)
{
	struct journal *journal = journal_begin(JOURNAL_SYNC_INTERVAL, ROOM);
	uint64_t epoch = journal_epoch(journal);
	struct mc_offset one, two;
	struct cursor *a = journal_cursor(journal, "a", &one);
	struct cursor *b = journal_cursor(journal, "b/../b", &two);

	(void)state;
	commit(journal, 0, 40, 1000); /* Two files and a half. */
	assert_int_equal(count_segments(), 3);
	one = two = (struct mc_offset){ 41, 120 };
	cursor_move(a, &one);
	journal_tick(journal);
	assert_int_equal(count_segments(), 3); /* The other needs them. */
	cursor_move(b, &two);
	journal_tick(journal);
	assert_int_equal(count_segments(), 1);
	journal_close(journal);

	/* All of it: numbers and epoch go on all the same. */
	journal = journal_begin(JOURNAL_SYNC_INTERVAL, ROOM);
	assert_true(journal_epoch(journal) == epoch);
	a = journal_cursor(journal, "a", &one);
	assert_int_equal(one.seq, 41);
	assert_int_equal(one.samples, 120);
	assert_true(a->next == 41);
	journal_tick(journal);
	assert_int_equal(count_segments(), 0);
	journal_close(journal);
	journal = journal_begin(JOURNAL_SYNC_INTERVAL, ROOM);
	assert_int_equal(journal_put(journal, 1, 1), 41);
	journal_close(journal);
}

/* The cursor is ahead of the data, after a power cut with the sync off. */
static void a_number_is_never_given_twice(void **state)
{
	struct journal *journal = journal_begin(JOURNAL_SYNC_OFF, ROOM);
	struct mc_offset offset;
	struct cursor *cursor = journal_cursor(journal, "a", &offset);
	struct files files, cut;

	(void)state;
	commit(journal, 0, 3, 4);
	journal_save(&files);
	commit(journal, 3, 3, 4);
	offset = (struct mc_offset){ 7, 18 };
	cursor_move(cursor, &offset);
	journal_save(&cut);
	journal_close(journal);
	memcpy(journal_segment(&cut, 0)->data, journal_segment(&files, 0)->data,
	       journal_segment(&files, 0)->size);
	journal_segment(&cut, 0)->size = journal_segment(&files, 0)->size;
	journal_restore(&cut);
	journal_drop(&cut);
	journal_drop(&files);

	journal = journal_begin(JOURNAL_SYNC_OFF, ROOM);
	cursor = journal_cursor(journal, "a", &offset);
	assert_int_equal(offset.seq, 7);
	assert_int_equal(journal_put(journal, 10, 1), 7);
	assert_int_equal(journal_commit(journal), 0);
	assert_int_equal(read_bits(journal, offset.seq), 1 << 10);
	journal_close(journal);
}

/* --- Damage ----------------------------------------------------------- */

#define SMALL 5 /* Records of a journal that is damaged in every place. */

static void make_small(struct files *files, bool sealed)
{
	struct journal *journal;
	struct mc_offset offset;

	journal_clear(FOLDER);
	journal = journal_begin(JOURNAL_SYNC_OFF, ROOM);
	journal_cursor(journal, "a", &offset);
	commit(journal, 0, SMALL, 3);
	if (!sealed)
		journal_save(files);
	journal_close(journal);
	if (sealed)
		journal_save(files);
}

/* Opens what there is, checks that it works on, returns what is still there. */
static uint64_t open_damaged(void)
{
	struct journal *journal = journal_begin(JOURNAL_SYNC_OFF, ROOM);
	struct mc_offset offset;
	struct journal_status status;
	uint64_t bits, seq;

	journal_cursor(journal, "a", &offset);
	bits = read_bits(journal, offset.seq);
	seq = journal_put(journal, 20, 3);
	assert_int_equal(journal_commit(journal), 0);
	assert_true(read_bits(journal, offset.seq) == (bits | UINT64_C(1) << 20));
	assert_true(read_bits(journal, seq) == UINT64_C(1) << 20);
	journal_count(journal, &status);
	assert_int_equal(status.end.seq, seq + 1);
	journal_close(journal);
	return bits;
}

static void check_every_bit(bool sealed)
{
	struct files files;
	struct file *file;

	make_small(&files, sealed);
	file = journal_segment(&files, 0);
	for (size_t bit = 0; bit < 8 * file->size; bit++) {
		size_t at = bit / 8 - FRAME_SEGMENT_SIZE;
		uint64_t expected = 0x1f;

		if (bit / 8 >= FRAME_SEGMENT_SIZE && at / 72 < SMALL)
			expected &= ~(UINT64_C(1) << at / 72);
		file->data[bit / 8] ^= 1u << bit % 8;
		journal_restore(&files);
		assert_true(open_damaged() == expected);
		file->data[bit / 8] ^= 1u << bit % 8;
	}
	journal_drop(&files);
}

static void every_bit_costs_its_record_alone(void **state)
{
	(void)state;
	check_every_bit(false);
	check_every_bit(true);
}

static void every_cut_leaves_the_records_before(void **state)
{
	struct files files;
	struct file *file;
	size_t whole;

	(void)state;
	make_small(&files, true);
	file = journal_segment(&files, 0);
	whole = file->size;
	for (size_t size = 0; size <= whole; size++) {
		unsigned records = size > FRAME_SEGMENT_SIZE ? (size - FRAME_SEGMENT_SIZE) / 72 : 0;

		file->size = size;
		journal_restore(&files);
		if (records > SMALL)
			records = SMALL;
		assert_int_equal(open_damaged(), (1u << records) - 1);
	}
	journal_drop(&files);
}

static void every_bit_of_a_cursor_is_a_hint(void **state)
{
	struct journal *journal = journal_begin(JOURNAL_SYNC_OFF, ROOM);
	struct mc_offset offset = { 0 };
	struct file *file = NULL;
	struct cursor *cursor;
	struct files files;

	(void)state;
	cursor = journal_cursor(journal, "a", &offset);
	commit(journal, 0, SMALL, 3);
	for (unsigned i = 1; i <= 3; i++) { /* 2 and 3 are in the slots. */
		offset = (struct mc_offset){ 1 + i, 3 * i };
		cursor_move(cursor, &offset);
	}
	journal_close(journal);
	journal_save(&files);
	for (size_t i = 0; i < files.len; i++)
		if (strstr(files.items[i].name, FRAME_CURSOR_SUFFIX) != NULL)
			file = &files.items[i];
	assert_non_null(file);
	assert_int_equal(file->size, 128);
	for (size_t bit = 0; bit < 8 * file->size; bit++) {
		file->data[bit / 8] ^= 1u << bit % 8;
		journal_restore(&files);
		/* The last one is in the first slot. */
		assert_int_equal(open_damaged(), bit / 8 < 64 ? 0x1c : 0x18);
		file->data[bit / 8] ^= 1u << bit % 8;
	}
	file->size = 0;
	journal_restore(&files);
	assert_int_equal(open_damaged(), 0x1f);
	journal_drop(&files);
}

#define MUTATIONS 2000 /* Unless the environment says otherwise. */
#define MANY 50        /* Records of three files, 8 KB each. */

static uint64_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005 + 1442695040888963407;
	return *state >> 33;
}

/* A flipped bit, a block of zeros, or a cut, somewhere in a segment.  Returns
 * the records that it touches: their numbers are their places. */
static uint64_t mutate(struct file *file, uint64_t *random)
{
	size_t from = next_random(random) % file->size, to = from + 1;
	size_t record = frame_size(8000);
	uint64_t first, epoch, touched = 0;
	unsigned kind = next_random(random) % 3;

	if (kind == 0) {
		file->data[from] ^= 1u << next_random(random) % 8;
	} else if (kind == 1) {
		from = from / 4096 * 4096;
		to = from + 4096 < file->size ? from + 4096 : file->size;
		memset(file->data + from, 0, to - from);
	} else {
		to = file->size;
		file->size = from;
	}
	assert_true(frame_parse_name(file->name, &first, &epoch));
	for (uint64_t i = first; i <= MANY; i++) {
		size_t at = FRAME_SEGMENT_SIZE + (i - first) * record;

		if (at < to && at + record > from)
			touched |= UINT64_C(1) << (i - 1);
	}
	return touched;
}

static void damage_costs_what_it_touches(void **state)
{
	const uint64_t all = (UINT64_C(1) << MANY) - 1;
	struct journal *journal = journal_begin(JOURNAL_SYNC_OFF, ROOM);
	const char *told = getenv("MUTATIONS");
	unsigned long len = told ? strtoul(told, NULL, 10) : MUTATIONS;
	struct files files;
	uint64_t random = 1;

	(void)state;
	commit(journal, 0, MANY, 1000);
	journal_close(journal);
	journal_save(&files);
	for (unsigned long i = 0; i < len; i++) {
		struct file *file = journal_segment(&files, i % 3), kept;
		uint64_t touched, found;

		assert_non_null(file);
		kept = *file;
		kept.data = malloc(kept.size);
		assert_non_null(kept.data);
		memcpy(kept.data, file->data, kept.size);
		touched = mutate(file, &random);
		journal_restore(&files);
		journal = journal_begin(JOURNAL_SYNC_OFF, ROOM);
		found = read_bits(journal, 1);
		assert_true((found & ~all) == 0);
		assert_true((found | touched) == all);
		journal_close(journal);
		free(file->data);
		*file = kept;
	}
	journal_drop(&files);
}

/* Which records are delivered; each must be the one of its number. */
static unsigned read_in_place(void)
{
	struct journal *journal = journal_begin(JOURNAL_SYNC_OFF, ROOM);
	struct reader *reader = journal_reader_new(journal);
	struct frame frame;
	uint64_t seq = 1;
	unsigned bits = 0;

	while (journal_reader_next(reader, seq, &frame) == 1) {
		assert_true(frame.seq >= seq);
		assert_true(journal_number(&frame) == frame.seq - 1);
		assert_true(frame.before == (frame.seq - 1) * RECORD_SAMPLES);
		bits |= 1u << (frame.seq - 1);
		seq = frame.seq + 1;
	}
	journal_reader_free(reader);
	journal_close(journal);
	return bits;
}

/* A file with the name of another place, or of another journal. */
static void a_file_is_what_it_says_not_its_name(void **state)
{
	struct files files;
	struct file *file;
	uint64_t first, epoch;

	(void)state;
	make_small(&files, true);
	file = journal_segment(&files, 0);
	assert_true(frame_parse_name(file->name, &first, &epoch));
	for (first = 1; first < 9; first++) {
		unsigned all = (1u << SMALL) - 1, before = (1u << first) / 2;

		frame_segment_name(file->name, first, epoch);
		journal_restore(&files);
		assert_int_equal(read_in_place(), all & ~(before - 1));
	}
	frame_segment_name(file->name, 1, epoch ^ 1);
	journal_restore(&files);
	assert_int_equal(read_in_place(), 0);
	journal_drop(&files);
}

/* A record where another one was, as a disk does that writes to a wrong place:
 * never what it is not. */
static void a_record_in_another_place_is_no_other(void **state)
{
	const size_t size = 72;
	struct files files;
	struct file *file;
	uint8_t *kept;

	(void)state;
	make_small(&files, true);
	file = journal_segment(&files, 0);
	kept = file->data;
	file->data = malloc(file->size);
	assert_non_null(file->data);
	for (unsigned i = 0; i < SMALL * SMALL; i++) {
		unsigned from = i / SMALL, to = i % SMALL, found;

		memcpy(file->data, kept, file->size);
		memcpy(file->data + FRAME_SEGMENT_SIZE + to * size,
		       kept + FRAME_SEGMENT_SIZE + from * size, size);
		journal_restore(&files);
		found = read_in_place();
		assert_true((found & 1u << from) != 0);
		if (from <= to)
			assert_int_equal(found | 1u << to, (1u << SMALL) - 1);
	}
	free(kept);
	journal_drop(&files);
}

static void any_file_may_be_missing(void **state)
{
	struct journal *journal = journal_begin(JOURNAL_SYNC_OFF, ROOM);
	struct files files;

	(void)state;
	commit(journal, 0, 50, 1000); /* 16 records each, and two at last. */
	journal_close(journal);
	journal_save(&files);
	for (size_t i = 0; i < files.len; i++) {
		struct file kept = files.items[i];
		uint64_t expected = (UINT64_C(1) << 50) - 1, first, epoch;

		if (frame_parse_name(kept.name, &first, &epoch))
			expected &= ~(((UINT64_C(1) << 17) - 1) << (first - 1));
		files.items[i] = files.items[--files.len];
		journal_restore(&files);
		journal = journal_begin(JOURNAL_SYNC_OFF, ROOM);
		/* 128 KiB are reached by the 17th of a file. */
		assert_true(read_bits(journal, 1) == expected);
		journal_close(journal);
		files.items[i] = kept;
		files.len++;
	}
	journal_drop(&files);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, journal_enter, journal_leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(records_outlive_the_process),
		TEST(a_killed_process_costs_nothing),
		TEST(it_is_cut_into_files),
		TEST(the_quota_takes_the_oldest),
		TEST(a_journal_that_stays_full_does_not_flood_the_log),
		TEST(what_all_have_goes),
		TEST(a_number_is_never_given_twice),
		TEST(every_bit_costs_its_record_alone),
		TEST(every_cut_leaves_the_records_before),
		TEST(every_bit_of_a_cursor_is_a_hint),
		TEST(damage_costs_what_it_touches),
		TEST(a_file_is_what_it_says_not_its_name),
		TEST(a_record_in_another_place_is_no_other),
		TEST(any_file_may_be_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
