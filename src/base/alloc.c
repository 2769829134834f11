/* SPDX-License-Identifier: MIT */
/* Allocation that cannot fail. */
#include "base/alloc.h"

#include <collector/kit/alloc.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

void *alloc_zero(size_t size)
{
	return mc_alloc_zero(size);
}

void *alloc_array(size_t len, size_t size)
{
	return mc_alloc_array(len, size);
}

void *alloc_resize(void *old, size_t len, size_t size)
{
	return mc_alloc_resize(old, len, size);
}

char *alloc_copy(const char *text)
{
	return mc_alloc_copy(text);
}

/* By default malloc keeps twice the size of the largest buffer ever freed, for each thread: after
 * a few compressed requests, twice their inflated size.  A thread's heap grows by 128 KiB at a
 * time, and returns free memory at its end only above that; malloc_trim() does not look there. */
#define RARE (1 << 20)   /* Bytes of a buffer that is given back at once. */
#define KEPT (1 << 19)   /* At the end of a heap. */
#define GROWTH (1 << 14) /* Growth of a heap. */

void alloc_keep_little(void)
{
#ifdef __GLIBC__
	mallopt(M_MMAP_THRESHOLD, RARE);
	mallopt(M_TRIM_THRESHOLD, KEPT);
	mallopt(M_TOP_PAD, GROWTH);
#endif
}

void alloc_give_back(void)
{
#ifdef __GLIBC__
	malloc_trim(0);
#endif
}
