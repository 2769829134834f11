/* SPDX-License-Identifier: MIT */
/* Whole lines for a Graphite, the oldest first: those that were given to its connection, until that
 * is rid of them for good, and after them those that wait.
 *
 * One thread at a time; counts: any. */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#include <collector/kit/buffer.h>

struct backlog { /* All zero but 'limit'. */
	struct mc_buffer lines;
	size_t given; /* Bytes of whole lines that the connection has. */
	size_t limit; /* Bytes of 'lines'; SIZE_MAX: any. */

	_Atomic uint64_t sent, dropped; /* Lines. */
};

/* Bytes that were not given yet. */
static inline size_t backlog_waiting(const struct backlog *backlog)
{
	return backlog->lines.size - backlog->given;
}

/* The size of the whole lines, of those that wait, of up to 'size_max' bytes; of one at least. */
size_t backlog_next(const struct backlog *, size_t size_max);

/* Where the line begins that the byte at 'place' belongs to. */
size_t backlog_line(const struct backlog *, size_t place);

uint64_t backlog_count(const char *lines, size_t size);

/* Takes whole lines off the front. */
void backlog_cut(struct backlog *, size_t size);

/* Gives up the oldest lines, if 'size' more bytes exceed the limit: 'dropped'. */
void backlog_drop(struct backlog *, size_t size);
