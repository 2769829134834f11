/* SPDX-License-Identifier: MIT */
/* Facts: X.690, 8.1 (tags and lengths), 8.3 (integers). */
#include "formats/snmp/ber.h"

#include <string.h>

bool mc_ber_take(struct mc_ber *from, unsigned tag, struct mc_ber *out, struct mc_ber *whole)
{
	uint8_t *at = from->at;
	size_t left = from->size, length, head = 2;

	if (left < 2 || at[0] != tag)
		return false;
	length = at[1];
	if (length > 0x80 && length <= 0x84) {
		size_t digits = length - 0x80;

		length = 0;
		head += digits;
		if (left < head)
			return false;
		for (size_t i = 0; i < digits; i++)
			length = length << 8 | at[2 + i];
	} else if (length >= 0x80) {
		return false;
	}
	if (length > left - head)
		return false;
	*out = (struct mc_ber){ at + head, length };
	if (whole != NULL)
		*whole = (struct mc_ber){ at, head + length };
	from->at += head + length;
	from->size -= head + length;
	return true;
}

bool mc_ber_take_number(struct mc_ber *from, uint32_t *number)
{
	struct mc_ber bytes;
	uint64_t sum = 0;

	/* Some devices send a zero that is not needed. */
	if (!mc_ber_take(from, MC_BER_INTEGER, &bytes, NULL) || bytes.size == 0 || bytes.size > 5 ||
	    bytes.at[0] >= 0x80)
		return false;
	for (size_t i = 0; i < bytes.size; i++)
		sum = sum << 8 | bytes.at[i];
	*number = (uint32_t)sum;
	return sum <= INT32_MAX;
}

void mc_ber_put(struct mc_ber_writer *writer, const void *bytes, size_t size)
{
	if (writer->at == NULL || (size_t)(writer->at - writer->start) < size) {
		writer->at = NULL;
		return;
	}
	writer->at -= size;
	if (size > 0)
		memcpy(writer->at, bytes, size);
}

static void put_byte(struct mc_ber_writer *writer, unsigned byte)
{
	uint8_t one = (uint8_t)byte;

	mc_ber_put(writer, &one, 1);
}

void mc_ber_put_head(struct mc_ber_writer *writer, unsigned tag, size_t size)
{
	if (size >= 0x80) {
		unsigned digits = 0;

		for (size_t left = size; left > 0; left >>= 8, digits++)
			put_byte(writer, left & 0xff);
		put_byte(writer, 0x80 | digits);
	} else {
		put_byte(writer, (unsigned)size);
	}
	put_byte(writer, tag);
}

void mc_ber_close(struct mc_ber_writer *writer, unsigned tag, const uint8_t *end)
{
	if (writer->at != NULL)
		mc_ber_put_head(writer, tag, (size_t)(end - writer->at));
}

void mc_ber_put_number(struct mc_ber_writer *writer, unsigned tag, uint64_t number)
{
	size_t size = 0;
	uint64_t left = number;

	do {
		put_byte(writer, left & 0xff);
		left >>= 8;
		size++;
	} while (left > 0);
	if (writer->at != NULL && *writer->at >= 0x80) {
		put_byte(writer, 0);
		size++;
	}
	mc_ber_put_head(writer, tag, size);
}

void mc_ber_put_octets(struct mc_ber_writer *writer, unsigned tag, const void *bytes, size_t size)
{
	mc_ber_put(writer, bytes, size);
	mc_ber_put_head(writer, tag, size);
}
