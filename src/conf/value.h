/* SPDX-License-Identifier: MIT */
/* How the text of a value may be read.  Pure functions; 'out' is untouched if they return false. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <collector/plugin.h>

/* Decimal with fraction and exponent, 0x hexadecimal, 0 octal; finite.  The
 * whole text, without blanks. */
bool value_number(const char *text, double *out);

/* The same if it is whole and in range; "60.0" is 60. */
bool value_integer(const char *text, int64_t *out);

/* A number of seconds, or with s, m, h or d after it of seconds, minutes, hours or days; as
 * nanoseconds; at most 9e9 s either way. */
bool value_seconds(const char *text, mc_time *out);

/* true, yes, on; false, no, off; in any case. */
bool value_boolean(const char *text, bool *out);
