/* SPDX-License-Identifier: MIT */
/* The journal's file format: heads, checksums and the way from frame to frame. */
#include "formats/journal/frame.h"

#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "formats/crc32c.h"

#define SEGMENT_MAGIC 0x314a434du /* "MCJ1" */
#define FRAME_MAGIC 0x3146434du   /* "MCF1" */
#define CURSOR_MAGIC 0x3143434du  /* "MCC1" */
#define ALIGNMENT 8u

static void put16(uint8_t *out, uint16_t value)
{
	value = htole16(value);
	memcpy(out, &value, sizeof(value));
}

static void put32(uint8_t *out, uint32_t value)
{
	value = htole32(value);
	memcpy(out, &value, sizeof(value));
}

static void put64(uint8_t *out, uint64_t value)
{
	value = htole64(value);
	memcpy(out, &value, sizeof(value));
}

static uint16_t get16(const uint8_t *data)
{
	uint16_t value;

	memcpy(&value, data, sizeof(value));
	return le16toh(value);
}

static uint32_t get32(const uint8_t *data)
{
	uint32_t value;

	memcpy(&value, data, sizeof(value));
	return le32toh(value);
}

static uint64_t get64(const uint8_t *data)
{
	uint64_t value;

	memcpy(&value, data, sizeof(value));
	return le64toh(value);
}

/* --- Segments ------------------------------------------------------------ */

void frame_segment_name(char out[FRAME_NAME_SIZE], uint64_t first, uint64_t epoch)
{
	snprintf(out, FRAME_NAME_SIZE, "%016" PRIx64 "-%016" PRIx64 ".seg", first, epoch);
}

/* 16 digits as snprintf() makes them. */
static bool read_hex(const char *text, uint64_t *value)
{
	static const char digits[] = "0123456789abcdef";
	uint64_t sum = 0;

	for (unsigned i = 0; i < 16; i++) {
		const char *digit = text[i] != '\0' ? strchr(digits, text[i]) : NULL;

		if (digit == NULL)
			return false;
		sum = sum << 4 | (uint64_t)(digit - digits);
	}
	*value = sum;
	return true;
}

bool frame_parse_name(const char *name, uint64_t *first, uint64_t *epoch)
{
	uint64_t values[2];

	if (strlen(name) != 37 || name[16] != '-' || strcmp(name + 33, ".seg") != 0 ||
	    !read_hex(name, &values[0]) || !read_hex(name + 17, &values[1]) || values[0] == 0)
		return false;
	*first = values[0];
	*epoch = values[1];
	return true;
}

void frame_write_segment(uint8_t out[FRAME_SEGMENT_SIZE], const struct frame_segment *segment)
{
	memset(out, 0, FRAME_SEGMENT_SIZE);
	put32(out, SEGMENT_MAGIC);
	put16(out + 4, FRAME_VERSION);
	put64(out + 8, segment->epoch);
	put64(out + 16, segment->first);
	put64(out + 24, segment->before);
	put64(out + 32, segment->created);
	put32(out + 60, crc32c(0, out, 60));
}

int frame_read_segment(const uint8_t *data, size_t size, struct frame_segment *segment)
{
	if (size < FRAME_SEGMENT_SIZE || get32(data) != SEGMENT_MAGIC ||
	    get32(data + 60) != crc32c(0, data, 60))
		return -EBADMSG;
	if (get16(data + 4) != FRAME_VERSION)
		return -EPROTO;
	segment->epoch = get64(data + 8);
	segment->first = get64(data + 16);
	segment->before = get64(data + 24);
	segment->created = get64(data + 32);
	return 0;
}

/* --- Frames -------------------------------------------------------------- */

