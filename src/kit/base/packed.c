/* SPDX-License-Identifier: MIT */
#include "kit/base/packed.h"

#include <endian.h>
#include <string.h>

#define ROW_NEAR 16 /* Differences of rows that 4 bits can hold. */

/* --- Writing -------------------------------------------------------------- */

/* For bits beyond the eight bytes that begin there: at the end, or of many bits. */
static void put_bits_slowly(struct packed *packed, uint64_t value, unsigned width)
{
	while (width > 0) {
		unsigned used = packed->bits % 8, room = 8 - used;
		unsigned take = width < room ? width : room;
		uint64_t part = (value >> (width - take)) & ((1u << take) - 1);

		packed->bytes[packed->bits / 8] |= (uint8_t)(part << (room - take));
		packed->bits += take;
		width -= take;
	}
}

/* 'value' has no bits beyond 'width'. */
static void put_bits(struct packed *packed, uint64_t value, unsigned width)
{
	size_t at = packed->bits / 8;
	unsigned used = packed->bits % 8;
	uint64_t word;

	if (width == 0 || used + width > 64 || at + sizeof(word) > packed->size) {
		put_bits_slowly(packed, value, width);
		return;
	}
	memcpy(&word, packed->bytes + at, sizeof(word));
	word |= htobe64(value << (64 - used - width));
	memcpy(packed->bytes + at, &word, sizeof(word));
	packed->bits += width;
}

/* The bits before those of a value. */
struct head {
	uint64_t bits;
	unsigned width;
};

static struct head head_of(uint64_t bits, unsigned width, bool next)
{
	if (!next)
		return (struct head){ bits, width };
	return (struct head){ UINT64_C(1) << width | (bits & ((UINT64_C(1) << (width - 1)) - 1)),
			      width + 1 };
}

/* Not the next one. */
static void put_row(struct packed *packed, uint32_t later)
{
	if (later < 2 + ROW_NEAR) {
		put_bits(packed, 6, 3);
		put_bits(packed, later - 2, 4);
	} else {
		put_bits(packed, 7, 3);
		put_bits(packed, later, 32);
	}
}

/* How an integer's change of its change is written: a class and its number of bits. */
static const struct class
{
	uint8_t head, head_width, width;
} classes[] = {
	{ 0, 1, 0 }, { 2, 2, 7 }, { 6, 3, 12 }, { 14, 4, 20 }, { 30, 5, 32 }, { 31, 5, 64 },
};
#define CLASSES_LEN (sizeof(classes) / sizeof(classes[0]))

static void put_integer(struct packed *packed, uint64_t value, bool next)
{
	uint64_t change = value - packed->last.value;
	uint64_t turn = change - packed->last.change;
	uint64_t zigzag = (turn << 1) ^ (turn >> 63 != 0 ? UINT64_MAX : 0);
	const struct class *class = classes;
	struct head head;

	packed->last.change = change;
	while (class->width < 64 && zigzag >> class->width != 0)
		class ++;
	head = head_of(class->head, class->head_width, next && turn != 0);
	if (class->width < 64) {
		put_bits(packed, head.bits << class->width | zigzag, head.width + class->width);
	} else {
		put_bits(packed, head.bits, head.width);
		put_bits(packed, zigzag, class->width);
	}
}

static void put_double(struct packed *packed, uint64_t value, bool next)
{
	struct packed_last *last = &packed->last;
	uint64_t bits = value ^ last->value;
	unsigned zeros, width;
	struct head head;
	bool same;

	if (bits == 0) {
		put_bits(packed, 0, 1);
		return;
	}
	zeros = (unsigned)__builtin_clzll(bits);
	width = 64 - zeros - (unsigned)__builtin_ctzll(bits);
	same = last->width > 0 && zeros >= last->zeros &&
	       zeros + width <= (unsigned)last->zeros + last->width;
	head = head_of(same ? 2 : 3, 2, next);
	put_bits(packed, head.bits, head.width);
	if (!same) {
		put_bits(packed, zeros, 6);
		put_bits(packed, width - 1, 6);
		last->zeros = (uint8_t)zeros;
		last->width = (uint8_t)width;
	}
	put_bits(packed, bits >> (64 - last->zeros - last->width), last->width);
}

void packed_begin(struct packed *packed, void *bytes, size_t size, bool integer)
{
	*packed = (struct packed){ .bytes = bytes, .size = size, .integer = integer };
	memset(bytes, 0, size);
}

