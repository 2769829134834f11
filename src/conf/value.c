/* SPDX-License-Identifier: MIT */
/* How the text of a value may be read: numbers as collectd.conf(5) has them. */
#include "conf/value.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define SECONDS_MAX 9e9 /* Times 1e9 still fits an int64_t. */
#define EXACT_MAX                                                                                  \
	9007199254740992.0 /* 2^53: beyond, doubles skip integers.                                 \
			    */

static const char *skip_digits(const char *c)
{
	while (isdigit((unsigned char)*c))
		c++;
	return c;
}

/* strtod() also reads "inf", "nan", blanks and hexadecimal fractions: the
 * shape is checked first. */
static bool is_decimal(const char *text)
{
	const char *c = text + (*text == '+' || *text == '-');
	const char *whole = c;
	size_t digits;

	c = skip_digits(c);
	digits = (size_t)(c - whole);
	if (*c == '.') {
		const char *fraction = ++c;

		c = skip_digits(c);
		digits += (size_t)(c - fraction);
	}
	if (digits == 0)
		return false;
	if (*c == 'e' || *c == 'E') {
		c++;
		c += *c == '+' || *c == '-';
		if (!isdigit((unsigned char)*c))
			return false;
		c = skip_digits(c);
	}
	return *c == '\0';
}

/* Base 16 or 8 if the text is a whole number written so, else 10. */
static int base_of(const char *text)
{
	const char *c = text + (*text == '+' || *text == '-');
	bool hexadecimal = c[0] == '0' && (c[1] == 'x' || c[1] == 'X');
	const char *accepted = hexadecimal ? "0123456789abcdefABCDEF" : "01234567";

	if (c[0] != '0')
		return 10;
	c += hexadecimal ? 2 : 1;
	if (*c == '\0' || c[strspn(c, accepted)] != '\0')
		return 10;
	return hexadecimal ? 16 : 8;
}

static bool whole_number(const char *text, int64_t *out)
{
	int base = base_of(text);
	const char *digits = text + (*text == '+' || *text == '-');
	long long number;

	if (base == 10 && (*digits == '\0' || *skip_digits(digits) != '\0'))
		return false;
	errno = 0;
	number = strtoll(text, NULL, base);
	if (errno != 0)
		return false;
	*out = number;
	return true;
}

bool value_number(const char *text, double *out)
{
	int64_t whole;
	double number;

	if (base_of(text) != 10) {
		if (!whole_number(text, &whole))
			return false;
		*out = (double)whole;
		return true;
	}
	if (!is_decimal(text))
		return false;
	number = strtod(text, NULL);
	if (!isfinite(number))
		return false;
	*out = number;
	return true;
}

bool value_integer(const char *text, int64_t *out)
{
	double number;

	if (whole_number(text, out))
		return true;
	if (strpbrk(text, ".eE") == NULL || !value_number(text, &number) ||
	    number != floor(number) || fabs(number) > EXACT_MAX)
		return false;
	*out = (int64_t)number;
	return true;
}

/* Seconds of the unit that a number ends with, which is cut off; 1 if none. */
static double cut_unit(char *text)
{
	static const struct {
		char name;
		double seconds;
	} units[] = { { 's', 1 }, { 'm', 60 }, { 'h', 3600 }, { 'd', 86400 } };
	size_t size = strlen(text);

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (size < 2 || text[size - 1] != units[i].name)
			continue;
		text[size - 1] = '\0';
		return is_decimal(text) ? units[i].seconds : NAN;
	}
	return 1;
}

bool value_seconds(const char *text, mc_time *out)
{
	char copy[64];
	double number, unit = 1;

	if (strlen(text) < sizeof(copy) && base_of(text) == 10) {
		memcpy(copy, text, strlen(text) + 1);
		unit = cut_unit(copy);
		text = copy;
	}
	if (!value_number(text, &number) || !(fabs(number * unit) <= SECONDS_MAX))
		return false;
	*out = (mc_time)llround(number * unit * (double)MC_SECOND);
	return true;
}

bool value_boolean(const char *text, bool *out)
{
	static const char *const words[] = { "false", "true", "no", "yes", "off", "on" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcasecmp(text, words[i]) == 0) {
			*out = i % 2 == 1;
			return true;
		}
	}
	return false;
}
