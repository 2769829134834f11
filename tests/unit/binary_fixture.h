/* SPDX-License-Identifier: MIT */
/* Types, and packets put together part by part, for the binary protocol. */
#pragma once

#include <string.h>

#include "formats/binary/binary.h"

static const struct mc_type binary_gauge = { .name = "gauge",
					     .sources_len = 1,
					     .sources = { { "value", MC_GAUGE, NAN, NAN } } };
static const struct mc_type binary_mixed = { .name = "mixed",
					     .sources_len = 4,
					     .sources = { { "c", MC_COUNTER, 0, NAN },
							  { "g", MC_GAUGE, NAN, NAN },
							  { "d", MC_DERIVE, NAN, NAN },
							  { "a", MC_ABSOLUTE, 0, NAN } } };

struct binary_bytes { /* A packet in the making. */
	unsigned char at[2048];
	size_t size;
};

static inline void binary_add(struct binary_bytes *bytes, unsigned type, unsigned size,
			      const void *content, size_t content_size)
{
	unsigned char *at = bytes->at + bytes->size;

	at[0] = type >> 8;
	at[1] = type & 0xff;
	at[2] = size >> 8;
	at[3] = size & 0xff;
	memcpy(at + 4, content, content_size);
	bytes->size += 4 + content_size;
}

static inline void binary_add_text(struct binary_bytes *bytes, unsigned type, const char *text)
{
	binary_add(bytes, type, strlen(text) + 5, text, strlen(text) + 1);
}

static inline void binary_add_number(struct binary_bytes *bytes, unsigned type, uint64_t number)
{
	unsigned char content[8];

	for (int i = 0; i < 8; i++)
		content[i] = number >> (56 - 8 * i);
	binary_add(bytes, type, 12, content, sizeof(content));
}

/* Host "h", plugin "p", type "gauge", 1.0 at 1700000000 every 10 s. */
static inline void binary_add_sample(struct binary_bytes *bytes)
{
	static const unsigned char one[] = { 0, 1, 1, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f };

	binary_add_text(bytes, 0, "h");
	binary_add_number(bytes, 1, 1700000000);
	binary_add_number(bytes, 7, 10);
	binary_add_text(bytes, 2, "p");
	binary_add_text(bytes, 4, "gauge");
	binary_add(bytes, 6, 15, one, sizeof(one));
}
