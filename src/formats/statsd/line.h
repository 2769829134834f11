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
	bool has_slash;     /* In its name; by line_check(). */
	double value;       /* Not of a set. */
	bool relative;      /* Of a gauge: it is added. */
	double weight;      /* How many events it stands for: 1, or 1 / RATE. */
	const char *member; /* Of a set: the member to count. */
	size_t member_size;
	const char *tags; /* As they were sent. */
	size_t tags_size; /* 0: none. */
};

/* Cuts off the next line that is not empty, without its newline; false at the end. */
bool line_cut(const char **at, const char *end, const char **text, size_t *size);

/* Reads a line.  A good one has a name and tags that line_check() is still to look at, unless such
 * a line is known to be good. */
enum line_fault line_split(const char *text, size_t size, struct line *);

/* Reads a line, and finds its end, if it has no more than a name without ':', a short number, and
 * perhaps a rate; returns the next line, or NULL: line_cut() and line_split() are to look at it.
 * Nothing is known of the name: it may have a newline, so it must be that of a good line.  'line'
 * is all zero, or was skimmed before. */
const char *line_skim(const char *text, const char *end, struct line *);

/* Looks at each byte of the name and of the tags: LINE_NAME, LINE_TAGS, or LINE_GOOD. */
enum line_fault line_check(struct line *);

/* Both. */
enum line_fault line_parse(const char *text, size_t size, struct line *);

/* Writes the name as one of a series, in which '/' would have a meaning: with '_' in its place.
 * Returns the end of it in 'out', which has room for as many bytes as it has. */
char *line_write_name(const struct line *, char *out);

/* Writes tags as "key=value,key=value", in the order of their bytes, to 'out', which has room for
 * as many bytes as they have; each once.  Returns the size of the text. */
size_t line_sort_tags(const char *tags, size_t size, char *out);
