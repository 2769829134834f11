/* SPDX-License-Identifier: MIT */
/* Pickles as carbon's relays send them: a list of (path, (time, value)).
 *
 * A pickle is a program for a machine with a stack, which can build any object
 * and call any function.  This machine has no instruction that does: it knows
 * texts, numbers, tuples, lists and the memo, and a pickle with anything else
 * is refused.
 *
 * Facts: the module pickletools of Python; carbon's MetricPickleReceiver.
 * Pure. */
#pragma once

#include <collector/kit/paths.h>

#include "line.h"

struct pickle; /* The memory of a machine, to be used again. */

/* While a pickle is read that memory is at most so many times its size: enough
 * for the shortest points there are, and for none of what is only marks, tuples
 * of tuples or a memo.  Of what a large one needed no more than 3 MiB are kept.
 */
#define PICKLE_MEMORY_FACTOR 14

struct pickle *pickle_new(void);
void pickle_free(struct pickle *); /* NULL is fine. */

/* Of that memory, in bytes. */
size_t pickle_memory(const struct pickle *);

struct pickle_taker {
	/* Is called for each point; of what is none with its fault, and an
	 * empty path. */
	void (*take)(void *argument, enum line_fault, const struct mc_point *);
	void *argument;
};

/* Reads one, of 'size' bytes.  False, and why in '*why': it is none, or does
 * what it may not; of points before that take() was called. */
bool pickle_read(struct pickle *, const unsigned char *bytes, size_t size,
		 const struct pickle_taker *, const char **why);
