/* SPDX-License-Identifier: MIT */
/* Lines of the InfluxDB line protocol:
 *
 *   MEASUREMENT[,TAG=VALUE...] FIELD=VALUE[,FIELD=VALUE...] [TIME]
 *
 * Facts: "Line protocol" in the documentation of InfluxDB 1 and 2.  Does not
 * allocate; any thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <collector/plugin.h>

#define MC_INFLUX_TAGS_MAX 64 /* Of a line; one with more is refused. */

struct mc_influx_tag {
	char *key, *value;
};

enum mc_influx_kind {
	MC_INFLUX_FLOAT,    /* 1.5; also whole numbers without a letter. */
	MC_INFLUX_SIGNED,   /* 42i */
	MC_INFLUX_UNSIGNED, /* 42u */
	MC_INFLUX_BOOL,     /* t, true, ... */
	MC_INFLUX_TEXT,     /* "text" */
};

struct mc_influx_field {
	const char *key;
	enum mc_influx_kind kind;
	union {
		double number;
		int64_t signed_number;
		uint64_t unsigned_number;
		bool truth;
		const char *text;
	} value;
};

struct mc_influx { /* A line.  Its texts lie in it, without escapes. */
	const char *measurement;
	struct mc_influx_tag tags[MC_INFLUX_TAGS_MAX]; /* As they came. */
	size_t tags_len;
	bool has_time;
	int64_t time;      /* In what the sender counts: nanoseconds, if nothing
			    * else is agreed on. */
	const char *error; /* After a failure: its cause. */

	char *rest; /* The parser's own: fields. */
};

/* Reads a line of 'size' bytes, which it changes; 'line[size]' is '\0', and
 * there is no other.  False if it is wrong: 'error' says why, and nothing of it
 * counts.  An empty line, and a comment ("# ..."), has no measurement. */
bool mc_influx_parse(struct mc_influx *, char *line, size_t size);

/* The time of a point whose sender counts in 'unit's; 0: it has none, so it is now; one that does
 * not fit is INT64_MAX.  False: a point without a time after MC_INFLUX_NO_TIME cannot be a sample,
 * as a series whose last time is 0 has none.  InfluxDB takes it. */
#define MC_INFLUX_NO_TIME "1970-01-01T00:00:00Z"
bool mc_influx_time(const struct mc_influx *, mc_time unit, mc_time *time);

/* Its next field, at first the first, of which there is one at least; false: at the end. */
bool mc_influx_next(struct mc_influx *, struct mc_influx_field *);
