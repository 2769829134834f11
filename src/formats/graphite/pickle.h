/* SPDX-License-Identifier: MIT */
/* Pickles as carbon's relays send them: a list of (path, (time, value)).
 *
 * A pickle is a program for a machine with a stack, which can build any object and call any
 * function.  This machine has no instruction that does: it knows texts, numbers, tuples, lists and
 * the memo, and a pickle with anything else is refused.
 *
 * Facts: the module pickletools of Python; carbon's MetricPickleReceiver.  Pure. */
#pragma once

#include "formats/graphite/line.h"

struct pickle; /* The memory of a machine, to be used again. */

/* While a pickle is read that memory is at most this multiple of its size: enough for the shortest
 * points there are, and for none with only marks, tuples of tuples or a memo.  No more than 3 MiB
 * of the memory of a large one are kept. */
#define PICKLE_MEMORY_FACTOR 14

struct pickle *pickle_new(void);
void pickle_free(struct pickle *); /* NULL is fine. */

/* Size of that memory in bytes. */
size_t pickle_memory(const struct pickle *);

struct pickle_taker {
	/* Is called for each point; for an invalid one with its fault, and an empty path. */
	void (*take)(void *argument, enum line_fault, const struct mc_point *);
	void *argument;
};

/* Reads one, of 'size' bytes.  False, and the reason in '*why', if it is invalid, or does
 * something forbidden; take() was called for points before that. */
bool pickle_read(struct pickle *, const unsigned char *bytes, size_t size,
		 const struct pickle_taker *, const char **why);
