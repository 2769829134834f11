/* SPDX-License-Identifier: MIT */
/* collector/kit/number.h - numbers out of text, strictly.
 *
 * A text is a number as a whole or not at all: no blanks, no '+', no "0x", nothing after it, and
 * none that does not fit.  strtoull(3) and strtod(3) take all of these.  Where a function returns
 * false, the output is left alone.  The locale is C, always.  Pure functions.
 */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The value of a digit, or 36 and more for another character. */
static inline unsigned mc_number_digit(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	if (c >= 'a' && c <= 'z')
		return (unsigned)(c - 'a') + 10;
	if (c >= 'A' && c <= 'Z')
		return (unsigned)(c - 'A') + 10;
	return 99;
}

/* Takes the digits, in base 2 to 36, that are at '*at', which is moved past them; false without
 * any, or with too many. */
static inline bool mc_number_take(const char **at, unsigned base, uint64_t *number)
{
	const char *next = *at;
	uint64_t sum = 0;
	unsigned digit;

	for (; (digit = mc_number_digit(*next)) < base; next++)
		if (__builtin_mul_overflow(sum, base, &sum) ||
		    __builtin_add_overflow(sum, digit, &sum))
			return false;
	if (next == *at)
		return false;
	*at = next;
	*number = sum;
	return true;
}

/* Digits in that base, which are 'max' at most. */
static inline bool mc_number_unsigned(const char *text, unsigned base, uint64_t max,
				      uint64_t *number)
{
	uint64_t taken;

	if (!mc_number_take(&text, base, &taken) || *text != '\0' || taken > max)
		return false;
	*number = taken;
	return true;
}

/* A '-' or none, and decimal digits. */
static inline bool mc_number_signed(const char *text, int64_t min, int64_t max, int64_t *number)
{
	bool negative = *text == '-';
	uint64_t size;
	int64_t found;

	if (!mc_number_unsigned(text + negative, 10, (uint64_t)INT64_MAX + negative, &size))
		return false;
	found = negative ? (int64_t)(0 - size) : (int64_t)size;
	if (found < min || found > max)
		return false;
	*number = found;
	return true;
}

/* A '-' or none, decimal digits, with or without a '.' and some after it, and an exponent or none;
 * finite. */
static inline bool mc_number_double(const char *text, double *number)
{
	const char *at = text + (*text == '-');
	size_t whole = strspn(at, "0123456789"), decimals = 0;
	double found;

	at += whole;
	if (*at == '.') {
		decimals = strspn(at + 1, "0123456789");
		at += 1 + decimals;
	}
	if (whole + decimals == 0)
		return false;
	if (*at == 'e' || *at == 'E') {
		at++;
		at += *at == '+' || *at == '-';
		if (*at < '0' || *at > '9')
			return false;
		at += strspn(at, "0123456789");
	}
	if (*at != '\0')
		return false;
	found = strtod(text, NULL);
	if (!isfinite(found))
		return false;
	*number = found;
	return true;
}

/* --- At the start of a text ----------------------------------------------- */

/* As mc_number_double() and, with a '+' allowed, of the longest start of '*at' that is a number;
 * '*at' is moved past it.  Of "5eggs" that is "5". */
static inline bool mc_number_take_double(const char **at, double *number)
{
	const char *next = *at + (**at == '+');
	size_t size = strspn(next, "-+.0123456789eE");
	char digits[64];
	double found;

	for (; size > 0; size--) {
		if (size >= sizeof(digits))
			continue;
		memcpy(digits, next, size);
		digits[size] = '\0';
		/* No part of a number that does not fit is taken. */
		if (mc_number_double(digits, &found)) {
			if (next[size] >= '0' && next[size] <= '9')
				return false;
			*at = next + size;
			*number = found;
			return true;
		}
	}
	return false;
}

/* A '-', a '+' or none, and digits: decimal ones, or hexadecimal ones after "0x".  Their value
 * without its sign; '*at' is moved past them. */
static inline bool mc_number_take_integer(const char **at, bool *negative, uint64_t *number)
{
	bool minus = **at == '-';
	const char *next = *at + (minus || **at == '+');
	bool hexadecimal = next[0] == '0' && (next[1] | 0x20) == 'x';

	next += hexadecimal ? 2 : 0;
	if (!mc_number_take(&next, hexadecimal ? 16 : 10, number))
		return false;
	*negative = minus;
	*at = next;
	return true;
}
