/* SPDX-License-Identifier: MIT */
/* collector/print.h - writes numbers as text.  Integers are for writers: there
 * printf(3) takes longer than all else that a value costs.
 *
 * The text is not ended by '\0'; its size is returned.  Pure functions.
 */
#pragma once

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MC_PRINT_SIZE 20 /* Bytes that the longest integer takes. */
#define MC_PRINT_DOUBLE_SIZE 24

/* "00" to "99". */
static const char mc_print_pairs[] = "0001020304050607080910111213141516171819"
				     "2021222324252627282930313233343536373839"
				     "4041424344454647484950515253545556575859"
				     "6061626364656667686970717273747576777879"
				     "8081828384858687888990919293949596979899";

/* Two digits a step: the divisions are what takes time. */
static inline size_t mc_print_u64(char *out, uint64_t value)
{
	char digits[MC_PRINT_SIZE];
	char *at = digits + sizeof(digits);

	for (; value >= 100; value /= 100)
		memcpy(at -= 2, mc_print_pairs + value % 100 * 2, 2);
	if (value >= 10)
		memcpy(at -= 2, mc_print_pairs + value * 2, 2);
	else
		*--at = (char)('0' + value);
	memcpy(out, at, (size_t)(digits + sizeof(digits) - at));
	return (size_t)(digits + sizeof(digits) - at);
}

static inline size_t mc_print_i64(char *out, int64_t value)
{
	if (value >= 0)
		return mc_print_u64(out, (uint64_t)value);
	out[0] = '-';
	return 1 + mc_print_u64(out + 1, 0 - (uint64_t)value);
}

/* With up to 15 digits, or as many more as it takes to read back the same; "nan", "inf" or "-inf"
 * if it is not finite. */
static inline size_t mc_print_double(char *out, double number)
{
	char text[MC_PRINT_DOUBLE_SIZE + 1] = "";

	if (isnan(number)) {
		memcpy(out, "nan", 3);
		return 3;
	}
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, number);
		if (strtod(text, NULL) == number)
			break;
	}
	memcpy(out, text, strlen(text));
	return strlen(text);
}
