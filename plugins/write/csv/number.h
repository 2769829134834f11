/* SPDX-License-Identifier: MIT */
/* Numbers as text, byte for byte as printf(3) writes them, but without its
 * price: most values are whole or small.  Pure functions. */
#ifndef CSV_NUMBER_H
#define CSV_NUMBER_H

#include <stddef.h>
#include <stdint.h>

#define NUMBER_SIZE 328 /* The longest: "%.6f" of -DBL_MAX, and a '\0'. */

/* All write to 'out', which has room for NUMBER_SIZE bytes, no '\0' after it,
 * and return the size. */

/* "%.6f"; "nan" whatever its sign. */
size_t number_fixed(char *out, double value);

/* "%.3f" of the seconds that 'ns' nanoseconds are; not negative. */
size_t number_seconds(char *out, int64_t ns);

#endif
