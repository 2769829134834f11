/* SPDX-License-Identifier: MIT */
/* Values with their units as people say them: "1.2 GB", "93 %", "5 h".  Pure functions. */
#pragma once

#include <stddef.h>

#define AMOUNT_SIZE 64

/* 'unit' is that of a type; "", "any": none is shown.  Three digits; NaN is "unknown". */
void amount_write(double value, const char *unit, char out[AMOUNT_SIZE]);
