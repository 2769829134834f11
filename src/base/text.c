/* SPDX-License-Identifier: MIT */
/* Strings in buffers of fixed size, without surprises. */
#include "base/text.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

#define DISTANCE_MAX 63 /* Longer strings are "far apart". */

bool text_copy(char *out, size_t size, const char *text)
{
	size_t n = strnlen(text, size - 1);

	memcpy(out, text, n);
	out[n] = '\0';
	return text[n] == '\0';
}

size_t text_fit(const char *text, size_t room)
{
	size_t size = strnlen(text, room + 1);

	if (size <= room)
		return size;
	for (size = room; size > 0 && (text[size] & 0xc0) == 0x80;)
		size--;
	return size;
}

/* Characters that steer a terminal or a page instead of being shown: line and paragraph
 * separators, embedding, override and isolation of directions (UAX #9). */
static bool is_steering(uint32_t code)
{
	return code == 0x2028 || code == 0x2029 || (code >= 0x202a && code <= 0x202e) ||
	       (code >= 0x2066 && code <= 0x2069);
}

/* Bytes of the valid, printable UTF-8 sequence at 'c', or 0. */
static size_t sequence_size(const unsigned char *c, size_t size)
{
	if (c[0] < 0x80)
		return c[0] >= ' ' && c[0] != 0x7f;

	size_t n = c[0] >= 0xf0 ? 4 : c[0] >= 0xe0 ? 3 : 2;
	uint32_t code = c[0] & (0x7f >> n);
	static const uint32_t least[] = { 0, 0, 0xa0, 0x800, 0x10000 };

	if (c[0] < 0xc2 || c[0] > 0xf4 || n > size)
		return 0;
	for (size_t i = 1; i < n; i++) {
		if ((c[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (c[i] & 0x3f);
	}
	if (code < least[n] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) ||
	    is_steering(code))
		return 0;
	return n;
}

bool text_printable(const char *text, size_t size)
{
	const unsigned char *c = (const unsigned char *)text;

	while (size > 0) {
		size_t n = sequence_size(c, size);

		if (n == 0)
			return false;
		c += n;
		size -= n;
	}
	return true;
}

void text_mend(char *text, size_t size)
{
	unsigned char *c = (unsigned char *)text;

	while (size > 0) {
		size_t n = *c < 0x80 ? 1 : sequence_size(c, size);

		if (n == 0) {
			*c = '?';
			n = 1;
		}
		c += n;
		size -= n;
	}
}

void text_make_printable(char *text)
{
	for (char *c = text; *c != '\0'; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = ' ';
	text_mend(text, strlen(text));
}

unsigned text_distance(const char *a, const char *b, unsigned limit)
{
	size_t a_size = strlen(a), b_size = strlen(b);
	unsigned row[DISTANCE_MAX + 1];

	if (a_size > DISTANCE_MAX || b_size > DISTANCE_MAX)
		return limit;
	for (size_t j = 0; j <= b_size; j++)
		row[j] = j;
	for (size_t i = 1; i <= a_size; i++) {
		unsigned corner = row[0];

		row[0] = i;
		for (size_t j = 1; j <= b_size; j++) {
			unsigned best = corner + (tolower((unsigned char)a[i - 1]) !=
						  tolower((unsigned char)b[j - 1]));

			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			corner = row[j];
			row[j] = best;
		}
	}
	return row[b_size] < limit ? row[b_size] : limit;
}
