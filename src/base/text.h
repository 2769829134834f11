/* SPDX-License-Identifier: MIT */
/* Strings in buffers of fixed size, without surprises.  Pure functions. */
#ifndef COLLECTOR_BASE_TEXT_H
#define COLLECTOR_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Copies 'text' into 'out' and ends it with '\0'; false if it was cut. */
bool text_copy(char *out, size_t size, const char *text);

/* How many bytes of the string to take when there is room for 'room': the half
 * of a UTF-8 character at the end is left out.  Reads room + 1 bytes at most.
 */
size_t text_fit(const char *text, size_t room);

/* Whether the 'size' bytes are valid UTF-8 (RFC 3629) without control
 * characters (C0, DEL, C1). */
bool text_printable(const char *text, size_t size);

/* Makes the bytes valid UTF-8: each that is none, or of a control character
 * that is none of ASCII, becomes '?'. */
void text_mend(char *text, size_t size);

/* Levenshtein distance without regard to case, or 'limit' if it is not less:
 * for "did you mean". */
unsigned text_distance(const char *a, const char *b, unsigned limit);

#endif
