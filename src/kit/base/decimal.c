/* SPDX-License-Identifier: MIT */
/* Writing is exact: a double has 53 bits, and its product with a power of ten
 * fits into 128.  Reading is exact as long as digits and power of ten are both
 * doubles (Clinger, "How to Read Floating Point Numbers Accurately"). */
#include "kit/base/decimal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <collector/kit/number.h>
#include <collector/print.h>

enum {
	SHORT_DIGITS = 15,
	SHORT_LEAST = -4, /* Below 10 to that "%.15g" has an exponent. */
	SHIFT_MAX = 100,
	SECOND = 1000000000, /* Nanoseconds, as the next two. */
	MILLISECOND = 1000000,
	NEAR = 1000,
	UNIT_BITS = 30,
};

static const uint64_t powers[] = {
	1U,
	10U,
	100U,
	1000U,
	10000U,
	100000U,
	1000000U,
	10000000U,
	100000000U,
	1000000000U,
	10000000000U,
	100000000000U,
	1000000000000U,
	10000000000000U,
	100000000000000U,
	1000000000000000U,
	10000000000000000U,
	100000000000000000U,
	1000000000000000000U,
};

/* --- Writing -------------------------------------------------------------- */

/* 'value' below 10^digits_len, with leading zeros. */
static void put_digits(char *out, uint64_t value, int digits_len)
{
	for (; digits_len >= 2; value /= 100) {
		digits_len -= 2;
		memcpy(out + digits_len, mc_print_pairs + value % 100 * 2, 2);
	}
	if (digits_len == 1)
		out[0] = (char)('0' + value % 10);
}

static size_t by_printf(char *out, const char *format, double value)
{
	char text[MC_DECIMAL_SIZE];
	size_t size = (size_t)(format[2] == '6' ? snprintf(text, sizeof(text), "%.6f", value)
						: snprintf(text, sizeof(text), "%.15g", value));

	memcpy(out, text, size);
	return size;
}

/* 'value' times 10^decimals, rounded half to even as printf() does.  'value' is
 * from 0 to 2^50, and the product below 2^63.  False: this machine cannot. */
#ifdef __SIZEOF_INT128__
static bool scale(double value, int decimals, uint64_t *scaled)
{
	__extension__ unsigned __int128 product, rest, half;
	int exponent, shift;
	double fraction = frexp(value, &exponent);

	*scaled = 0;
	shift = 53 - exponent;
	if (shift > SHIFT_MAX)
		return true; /* Less than half of the last digit. */
	product = (uint64_t)ldexp(fraction, 53);
	product *= powers[decimals];
	half = 1;
	half <<= shift - 1;
	rest = product & (2 * half - 1);
	product >>= shift;
	if (rest > half || (rest == half && (product & 1) != 0))
		product++;
	*scaled = (uint64_t)product;
	return true;
}
#else
static bool scale(double value, int decimals, uint64_t *scaled)
{
	(void)value;
	(void)decimals;
	(void)scaled;
	return false;
}
#endif

size_t mc_decimal_fixed(char *out, double value)
{
	double positive = fabs(value);
	size_t size = 0;
	uint64_t scaled;

	if (isnan(value)) {
		memcpy(out, "nan", 3);
		return 3;
	}
	if (positive >= 0x1p43 || !scale(positive, 6, &scaled))
		return by_printf(out, "%.6f", value);
	if (signbit(value))
		out[size++] = '-';
	size += mc_print_u64(out + size, scaled / 1000000);
	out[size++] = '.';
	put_digits(out + size, scaled % 1000000, 6);
	return size + 6;
}

/* The decimals that make SHORT_DIGITS digits of a number from 10^SHORT_LEAST
 * to 10^SHORT_DIGITS.  The doubles next to 0.1 to 0.0001 are above these. */
static int short_decimals(double positive)
{
	static const double limits[] = { 1e-3, 1e-2, 1e-1 };
	int exponent = 0;

	if (positive < 1) {
		for (exponent = SHORT_LEAST; exponent < -1 && positive >= limits[exponent + 4];
		     exponent++)
			;
	} else {
		while (positive >= (double)powers[exponent + 1])
			exponent++;
	}
	return SHORT_DIGITS - 1 - exponent;
}

