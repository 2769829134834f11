/* SPDX-License-Identifier: MIT */
/* kit/base/decimal.h - decimal numbers, written byte for byte as printf(3) does, and read as
 * strtod(3) does, but without their price: most values are whole or small.  In libkit.
 *
 * Pure functions. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MC_DECIMAL_SIZE 328 /* The longest: "%.6f" of -DBL_MAX, and a '\0'. */

/* --- Writing -------------------------------------------------------------- */

/* All write to 'out', which has room for MC_DECIMAL_SIZE bytes, no '\0' after
 * it, and return the size.  NaN is "nan", whatever its sign. */

/* "%.6f" */
size_t mc_decimal_fixed(char *out, double value);

/* "%.15g" */
size_t mc_decimal_short(char *out, double value);

/* "%.3f" of the seconds that 'ns' nanoseconds are, not negative: by way of a double, as collectd
 * has them, so that a half of a millisecond is rounded as there. */
size_t mc_decimal_seconds(char *out, int64_t ns);

/* --- Reading -------------------------------------------------------------- */

#define MC_DECIMAL_TEXT_MAX 400 /* Bytes of a number that is read. */

/* Reads the number that all 'size' bytes are: a '-', a '+' or none, digits with or without a '.',
 * an exponent or none; finite.  Else false, and '*value' is left alone.  The text need not end with
 * '\0'; nothing is read after it. */
bool mc_decimal_read(const char *text, size_t size, double *value);
