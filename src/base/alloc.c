/* SPDX-License-Identifier: MIT */
/* Allocation that cannot fail. */
#include "base/alloc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

static void *checked(void *memory, size_t size)
{
	if (memory != NULL)
		return memory;
	fprintf(stderr, "%s: out of memory (%zu bytes)\n",
		program_invocation_short_name, size);
	abort();
}

void *alloc_zero(size_t size)
{
	return checked(calloc(1, size > 0 ? size : 1), size);
}

void *alloc_array(size_t len, size_t size)
{
	return checked(calloc(len > 0 ? len : 1, size > 0 ? size : 1), size);
}

void *alloc_resize(void *old, size_t len, size_t size)
{
	return checked(reallocarray(old, len > 0 ? len : 1, size), size);
}

char *alloc_copy(const char *text)
{
	return text != NULL ? checked(strdup(text), strlen(text)) : NULL;
}

void alloc_give_back(void)
{
#ifdef __GLIBC__
	malloc_trim(0);
#endif
}
