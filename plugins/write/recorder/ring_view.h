/* SPDX-License-Identifier: MIT */
/* Reads a copy of the memory of a ring, or a file that a process left which was killed: its bytes
 * may be anything.  Pure. */
#pragma once

#include <collector/serve.h>

struct ring_head;

struct ring_view {
	const uint8_t *bytes;
	size_t size;
	const struct ring_head *head;
};

/* 0, or -EBADMSG: it is no ring.  The bytes, aligned to 8, live as long as the view. */
int ring_view_open(struct ring_view *, const void *bytes, size_t size);

struct ring_view_series { /* All that there is of one. */
	struct mc_name_parts name;
	unsigned sources_len;
	const enum mc_kind *kinds;
	size_t len;                   /* Samples, the oldest first. */
	const mc_time *times;         /* One each, */
	const union mc_value *values; /* and 'sources_len' values each. */
	mc_time interval;
};

/* Shows the series that are wanted, NULL: all, with their samples since then, until 'visit' returns
 * false. */
struct ring_view_visitor {
	bool (*wants)(void *argument, const struct mc_name_parts *);
	bool (*visit)(void *argument, const struct ring_view_series *);
	void *argument;
};
void ring_view_each(const struct ring_view *, mc_time since, const struct ring_view_visitor *);

/* Shows the notices since then, until 'visit' returns false. */
void ring_view_each_note(const struct ring_view *, mc_time since,
			 bool (*visit)(void *argument, const void *bytes, size_t size),
			 void *argument);

/* The time of the newest row; 0: without one. */
mc_time ring_view_newest(const struct ring_view *);
