/* SPDX-License-Identifier: MIT */
/* collector/scan.h - walks the text that the kernel shows in /proc and /sys.
 *
 * A position in the text is a pointer to it; the text ends with '\0'.  Every function moves the
 * position past what it took and returns true, or leaves position and output alone and returns
 * false.  Blanks are spaces and tabs, never newlines: nothing but mc_scan_line() leaves a line.
 * Pure functions.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct mc_word { /* Part of a text, not ended by '\0'. */
	const char *text;
	size_t size;
};

/* Whether a word ends here. */
static inline bool mc_scan_at_end(const char *at)
{
	return *at == ' ' || *at == '\t' || *at == '\n' || *at == '\0';
}

static inline const char *mc_scan_blanks(const char *at)
{
	while (*at == ' ' || *at == '\t')
		at++;
	return at;
}

/* To the start of the next line; false on the last one. */
static inline bool mc_scan_line(const char **at)
{
	const char *newline = strchr(*at, '\n');

	if (newline == NULL || newline[1] == '\0')
		return false;
	*at = newline + 1;
	return true;
}

/* Takes exactly this text, which must not start with a blank. */
static inline bool mc_scan_text(const char **at, const char *text)
{
	const char *next = mc_scan_blanks(*at);

	while (*text != '\0')
		if (*next++ != *text++)
			return false;
	*at = next;
	return true;
}

/* Everything up to the next blank or the end of the line. */
static inline bool mc_scan_word(const char **at, struct mc_word *word)
{
	const char *next = mc_scan_blanks(*at), *start = next;

	while (!mc_scan_at_end(next))
		next++;
	if (next == start)
		return false;
	*word = (struct mc_word){ start, (size_t)(next - start) };
	*at = next;
	return true;
}

/* Decimal digits; a number that does not fit becomes UINT64_MAX. */
static inline bool mc_scan_u64(const char **at, uint64_t *number)
{
	const char *next = mc_scan_blanks(*at), *start = next;
	uint64_t sum = 0;
	bool fits = true;
	unsigned digit;

	for (; (digit = (unsigned)*next - '0') <= 9; next++)
		if (__builtin_mul_overflow(sum, 10, &sum) ||
		    __builtin_add_overflow(sum, digit, &sum))
			fits = false;
	if (next == start)
		return false;
	*number = fits ? sum : UINT64_MAX;
	*at = next;
	return true;
}

/* A whole number, which may be negative; none that does not fit. */
static inline bool mc_scan_i64(const char **at, int64_t *number)
{
	const char *next = *at;
	bool negative = mc_scan_text(&next, "-");
	uint64_t digits;

	if ((negative && mc_scan_at_end(next)) || !mc_scan_u64(&next, &digits) ||
	    digits > INT64_MAX)
		return false;
	*number = negative ? -(int64_t)digits : (int64_t)digits;
	*at = next;
	return true;
}

/* A row of numbers, each of them a word: how many there were, at most 'len'. */
static inline size_t mc_scan_row(const char **at, uint64_t *numbers, size_t len)
{
	size_t taken = 0;

	while (taken < len) {
		const char *next = *at;
		uint64_t number;

		if (!mc_scan_u64(&next, &number) || !mc_scan_at_end(next))
			break;
		numbers[taken++] = number;
		*at = next;
	}
	return taken;
}

/* A number with or without decimals, such as "12" or "0.08".  Correctly rounded if there are no
 * more than fifteen digits; decimals after the ninth are not looked at. */
static inline bool mc_scan_decimal(const char **at, double *number)
{
	const char *next = *at;
	uint64_t digits, scale = 1;

	if (!mc_scan_u64(&next, &digits))
		return false;
	if (*next == '.')
		next++;
	for (unsigned digit; (digit = (unsigned)*next - '0') <= 9; next++)
		if (scale < 1000000000 && digits < UINT64_MAX / 10 - 1) {
			digits = digits * 10 + digit;
			scale *= 10;
		}
	*number = (double)digits / (double)scale;
	*at = next;
	return true;
}

/* The number after 'key' in the first line that starts with it as a word, such as "ctxt" in
 * /proc/stat or "MemFree:" in /proc/meminfo.  False without such a line, or without a number in
 * it. */
static inline bool mc_scan_key(const char *text, const char *key, uint64_t *number)
{
	size_t size = strlen(key);

	for (const char *at = text; (at = strstr(at, key)) != NULL; at++) {
		const char *behind = at + size;

		if ((at == text || at[-1] == '\n') && mc_scan_at_end(behind))
			return mc_scan_u64(&behind, number);
	}
	return false;
}

/* A range such as "0-3", or one number "8", which is its own first and last. */
static inline bool mc_scan_range(const char **at, uint64_t *first, uint64_t *last)
{
	const char *next = *at;
	uint64_t from, to;

	if (!mc_scan_u64(&next, &from))
		return false;
	to = from;
	if (mc_scan_text(&next, "-") && !mc_scan_u64(&next, &to))
		return false;
	if (to < from)
		return false;
	*first = from;
	*last = to;
	*at = next;
	return true;
}
