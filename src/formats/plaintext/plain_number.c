/* SPDX-License-Identifier: MIT */
/* Numbers of the plain text protocol, exact and without locale.
 *
 * A decimal number is read as an integer of at most 19 digits, which fits 64 bits, and a count of
 * decimals.  If that integer is at most 2^53 and the power of ten at most 10^22, both are exact as
 * doubles and so, correctly rounded, is their quotient (W. D. Clinger, How to Read Floating Point
 * Numbers Accurately, 1990).  All else is left to strtod(). */
#include "formats/plaintext/plain_number.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define DIGITS_MAX 19 /* 10^19 - 1 is below 2^64. */
#define EXACT_MAX (UINT64_C(1) << 53)

static const double powers[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
				 1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
				 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };

static uint64_t digit(char c)
{
	return (uint64_t)(unsigned char)c - '0';
}

static bool is_end(char c)
{
	return c == ':' || c == '\0' || plain_number_blank(c);
}

/* Reads digits on top of '*number', which wraps beyond DIGITS_MAX of them. */
static const char *read_digits(const char *text, uint64_t *number)
{
	uint64_t sum = *number;

	for (uint64_t d; (d = digit(*text)) < 10; text++)
		sum = sum * 10 + d;
	*number = sum;
	return text;
}

/* Where a number that only strtod() understands ends, or NULL. */
static const char *read_double(const char *text, double *number)
{
	char *end;
	double result;

	if (plain_number_blank(*text))
		return NULL;
	errno = 0;
	result = strtod(text, &end);
	if (end == text || !is_end(*end) || (isinf(result) && errno == ERANGE))
		return NULL;
	*number = result;
	return end;
}

/* The first nine digits. */
static uint64_t read_nanoseconds(const char *text)
{
	uint64_t ns = 0;

	for (int i = 0; i < 9; i++)
		ns = ns * 10 + digit(text[i]);
	return ns;
}

static const char *read_time_as_double(const char *text, mc_time *time)
{
	double seconds;
	const char *end = read_double(text, &seconds);

	if (end == NULL || !(seconds >= 0 && seconds <= (double)PLAIN_NUMBER_SECONDS_MAX))
		return NULL;
	*time = (mc_time)(seconds * (double)MC_SECOND);
	return end;
}

const char *plain_number_time(const char *text, mc_time *time)
{
	static const mc_time units[] = { 0,     100000000, 10000000, 1000000, 100000,
					 10000, 1000,      100,      10,      1 };
	uint64_t seconds = 0, fraction = 0;
	const char *at = read_digits(text, &seconds), *point = at;

	if (at == text || at - text > DIGITS_MAX)
		return read_time_as_double(text, time);
	if (*at == '.') {
		at = read_digits(at + 1, &fraction);
		if (at - point > 10)
			fraction = read_nanoseconds(point + 1);
		else
			fraction *= units[at - point - 1];
	}
	if (!is_end(*at))
		return read_time_as_double(text, time);
	if (seconds > PLAIN_NUMBER_SECONDS_MAX)
		return NULL;
	*time = (mc_time)(seconds * MC_SECOND + fraction);
	return at;
}

static const char *read_hexadecimal(const char *text, uint64_t *number)
{
	char *end;
	uint64_t result;

	errno = 0;
	result = strtoull(text, &end, 16);
	if (errno != 0 || !is_end(*end))
		return NULL;
	*number = result;
	return end;
}

/* Numbers with a plus, leading zeros, twenty digits or a fraction. */
__attribute__((noinline)) static const char *read_odd_integer(const char *text, uint64_t *number)
{
	const char *first, *at;
	uint64_t result = 0;

	if (*text == '+')
		text++;
	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
		return read_hexadecimal(text, number);
	for (first = text; *first == '0'; first++)
		;
	at = read_digits(first, &result);
	if (at == text || at - first > DIGITS_MAX + 1)
		return NULL;
	if (at - first == DIGITS_MAX + 1) {
		/* Of twenty digits, the first is a 1, and a sum that wrapped is
		 * smaller than 10^19. */
		if (*first != '1' || result < UINT64_C(10000000000000000000))
			return NULL;
	}
	if (*at == '.') {
		for (at++; digit(*at) < 10; at++)
			;
	}
	if (!is_end(*at))
		return NULL;
	*number = result;
	return at;
}

static inline const char *read_integer(const char *text, uint64_t *number)
{
	uint64_t result = 0;
	const char *at = read_digits(text, &result);

	if (at == text || at - text > DIGITS_MAX || !is_end(*at))
		return read_odd_integer(text, number);
	*number = result;
	return at;
}

const char *plain_number_unsigned(const char *text, uint64_t *number)
{
	return read_integer(text, number);
}

const char *plain_number_signed(const char *text, int64_t *number)
{
	bool negative = *text == '-';
	uint64_t size;
	const char *end;

	if (negative && text[1] == '+')
		return NULL;
	end = read_integer(text + negative, &size);
	if (end == NULL || size > (uint64_t)INT64_MAX + negative)
		return NULL;
	*number = negative ? (int64_t)(0 - size) : (int64_t)size;
	return end;
}

const char *plain_number_gauge(const char *text, double *number)
{
	bool negative = *text == '-';
	const char *first = text + negative, *point, *at;
	uint64_t digits = 0;
	double result;

	point = at = read_digits(first, &digits);
	if (*at == '.')
		at = read_digits(at + 1, &digits);
	if (at == first || at - first > DIGITS_MAX || digits > EXACT_MAX || !is_end(*at) ||
	    (at == point + 1 && point == first))
		return read_double(text, number);
	result = (double)digits;
	if (at > point + 1)
		result /= powers[at - point - 1];
	*number = negative ? -result : result;
	return at;
}
