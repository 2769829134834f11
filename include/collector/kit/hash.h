/* SPDX-License-Identifier: MIT */
/* collector/kit/hash.h - FNV-1a, 64 bits (RFC 9923), of what is rare and short.
 *
 * It has no seed: where others make up what is hashed, they can make
 * collisions; kit/map.h has one.  Pure functions. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t mc_hash_start(void)
{
	return UINT64_C(0xcbf29ce484222325);
}

static inline uint64_t mc_hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
	const unsigned char *at = bytes;

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
	return hash;
}

/* With its '\0', so that "ab", "c" is not "a", "bc". */
static inline uint64_t mc_hash_text(uint64_t hash, const char *text)
{
	if (text == NULL)
		text = "";
	return mc_hash_bytes(hash, text, strlen(text) + 1);
}
