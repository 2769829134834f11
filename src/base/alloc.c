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

void alloc_give_back(void)
{
#ifdef __GLIBC__
	malloc_trim(0);
#endif
}
