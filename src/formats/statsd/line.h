/* SPDX-License-Identifier: MIT */
/* Lines of the statsd protocol, as clients send them in datagrams:
 *
 *   NAME:VALUE|TYPE[|@RATE][|#TAG[:VALUE],...][|c:CONTAINER][|...]
 *
 * Facts: collectd.conf(5) "Plugin statsd"; the README of Etsy's statsd; the datagram format of
 * DogStatsD (tags, types h and d, containers).  Pure functions. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum line_type { LINE_COUNTER, LINE_GAUGE, LINE_TIMER, LINE_SET, LINE_TYPES };

enum line_fault {
	LINE_GOOD,
	LINE_FORM,        /* Not NAME:VALUE|TYPE. */
	LINE_NAME,        /* Empty, or with control characters. */
	LINE_VALUE,       /* No number, or one that is too large. */
	LINE_TYPE,        /* None of those. */
	LINE_RATE,        /* Not above 0 and up to 1, or not of this type. */
	LINE_TAGS,        /* Too many, or with control characters. */
	LINE_UNSUPPORTED, /* Events, service checks, values with times. */
	LINE_FAULTS,
};

#define LINE_TAGS_MAX 32       /* Of a line. */
#define LINE_NUMBER_MAX 0x1p53 /* Larger numbers are not whole ones. */

struct line { /* Its texts lie in the datagram, without a '\0'. */
	enum line_type type;
	const char *name;
	size_t name_size;
	bool has_slash;     /* In its name. */
	double value;       /* Not of a set. */
	bool relative;      /* Of a gauge: it is added. */
	double weight;      /* How many events it stands for: 1, or 1 / RATE. */
	const char *member; /* Of a set: the member to count. */
	size_t member_size;
	char *tags;       /* As they were sent. */
	size_t tags_size; /* 0: none. */
};

/* Cuts off the next line that is not empty, and ends it by '\0' in place of its
 * newline; false at the end.  At 'end' there is room for a '\0'. */
bool line_cut(char **at, char *end, char **text, size_t *size);

/* Reads a line, which it changes; 'text[size]' is '\0'. */
enum line_fault line_parse(char *text, size_t size, struct line *);

/* Writes the name as one of a series, in which '/' would have a meaning: with '_' in its place.
 * Returns the end of it in 'out', which has room for as many bytes as it has. */
char *line_write_name(const struct line *, char *out);

/* Writes tags as "key=value,key=value", in the order of their bytes, to 'out', which has room for
 * as many bytes as they have; each once.  Returns the size of the text. */
size_t line_sort_tags(const char *tags, size_t size, char *out);
