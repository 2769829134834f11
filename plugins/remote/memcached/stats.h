/* SPDX-License-Identifier: MIT */
/* Lines of memcached's answer to "stats": "STAT NAME VALUE", and "END" after the last. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum stats_line {
	STATS_BAD,   /* It is no such line. */
	STATS_TEXT,  /* The value is no number. */
	STATS_VALUE, /* '*stat' is filled. */
	STATS_END,
};

struct stats_stat {
	const char *name; /* In the line. */
	double level;
	int64_t total; /* The same, without decimals. */
};

/* Reads a line, which it changes. */
enum stats_line stats_read(char *line, struct stats_stat *stat);
