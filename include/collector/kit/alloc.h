/* SPDX-License-Identifier: MIT */
/* collector/kit/alloc.h - allocation that cannot fail, and arrays that grow.
 *
 * Out of memory ends the process, with a line on standard error, and the service manager starts it
 * again.  The result is freed with free(); a size of 0 is one byte.  Any thread.
 */
#pragma once

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline void *mc_alloc_checked(void *memory, size_t size)
{
	if (memory != NULL)
		return memory;
	fprintf(stderr, "out of memory (%zu bytes)\n", size);
	abort();
}

/* 'size' bytes, not zeroed. */
static inline void *mc_alloc(size_t size)
{
	return mc_alloc_checked(malloc(size > 0 ? size : 1), size);
}

/* 'size' bytes, zeroed. */
static inline void *mc_alloc_zero(size_t size)
{
	return mc_alloc_checked(calloc(1, size > 0 ? size : 1), size);
}

/* 'len' elements of 'size' bytes, zeroed. */
static inline void *mc_alloc_array(size_t len, size_t size)
{
	return mc_alloc_checked(calloc(len > 0 ? len : 1, size > 0 ? size : 1), len);
}

/* 'old' (or NULL) with room for 'len' elements of 'size' bytes; new elements are not zeroed. */
static inline void *mc_alloc_resize(void *old, size_t len, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(len, size, &bytes))
		return mc_alloc_checked(NULL, SIZE_MAX);
	return mc_alloc_checked(realloc(old, bytes > 0 ? bytes : 1), bytes);
}

/* A copy of 'size' bytes. */
static inline void *mc_alloc_bytes(const void *bytes, size_t size)
{
	void *copy = mc_alloc(size);

	return size > 0 ? memcpy(copy, bytes, size) : copy;
}

/* A copy of a string; NULL of NULL. */
static inline char *mc_alloc_copy(const char *text)
{
	return text != NULL ? (char *)mc_alloc_bytes(text, strlen(text) + 1) : NULL;
}

/* The output of printf(3), as a string. */
__attribute__((format(printf, 1, 2))) static inline char *mc_alloc_printf(const char *fmt, ...)
{
	va_list args;
	char *text;
	int size;

	va_start(args, fmt);
	size = vsnprintf(NULL, 0, fmt, args);
	va_end(args);
	if (size < 0)
		return (char *)mc_alloc_zero(1);
	text = (char *)mc_alloc((size_t)size + 1);
	va_start(args, fmt);
	vsnprintf(text, (size_t)size + 1, fmt, args);
	va_end(args);
	return text;
}

/* --- Arrays that grow ------------------------------------------------------ */

/* Three members of a struct are one: the elements, how many there are, and for how many there is
 * room. */

/* Makes room for one element more, which the caller adds.  All zero is an empty array; the
 * elements are freed with free().  The arguments are lvalues without side effects. */
#define MC_ARRAY_GROW(elements, len, room)                                                         \
	do {                                                                                       \
		if ((len) == (room)) {                                                             \
			(room) = (room) > 0 ? 2 * (room) : 16;                                     \
			(elements) = mc_alloc_resize((elements), (room), sizeof(*(elements)));     \
		}                                                                                  \
	} while (0)
