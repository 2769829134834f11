/* SPDX-License-Identifier: MIT */
/* What the files of the binary codec share; the rest of its interface is
 * collector/binary.h. */
#ifndef COLLECTOR_WIRE_BINARY_H
#define COLLECTOR_WIRE_BINARY_H

#include <endian.h>
#include <string.h>

#include <collector/binary.h>

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

static inline unsigned char *binary_store_head(unsigned char *at, unsigned type,
					       size_t size)
{
	return binary_store16(binary_store16(at, type), size);
}

#endif