size_t frame_size(size_t payload)
{
	return FRAME_HEAD_SIZE + (payload + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static uint32_t salted(uint64_t epoch, const uint8_t *data, size_t size)
{
	uint8_t salt[8];

	put64(salt, epoch);
	return crc32c(crc32c(0, salt, sizeof(salt)), data, size);
}

void frame_write(uint8_t *out, const struct frame *frame, uint64_t epoch)
{
	uint8_t *payload = out + FRAME_HEAD_SIZE;
	size_t end = frame_size(frame->size) - FRAME_HEAD_SIZE;

	if (frame->payload != payload && frame->size > 0)
		memcpy(payload, frame->payload, frame->size);
	memset(payload + frame->size, 0, end - frame->size);
	put32(out, FRAME_MAGIC);
	out[4] = frame->type;
	out[5] = 0;
	put16(out + 6, FRAME_HEAD_SIZE);
	put32(out + 8, frame->size);
	put32(out + 12, frame->samples);
	put64(out + 16, frame->seq);
	put64(out + 24, frame->before);
	put64(out + 32, frame->time);
	put32(out + 40, salted(epoch, payload, end));
	put32(out + 44, salted(epoch, out, 44));
}

void frame_write_gap(uint8_t out[FRAME_GAP_SIZE], const struct frame_gap *gap)
{
	put64(out, gap->from);
	put64(out + 8, gap->to);
	put64(out + 16, gap->samples);
	put64(out + 24, gap->reason);
}

bool frame_read_gap(const struct frame *frame, struct frame_gap *gap)
{
	if (frame->type != FRAME_GAP || frame->size < FRAME_GAP_SIZE)
		return false;
	gap->from = get64(frame->payload);
	gap->to = get64(frame->payload + 8);
	gap->samples = get64(frame->payload + 16);
	gap->reason = get64(frame->payload + 24);
	return true;
}

/* --- Cursors -------------------------------------------------------------- */

void frame_write_cursor(uint8_t out[FRAME_CURSOR_SIZE], const struct frame_cursor *cursor)
{
	memset(out, 0, FRAME_CURSOR_SIZE);
	put32(out, CURSOR_MAGIC);
	put64(out + 8, cursor->generation);
	put64(out + 16, cursor->epoch);
	put64(out + 24, cursor->next);
	put64(out + 32, cursor->before);
	put32(out + 60, crc32c(0, out, 60));
}

bool frame_read_cursor(const uint8_t slots[2 * FRAME_CURSOR_SIZE], struct frame_cursor *cursor)
{
	bool found = false;

	for (unsigned i = 0; i < 2; i++) {
		const uint8_t *slot = slots + i * FRAME_CURSOR_SIZE;

		if (get32(slot) != CURSOR_MAGIC || get32(slot + 60) != crc32c(0, slot, 60) ||
		    (found && get64(slot + 8) < cursor->generation))
			continue;
		cursor->generation = get64(slot + 8);
		cursor->epoch = get64(slot + 16);
		cursor->next = get64(slot + 24);
		cursor->before = get64(slot + 32);
		found = true;
	}
	return found;
}

/* --- From frame to frame ---------------------------------------------- */

/* Reads the head at 'at'; false without a plausible one. */
static bool read_head(const struct frame_walk *walk, size_t at, struct frame *frame)
{
	const uint8_t *head = walk->data + at;

	if (walk->size - at < FRAME_HEAD_SIZE || get32(head) != FRAME_MAGIC ||
	    get16(head + 6) != FRAME_HEAD_SIZE || get32(head + 44) != salted(walk->epoch, head, 44))
		return false;
	frame->type = head[4];
	frame->size = get32(head + 8);
	frame->samples = get32(head + 12);
	frame->seq = get64(head + 16);
	frame->before = get64(head + 24);
	frame->time = get64(head + 32);
	frame->payload = head + FRAME_HEAD_SIZE;
	return frame->size <= FRAME_PAYLOAD_MAX && frame->seq > walk->last &&
	       frame_size(frame->size) <= walk->size - at;
}

static bool payload_is_right(const struct frame_walk *walk, const struct frame *frame)
{
	return get32(frame->payload - 8) ==
	       salted(walk->epoch, frame->payload, frame_size(frame->size) - FRAME_HEAD_SIZE);
}

/* The next place after 'from' with a whole frame, or the size of the data. */
static size_t find_frame(const struct frame_walk *walk, size_t from)
{
	struct frame frame;

	for (size_t at = from + ALIGNMENT; at < walk->size; at += ALIGNMENT)
		if (read_head(walk, at, &frame) && payload_is_right(walk, &frame))
			return at;
	return walk->size;
}

enum frame_step frame_next(struct frame_walk *walk, struct frame *frame, size_t *from)
{
	struct frame found;

	*from = walk->at;
	frame->seq = 0;
	if (walk->at >= walk->size)
		return FRAME_END;
	if (!read_head(walk, walk->at, &found)) {
		walk->at = find_frame(walk, walk->at);
		return walk->at < walk->size ? FRAME_DAMAGED : FRAME_REST;
	}
	walk->at += frame_size(found.size);
	walk->last = found.seq;
	*frame = found;
	return payload_is_right(walk, &found) ? FRAME_RECORD : FRAME_DAMAGED;
}