bool packed_put(struct packed *packed, uint32_t row, uint64_t value)
{
	size_t room = 8 * packed->size - packed->bits;
	bool next = row - packed->last.row == 1;

	if (packed->bits == 0) {
		if (room < 8 * PACKED_FIRST_SIZE)
			return false;
		put_bits(packed, row, 32);
		put_bits(packed, value, 64);
	} else {
		if (room < PACKED_BITS_MAX || row <= packed->last.row)
			return false;
		if (!next)
			put_row(packed, row - packed->last.row);
		if (packed->integer)
			put_integer(packed, value, next);
		else
			put_double(packed, value, next);
	}
	packed->last.row = row;
	packed->last.value = value;
	return true;
}

/* --- Reading -------------------------------------------------------------- */

/* False if fewer are left. */
static bool take_bits(struct packed_reader *reader, unsigned width, uint64_t *value)
{
	uint64_t taken = 0;

	if (reader->bits - reader->at < width)
		return false;
	while (width > 0) {
		unsigned room = 8 - reader->at % 8;
		unsigned take = width < room ? width : room;
		unsigned part = reader->bytes[reader->at / 8] >> (room - take);

		taken = taken << take | (part & ((1u << take) - 1));
		reader->at += take;
		width -= take;
	}
	*value = taken;
	return true;
}

/* How many ones come before a zero, or 'most'; '*ones' of them are known. */
static bool take_ones(struct packed_reader *reader, unsigned most, unsigned *ones)
{
	uint64_t bit = 1;

	for (; *ones < most; (*ones)++) {
		if (!take_bits(reader, 1, &bit))
			return false;
		if (bit == 0)
			return true;
	}
	return true;
}

/* 0 ones: it is the next row, whose value has no more bits; 1: the next row, and that is the first
 * bit of its value; else the value follows. */
static bool take_row(struct packed_reader *reader, unsigned *ones)
{
	uint64_t later = 1;

	*ones = 0;
	if (!take_ones(reader, 3, ones) ||
	    (*ones > 1 && !take_bits(reader, *ones == 2 ? 4 : 32, &later)))
		return false;
	if (*ones == 2)
		later += 2;
	if (later == 0 || later > UINT32_MAX - reader->last.row)
		return false;
	reader->last.row += (uint32_t)later;
	return true;
}

/* The ones at the beginning of a value, after those of its row. */
static bool take_head(struct packed_reader *reader, unsigned most, unsigned of_row, unsigned *ones)
{
	*ones = of_row == 1;
	return of_row == 0 || take_ones(reader, most, ones);
}

static bool take_integer(struct packed_reader *reader, unsigned of_row)
{
	uint64_t zigzag;
	unsigned class;

	if (!take_head(reader, CLASSES_LEN - 1, of_row, &class) ||
	    !take_bits(reader, classes[class].width, &zigzag))
		return false;
	reader->last.change += (zigzag >> 1) ^ ((zigzag & 1) != 0 ? UINT64_MAX : 0);
	reader->last.value += reader->last.change;
	return true;
}

static bool take_double(struct packed_reader *reader, unsigned of_row)
{
	struct packed_last *last = &reader->last;
	uint64_t zeros, width, bits;
	unsigned ones;

	if (!take_head(reader, 2, of_row, &ones))
		return false;
	if (ones == 0)
		return true;
	if (ones == 2) {
		if (!take_bits(reader, 6, &zeros) || !take_bits(reader, 6, &width))
			return false;
		last->zeros = (uint8_t)zeros;
		last->width = (uint8_t)(width + 1);
	}
	if (last->width == 0 || last->zeros + last->width > 64 ||
	    !take_bits(reader, last->width, &bits))
		return false;
	last->value ^= bits << (64 - last->zeros - last->width);
	return true;
}

static bool take_first(struct packed_reader *reader)
{
	uint64_t row;

	if (!take_bits(reader, 32, &row) || !take_bits(reader, 64, &reader->last.value))
		return false;
	reader->last.row = (uint32_t)row;
	return true;
}

void packed_open(struct packed_reader *reader, const void *bytes, size_t bits, bool integer)
{
	*reader = (struct packed_reader){ .bytes = bytes, .bits = bits, .integer = integer };
}

bool packed_next(struct packed_reader *reader)
{
	unsigned ones;

	if (reader->damaged || reader->at == reader->bits)
		return false;
	if (reader->at == 0)
		reader->damaged = !take_first(reader);
	else if (!take_row(reader, &ones))
		reader->damaged = true;
	else
		reader->damaged =
			!(reader->integer ? take_integer(reader, ones) : take_double(reader, ones));
	return !reader->damaged;
}
