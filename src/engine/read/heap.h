/* SPDX-License-Identifier: MIT */
/* Instances by the time of their next read, and those of one time in the order in which they were
 * made: a binary heap.  Guarded by the lock of the scheduler. */
#pragma once

#include <stddef.h>

struct reading;

struct heap {
	struct reading **items;
	size_t len, size;
};

void heap_done(struct heap *);
void heap_push(struct heap *, struct reading *);
struct reading *heap_first(const struct heap *); /* NULL if it is empty. */
struct reading *heap_pop(struct heap *);

/* Takes that one out, if it is in. */
void heap_remove(struct heap *, struct reading *);
