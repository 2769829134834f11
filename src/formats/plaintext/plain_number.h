/* SPDX-License-Identifier: MIT */
/* Numbers of the plain text protocol, exact and without locale.  Each function reads the number
 * that 'text' starts with and returns where it ends, or NULL without one, if it is out of range,
 * or if the next character is neither ':', a blank nor '\0'.  Pure. */
#pragma once

#include <stdint.h>

#include <collector/plugin.h>

#define PLAIN_NUMBER_SECONDS_MAX INT64_C(4102444800) /* 2100-01-01 */

/* Whether 'c' is a blank: what isspace() says in the C locale. */
static inline bool plain_number_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Seconds, fractions allowed, from 0 to the year 2100; the part below a nanosecond is cut off. */
const char *plain_number_time(const char *text, mc_time *);

/* Decimal, or hexadecimal after "0x".  A fraction is cut off, as collectd does,
 * for scripts divide. */
const char *plain_number_unsigned(const char *text, uint64_t *);
const char *plain_number_signed(const char *text, int64_t *);

/* Numbers as in strtod(), infinity and NaN included; one too large for a double is refused. */
const char *plain_number_gauge(const char *text, double *);
