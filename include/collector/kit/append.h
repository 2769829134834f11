/* SPDX-License-Identifier: MIT */
/* collector/kit/append.h - a text that is put together in a buffer of a fixed size. */
#pragma once

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <collector/plugin.h>

/* Appends to the string in 'out', cut to its size. */
static inline void mc_append(char *out, size_t size, const char *fmt, ...) MC_PRINTF(3, 4);
static inline void mc_append(char *out, size_t size, const char *fmt, ...)
{
	size_t used = strlen(out);
	va_list args;

	va_start(args, fmt);
	vsnprintf(out + used, size - used, fmt, args);
	va_end(args);
}
