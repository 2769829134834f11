/* SPDX-License-Identifier: MIT */
/* The answers of a daemon of Ceph about its counters, to "perf schema" and "perf dump": maps of
 * sections, counters and their parts.  Pure functions. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define PERF_KEY_SIZE 256  /* Longer keys are passed over. */
#define PERF_NAME_SIZE 128 /* Longer names are cut, as in collectd. */
#define PERF_DEPTH_MAX 16

enum perf_part {
	PERF_WHOLE, /* Of a counter that is a number. */
	PERF_TYPE,  /* Of the schema. */
	PERF_COUNT, /* Of a sum: "avgcount". */
	PERF_SUM,
	PERF_AVERAGE, /* Their quotient: "avgtime". */
	PERF_OTHER,
};

struct perf_number {
	const char *key; /* "osd.op_latency", without its part. */
	size_t key_size;
	enum perf_part part;
	const char *text; /* As it stands, without a '\0'. */
	size_t size;
};

/* Calls take() for each number of the text that is in maps only; false ends it.  'has_parts': it is
 * a schema, whose keys have a part each.  As mc_json_read(). */
typedef bool perf_take(void *argument, const struct perf_number *);
int perf_read(const char *text, size_t size, bool has_parts, perf_take *take, void *argument);

/* The name that collectd has for a counter: "Osd.opLatency". */
void perf_name(const char *key, char name[PERF_NAME_SIZE]);
