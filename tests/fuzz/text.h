/* SPDX-License-Identifier: MIT */
/* tests/fuzz/text.h - input whose first byte selects a parser; the rest is its text. */
#pragma once

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The bytes after the first one, and a '\0': 'size' bytes, which is at least 1.  The caller frees
 * them. */
static inline char *fuzz_text(const uint8_t *data, size_t size)
{
	char *text = malloc(size);

	assert(text != NULL);
	memcpy(text, data + 1, size - 1);
	text[size - 1] = '\0';
	return text;
}