size_t mc_decimal_short(char *out, double value)
{
	double positive = fabs(value);
	size_t size = 0;
	uint64_t scaled, whole;
	int decimals;

	if (isnan(value)) {
		memcpy(out, "nan", 3);
		return 3;
	}
	if (positive >= 1e15 || (positive < 1e-4 && positive != 0))
		return by_printf(out, "%.15g", value);
	if (signbit(value))
		out[size++] = '-';
	if (positive == (double)(uint64_t)positive)
		return size + mc_print_u64(out + size, (uint64_t)positive);
	decimals = short_decimals(positive);
	if (!scale(positive, decimals, &scaled))
		return by_printf(out, "%.15g", value);
	whole = scaled / powers[decimals];
	if (whole == powers[SHORT_DIGITS])
		return by_printf(out, "%.15g", value);
	scaled -= whole * powers[decimals];
	size += mc_print_u64(out + size, whole);
	if (scaled == 0)
		return size;
	out[size++] = '.';
	put_digits(out + size, scaled, decimals);
	size += (size_t)decimals;
	while (out[size - 1] == '0')
		size--;
	return size;
}

/* Milliseconds of a time as collectd has it: seconds in units of 2^-30 become a double, which has
 * fewer bits, and that is printed with "%.3f".  The fraction has 30 bits at most, so a thousand of
 * it is exact, and the one rounding is that of printf(3). */
static uint64_t milliseconds_of(uint64_t ns)
{
	uint64_t seconds = ns / SECOND;
	uint64_t units = ((ns % SECOND << UNIT_BITS) + SECOND / 2) / SECOND;
	double time = (double)seconds + (double)units / (1U << UNIT_BITS);

	return 1000 * seconds + (uint64_t)lrint(1000 * (time - (double)seconds));
}

size_t mc_decimal_seconds(char *out, int64_t ns)
{
	uint64_t half = (uint64_t)ns + MILLISECOND / 2;
	uint64_t ms = half / MILLISECOND;
	size_t size;

	/* A double is less than NEAR off: only close to a half it decides. */
	if ((half + NEAR) % MILLISECOND < 2 * NEAR)
		ms = milliseconds_of((uint64_t)ns);
	size = mc_print_u64(out, ms / 1000);
	out[size++] = '.';
	put_digits(out + size, ms % 1000, 3);
	return size + 3;
}

/* --- Reading -------------------------------------------------------------- */

static bool by_strtod(const char *text, size_t size, double *value)
{
	char copy[MC_DECIMAL_TEXT_MAX + 1];

	if (size > MC_DECIMAL_TEXT_MAX)
		return false;
	memcpy(copy, text, size);
	copy[size] = '\0';
	/* No '\0' within, and one sign. */
	return strlen(copy) == size &&
	       mc_number_double(copy + (copy[0] == '+' && copy[1] != '-'), value);
}

bool mc_decimal_read(const char *text, size_t size, double *value)
{
	const char *at = text, *end = text + size, *point = NULL;
	uint64_t digits = 0;
	size_t len, decimals;
	double number;

	if (at < end && (*at == '-' || *at == '+'))
		at++;
	len = (size_t)(end - at);
	for (; at < end; at++) {
		unsigned digit = (unsigned)*at - '0';

		if (digit <= 9)
			digits = digits * 10 + digit;
		else if (*at == '.' && point == NULL)
			point = at;
		else
			return by_strtod(text, size, value);
	}
	decimals = point != NULL ? (size_t)(end - point - 1) : 0;
	/* At most 18 digits: they did not overflow. */
	if (len - (point != NULL) == 0 || len > 19 - (size_t)(point == NULL) ||
	    digits > UINT64_C(1) << 53)
		return by_strtod(text, size, value);
	number = (double)digits / (double)powers[decimals];
	*value = text[0] == '-' ? -number : number;
	return true;
}
