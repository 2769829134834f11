/* SPDX-License-Identifier: MIT */
/* Strings in buffers of fixed size, without surprises.  Pure functions. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Copies 'text' into 'out' and ends it with '\0'; false if it was cut. */
bool text_copy(char *out, size_t size, const char *text);

/* How many bytes of the string to take when there is room for 'room': the half of a UTF-8 character
 * at the end is left out.  Reads room + 1 bytes at most. */
size_t text_fit(const char *text, size_t room);

/* Whether the 'size' bytes are valid UTF-8 (RFC 3629) without characters that
 * steer a terminal: controls (C0, DEL, C1), U+2028 and U+2029, and those that
 * change the direction of text (U+202A to U+202E, U+2066 to U+2069). */
bool text_printable(const char *text, size_t size);

/* Makes the bytes valid UTF-8: each invalid byte, and each byte of a non-ASCII character among
 * them, becomes '?'. */
void text_mend(char *text, size_t size);

/* Makes a string what text_printable() wants, in as many bytes: controls of
 * ASCII become blanks, each other byte that is in the way '?'.  For what others
 * say, before it gets to a log or a terminal. */
void text_make_printable(char *text);

/* Levenshtein distance without regard to case, or 'limit' if it is not less:
 * for "did you mean". */
unsigned text_distance(const char *a, const char *b, unsigned limit);
