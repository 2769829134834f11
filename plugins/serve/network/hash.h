/* SPDX-License-Identifier: MIT */
/* FNV-1a, 64 bits (RFC 9923): for what is rare and short. */
#ifndef NETWORK_HASH_H
#define NETWORK_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t hash_start(void)
{
	return UINT64_C(0xcbf29ce484222325);
}

static inline uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
	const unsigned char *at = bytes;

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
	return hash;
}

/* With its '\0', so that "ab", "c" is not "a", "bc". */
static inline uint64_t hash_text(uint64_t hash, const char *text)
{
	if (text == NULL)
		text = "";
	return hash_bytes(hash, text, strlen(text) + 1);
}

#endif
