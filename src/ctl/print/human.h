/* SPDX-License-Identifier: MIT */
/* Numbers as a person reads them: three significant digits and a unit. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define HUMAN_SIZE 32

struct human { /* A text that can be passed and returned by value. */
	char text[HUMAN_SIZE];
};

/* Seconds: "0", "12.0 us", "3.40 ms", "1.25 s", "10 s", "5 min 02 s",
 * "3 h 20 min", "12 d 04 h"; negative ones with a '-'. */
struct human human_seconds(double seconds);

/* How long ago that was: "12.3 s ago"; "just now" within a second, and for what
 * a clock that was set has put into the future. */
struct human human_ago(double seconds);

/* Bytes: "0 B", "999 B", "1.21 MiB". */
struct human human_bytes(double bytes);

/* A count: "0", "9,999", "12.3 k", "4.56 M". */
struct human human_count(double count);

/* A measured value: "0", "0.000123", "42", "1.23e+12"; NaN is "-". */
struct human human_value(double value);

/* A share of 1: "0 %", "0.34 %", "12.1 %". */
struct human human_share(double share);

/* Seconds since 1970 as local "HH:MM:SS", or with the date if that is not the date of 'now'. */
struct human human_clock(double time, double now);
