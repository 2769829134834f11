/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "formats/crc32c.h"
#include "formats/journal/frame.h"

#define EPOCH UINT64_C(0x1122334455667788)
#define FRAMES 5

static void crc_is_that_of_the_rfc(void **state)
{
	uint8_t zeros[32] = { 0 }, ones[32], up[32];

	(void)state;
	memset(ones, 0xff, sizeof(ones));
	for (unsigned i = 0; i < sizeof(up); i++)
		up[i] = i;
	/* RFC 3720, B.4. */
	assert_int_equal(crc32c(0, zeros, sizeof(zeros)), 0x8a9136aa);
	assert_int_equal(crc32c(0, ones, sizeof(ones)), 0x62a8ab43);
	assert_int_equal(crc32c(0, up, sizeof(up)), 0x46dd794e);
	assert_int_equal(crc32c(0, "123456789", 9), 0xe3069283);
	for (unsigned i = 0; i <= sizeof(up); i++) {
		assert_int_equal(crc32c(7, up, i), crc32c_plain(7, up, i));
		assert_int_equal(crc32c(crc32c(0, up, i), up + i, 32 - i), 0x46dd794e);
	}
}

static void name_and_head_come_back(void **state)
{
	struct frame_segment in = { EPOCH, 42, 4200, 1234567890 }, out;
	uint8_t head[FRAME_SEGMENT_SIZE];
	char name[FRAME_NAME_SIZE];
	uint64_t first, epoch;

	(void)state;
	frame_segment_name(name, 42, EPOCH);
	assert_string_equal(name, "000000000000002a-1122334455667788.seg");
	assert_true(frame_parse_name(name, &first, &epoch));
	assert_int_equal(first, 42);
	assert_true(epoch == EPOCH);
	assert_false(frame_parse_name("lock", &first, &epoch));
	assert_false(frame_parse_name("000000000000002a-112233445566778.seg", &first, &epoch));
	assert_false(frame_parse_name("000000000000002A-1122334455667788.seg", &first, &epoch));
	assert_false(frame_parse_name("0000000000000000-1122334455667788.seg", &first, &epoch));

	frame_write_segment(head, &in);
	assert_int_equal(frame_read_segment(head, sizeof(head), &out), 0);
	assert_memory_equal(&in, &out, sizeof(in));
	assert_int_equal(frame_read_segment(head, 63, &out), -EBADMSG);
	head[4]++; /* The version; the checksum is then wrong. */
	assert_int_equal(frame_read_segment(head, 64, &out), -EBADMSG);
}

struct row {
	uint8_t *data;
	size_t size, ends[FRAMES];
};

/* Frames 10 to 14, frame i with i * 7 bytes of payload and i samples. */
static void make_row(struct row *row)
{
	uint64_t before = 0;

	*row = (struct row){ .data = malloc(4096) };
	assert_non_null(row->data);
	for (unsigned i = 0; i < FRAMES; i++) {
		uint8_t payload[64];
		struct frame frame = { .type = FRAME_BATCH,
				       .size = i * 7,
				       .samples = i,
				       .seq = 10 + i,
				       .before = before,
				       .time = 1000 + i,
				       .payload = payload };

		memset(payload, 'a' + i, sizeof(payload));
		frame_write(row->data + row->size, &frame, EPOCH);
		row->size += frame_size(frame.size);
		row->ends[i] = row->size;
		before += i;
	}
	/* Its own piece of memory, so that a read after it is seen. */
	row->data = realloc(row->data, row->size);
}

static void check_frame(const struct frame *frame)
{
	uint64_t i = frame->seq - 10, before = 0;

	assert_in_range(i, 0, FRAMES - 1);
	for (unsigned j = 0; j < i; j++)
		before += j;
	assert_int_equal(frame->type, FRAME_BATCH);
	assert_int_equal(frame->size, i * 7);
	assert_int_equal(frame->samples, i);
	assert_int_equal(frame->before, before);
	assert_int_equal(frame->time, 1000 + i);
	for (unsigned j = 0; j < frame->size; j++)
		assert_int_equal(frame->payload[j], 'a' + i);
}

/* Walks over data and returns which frames were met, a bit for each. */
static unsigned walk(const uint8_t *data, size_t size)
{
	struct frame_walk walk = { data, size, 0, EPOCH, 0 };
	enum frame_step step;
	struct frame frame;
	unsigned met = 0;
	size_t from;

	while ((step = frame_next(&walk, &frame, &from)) != FRAME_END) {
		assert_true(walk.at > from && walk.at <= size);
		if (step == FRAME_RECORD) {
			check_frame(&frame);
			assert_false(met & 1u << (frame.seq - 10));
			met |= 1u << (frame.seq - 10);
		} else if (step == FRAME_REST) {
			assert_true(walk.at == size);
		}
	}
	return met;
}

