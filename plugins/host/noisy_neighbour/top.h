/* SPDX-License-Identifier: MIT */
/* The largest parts of a whole, in order.  Pure. */
#pragma once

#include <stddef.h>

#define TOP_MAX 4 /* Three are named; one of them may be the victim itself. */

struct top_one {
	size_t user; /* Its number, whatever the caller counts. */
	double part;
};

struct top { /* All zero: empty. */
	size_t len;
	struct top_one items[TOP_MAX]; /* The largest first; of equal ones the first that came. */
};

/* Adds one, if its part is above 0; the smallest of more than 'max', TOP_MAX at most, is dropped.
 */
void top_add(struct top *top, size_t max, size_t user, double part);
