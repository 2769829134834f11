/* SPDX-License-Identifier: MIT */
/* Shared by the files of the binary codec; the rest of its interface is formats/binary/binary.h. */
#pragma once

#include <endian.h>
#include <string.h>

#include "formats/binary/binary.h"

enum binary_part {
	BINARY_HOST = 0x0000,
	BINARY_TIME = 0x0001,
	BINARY_PLUGIN = 0x0002,
	BINARY_PLUGIN_INSTANCE = 0x0003,
	BINARY_TYPE = 0x0004,
	BINARY_TYPE_INSTANCE = 0x0005,
	BINARY_VALUES = 0x0006,
	BINARY_INTERVAL = 0x0007,
	BINARY_TIME_HR = 0x0008,
	BINARY_INTERVAL_HR = 0x0009,
	BINARY_MESSAGE = 0x0100,
	BINARY_SEVERITY = 0x0101,
	BINARY_SIGNATURE = 0x0200,
	BINARY_ENCRYPTED = 0x0210,
};

#define BINARY_HEAD_SIZE 4  /* Type and size. */
#define BINARY_VALUE_SIZE 9 /* Kind and number. */

/* The parts of a series' name, in the order in which they are sent. */
enum binary_name { HOST, PLUGIN, PLUGIN_INSTANCE, TYPE, TYPE_INSTANCE };

static inline uint16_t binary_load16(const unsigned char *at)
{
	uint16_t n;

	memcpy(&n, at, sizeof(n));
	return be16toh(n);
}

static inline uint64_t binary_load64(const unsigned char *at)
{
	uint64_t n;

	memcpy(&n, at, sizeof(n));
	return be64toh(n);
}

/* memcpy() and memcmp() == 0 for what is short and of no fixed size: the parts
 * of names, where a call costs more than the work. */
static inline void binary_copy(void *to, const void *from, size_t size)
{
	char *out = to;
	const char *in = from;
	uint64_t first, last;
	uint32_t begin, end;

	if (size > 16) {
		memcpy(to, from, size);
	} else if (size >= 8) {
		memcpy(&first, in, 8);
		memcpy(&last, in + size - 8, 8);
		memcpy(out, &first, 8);
		memcpy(out + size - 8, &last, 8);
	} else if (size >= 4) {
		memcpy(&begin, in, 4);
		memcpy(&end, in + size - 4, 4);
		memcpy(out, &begin, 4);
		memcpy(out + size - 4, &end, 4);
	} else if (size > 0) {
		out[0] = in[0];
		out[size / 2] = in[size / 2];
		out[size - 1] = in[size - 1];
	}
}

static inline uint64_t binary_raw64(const void *at)
{
	uint64_t n;

	memcpy(&n, at, sizeof(n));
	return n;
}

static inline uint32_t binary_raw32(const void *at)
{
	uint32_t n;

	memcpy(&n, at, sizeof(n));
	return n;
}

static inline bool binary_same(const void *left, const void *right, size_t size)
{
	const char *a = left, *b = right;

	if (size > 16)
		return memcmp(a, b, size) == 0;
	if (size >= 8)
		return binary_raw64(a) == binary_raw64(b) &&
		       binary_raw64(a + size - 8) == binary_raw64(b + size - 8);
	if (size >= 4)
		return binary_raw32(a) == binary_raw32(b) &&
		       binary_raw32(a + size - 4) == binary_raw32(b + size - 4);
	return size == 0 || memcmp(a, b, size) == 0;
}

static inline unsigned char *binary_store16(unsigned char *at, uint16_t n)
{
	n = htobe16(n);
	memcpy(at, &n, sizeof(n));
	return at + sizeof(n);
}

static inline unsigned char *binary_store64(unsigned char *at, uint64_t n)
{
	n = htobe64(n);
	memcpy(at, &n, sizeof(n));
	return at + sizeof(n);
}

static inline unsigned char *binary_store_head(unsigned char *at, unsigned type, size_t size)
{
	return binary_store16(binary_store16(at, type), size);
}
