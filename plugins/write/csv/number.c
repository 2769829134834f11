/* SPDX-License-Identifier: MIT */
#include "number.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <collector/print.h>

/* 'value' below 10^digits_len, with leading zeros. */
static void put_digits(char *out, uint32_t value, int digits_len)
{
	while (digits_len > 0) {
		out[--digits_len] = (char)('0' + value % 10);
		value /= 10;
	}
}

static size_t by_printf(char *out, double value)
{
	char text[NUMBER_SIZE];
	size_t size = (size_t)snprintf(text, sizeof(text), "%.6f", value);

	memcpy(out, text, size);
	return size;
}

#ifdef __SIZEOF_INT128__
/* Millionths, rounded half to even as printf() does.  Exact: the product of a
 * 53 bit significand and 10^6 needs 73 bits.  'value' is from 0 to 2^43. */
static uint64_t millionths(double value)
{
	int exponent;
	double fraction = frexp(value, &exponent);
	__extension__ unsigned __int128 product, rest, half;
	int shift = 53 - exponent;

	if (shift > 100)
		return 0; /* Less than half of a millionth. */
	product = (uint64_t)ldexp(fraction, 53);
	product *= 1000000;
	half = 1;
	half <<= shift - 1;
	rest = product & (2 * half - 1);
	product >>= shift;
	if (rest > half || (rest == half && (product & 1) != 0))
		product++;
	return (uint64_t)product;
}
#endif

size_t number_fixed(char *out, double value)
{
	double positive = fabs(value);
	size_t size = 0;
	uint64_t scaled;

	if (isnan(value)) {
		memcpy(out, "nan", 3);
		return 3;
	}
#ifdef __SIZEOF_INT128__
	if (positive < 0x1p43)
		scaled = millionths(positive);
	else
		return by_printf(out, value);
#else
	if (positive < 0x1p43 && positive == floor(positive))
		scaled = (uint64_t)positive * 1000000;
	else
		return by_printf(out, value);
#endif
	if (signbit(value))
		out[size++] = '-';
	size += mc_print_u64(out + size, scaled / 1000000);
	out[size++] = '.';
	put_digits(out + size, (uint32_t)(scaled % 1000000), 6);
	return size + 6;
}

size_t number_seconds(char *out, int64_t ns)
{
	uint64_t ms = ((uint64_t)ns + 500000) / 1000000;
	size_t size = mc_print_u64(out, ms / 1000);

	out[size++] = '.';
	put_digits(out + size, (uint32_t)(ms % 1000), 3);
	return size + 3;
}
