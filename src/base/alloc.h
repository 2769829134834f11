/* SPDX-License-Identifier: MIT */
/* Allocation that cannot fail: out of memory ends the process, and the service
 * manager starts it again.  Everything here is freed with free(). */
#pragma once

#include <stddef.h>

/* 'size' bytes, zeroed.  Thread: any. */
void *alloc_zero(size_t size) __attribute__((malloc, returns_nonnull));

/* 'len' elements of 'size' bytes, zeroed; aborts when the product overflows. */
void *alloc_array(size_t len, size_t size) __attribute__((malloc, returns_nonnull));

/* 'old' (or NULL) with room for 'len' elements; new elements are not zeroed. */
void *alloc_resize(void *old, size_t len, size_t size) __attribute__((returns_nonnull));

/* A copy of a string; NULL of NULL. */
char *alloc_copy(const char *text);

/* Has the C library keep little of what is freed, in all threads.  To be called
 * once, before there are any. */
void alloc_keep_little(void);

/* Hands what was freed back to the system, where the C library keeps it; takes
 * some milliseconds. */
void alloc_give_back(void);
