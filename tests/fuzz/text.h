/* SPDX-License-Identifier: MIT */
/* tests/fuzz/text.h - texts of an input: behind its first byte, which selects a parser, or as a
 * file that begins well. */
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

/* 'head', the bytes, and a '\0' that 'text_size' does not count.  The caller frees them. */
static inline char *fuzz_text_after(const char *head, const uint8_t *data, size_t size,
				    size_t *text_size)
{
	size_t head_size = strlen(head);
	char *text = malloc(head_size + size + 1);

	assert(text != NULL);
	memcpy(text, head, head_size);
	if (size > 0)
		memcpy(text + head_size, data, size);
	*text_size = head_size + size;
	text[*text_size] = '\0';
	return text;
}
