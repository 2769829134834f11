/* SPDX-License-Identifier: MIT */
/* collector/print.h - writes integers as text, for writers: printf(3) takes
 * longer than all else that a value costs them.
 *
 * The text is not ended by '\0'; its size is returned.  Pure functions.
 */
#ifndef COLLECTOR_PRINT_H
#define COLLECTOR_PRINT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define MC_PRINT_SIZE 20 /* Bytes that the longest one takes. */

static inline size_t mc_print_u64(char *out, uint64_t value)
{
	char digits[MC_PRINT_SIZE];
	size_t size = 0;

	do {
		digits[sizeof(digits) - ++size] = (char)('0' + value % 10);
		value /= 10;
	} while (value > 0);
	memcpy(out, digits + sizeof(digits) - size, size);
	return size;
}

static inline size_t mc_print_i64(char *out, int64_t value)
{
	if (value >= 0)
		return mc_print_u64(out, (uint64_t)value);
	out[0] = '-';
	return 1 + mc_print_u64(out + 1, 0 - (uint64_t)value);
}

#endif
