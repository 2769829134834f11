/* SPDX-License-Identifier: MIT */
/* A value of a path, as lines and pickles of Graphite and points of InfluxDB have them. */
#pragma once

#include <collector/plugin.h>

#define MC_PATH_SIZE_MAX 4096 /* Bytes; a longer path makes no name. */

struct mc_point {
	const char *path; /* "a.b.c;tag=value"; need not end with '\0'. */
	size_t size;
	mc_time time; /* 0: now. */
	double number;
	bool is_whole; /* It is 'whole': a raw counter may be one. */
	int64_t whole;
};