static void frames_come_back(void **state)
{
	struct row row;

	(void)state;
	make_row(&row);
	assert_int_equal(walk(row.data, row.size), 0x1f);
	free(row.data);
}

static void every_cut_leaves_what_is_whole(void **state)
{
	struct row row;

	(void)state;
	make_row(&row);
	for (size_t size = 0; size <= row.size; size++) {
		uint8_t *part = malloc(size + 1);
		unsigned whole = 0;

		assert_non_null(part);
		memcpy(part, row.data, size);
		part = realloc(part, size > 0 ? size : 1);
		for (unsigned i = 0; i < FRAMES; i++)
			whole |= row.ends[i] <= size ? 1u << i : 0;
		assert_int_equal(walk(part, size), whole);
		free(part);
	}
	free(row.data);
}

static void every_bit_costs_its_frame_alone(void **state)
{
	struct row row;

	(void)state;
	make_row(&row);
	for (size_t bit = 0; bit < 8 * row.size; bit++) {
		unsigned hit = 0;

		while (row.ends[hit] <= bit / 8)
			hit++;
		row.data[bit / 8] ^= 1u << bit % 8;
		assert_int_equal(walk(row.data, row.size), 0x1f & ~(1u << hit));
		row.data[bit / 8] ^= 1u << bit % 8;
	}
	free(row.data);
}

/* A sender writes frames into the text of his values. */
static void a_frame_in_a_payload_is_none(void **state)
{
	uint8_t inner[FRAME_HEAD_SIZE], outer[3 * FRAME_HEAD_SIZE];
	struct frame frame = { .type = FRAME_BATCH, .seq = 99 };
	struct frame_walk walk = { outer, sizeof(outer), 0, EPOCH, 0 };
	struct frame got;
	size_t from;

	(void)state;
	frame_write(inner, &frame, EPOCH + 1); /* He cannot know it. */
	frame.seq = 1;
	frame.size = sizeof(inner);
	frame.payload = inner;
	frame_write(outer, &frame, EPOCH);
	outer[0] ^= 1;
	walk.size = frame_size(frame.size);
	assert_int_equal(frame_next(&walk, &got, &from), FRAME_REST);
}

static void cursor_is_the_newer_slot(void **state)
{
	struct frame_cursor one = { 7, EPOCH, 42, 4200 }, out;
	struct frame_cursor two = { 8, EPOCH, 43, 4300 };
	uint8_t slots[2 * FRAME_CURSOR_SIZE] = { 0 };

	(void)state;
	assert_false(frame_read_cursor(slots, &out));
	frame_write_cursor(slots + FRAME_CURSOR_SIZE, &one);
	assert_true(frame_read_cursor(slots, &out));
	assert_memory_equal(&out, &one, sizeof(out));
	frame_write_cursor(slots, &two);
	assert_true(frame_read_cursor(slots, &out));
	assert_memory_equal(&out, &two, sizeof(out));
	for (unsigned bit = 0; bit < 8 * FRAME_CURSOR_SIZE; bit++) {
		slots[bit / 8] ^= 1u << bit % 8;
		assert_true(frame_read_cursor(slots, &out));
		assert_memory_equal(&out, &one, sizeof(out));
		slots[bit / 8] ^= 1u << bit % 8;
	}
}

static void gap_comes_back(void **state)
{
	struct frame_gap in = { 3, 8, 600, 1 }, out;
	uint8_t payload[FRAME_GAP_SIZE];
	struct frame frame = { .type = FRAME_GAP, .size = sizeof(payload), .payload = payload };

	(void)state;
	frame_write_gap(payload, &in);
	assert_true(frame_read_gap(&frame, &out));
	assert_memory_equal(&in, &out, sizeof(in));
	frame.size--;
	assert_false(frame_read_gap(&frame, &out));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(crc_is_that_of_the_rfc),
		cmocka_unit_test(name_and_head_come_back),
		cmocka_unit_test(frames_come_back),
		cmocka_unit_test(every_cut_leaves_what_is_whole),
		cmocka_unit_test(every_bit_costs_its_frame_alone),
		cmocka_unit_test(a_frame_in_a_payload_is_none),
		cmocka_unit_test(cursor_is_the_newer_slot),
		cmocka_unit_test(gap_comes_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
