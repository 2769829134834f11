/* SPDX-License-Identifier: MIT */
/* collector/kit/buffer.h - bytes that become more.
 *
 * The caller limits how many.  Any thread, one at a time. */
#pragma once

#include <collector/kit/alloc.h>

struct mc_buffer { /* All zero: empty. */
	char *at;
	size_t size, capacity;
};

/* Makes the capacity at least 'capacity'. */
static inline void mc_buffer_reserve(struct mc_buffer *buffer, size_t capacity)
{
	size_t grown = buffer->capacity > 0 ? buffer->capacity : 4096;

	if (capacity <= buffer->capacity)
		return;
	while (grown < capacity)
		grown = grown > SIZE_MAX / 2 ? capacity : 2 * grown;
	buffer->at = (char *)mc_alloc_resize(buffer->at, grown, 1);
	buffer->capacity = grown;
}

/* Appends 'size' bytes, and a '\0' that does not count. */
static inline void mc_buffer_add(struct mc_buffer *buffer, const void *bytes, size_t size)
{
	mc_buffer_reserve(buffer, buffer->size + size + 1);
	if (size > 0)
		memcpy(buffer->at + buffer->size, bytes, size);
	buffer->size += size;
	buffer->at[buffer->size] = '\0';
}

/* Empties it; its memory is kept. */
static inline void mc_buffer_clear(struct mc_buffer *buffer)
{
	buffer->size = 0;
}

/* Frees its memory; it is empty then. */
static inline void mc_buffer_free(struct mc_buffer *buffer)
{
	free(buffer->at);
	*buffer = (struct mc_buffer){ NULL, 0, 0 };
}
