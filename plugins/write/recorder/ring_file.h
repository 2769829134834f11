/* SPDX-License-Identifier: MIT */
/* The memory of a ring, as a file that outlives a kill of the process: its pages are the kernel's.
 * A process that ends as it should removes it; so one that is there at a start was left by one that
 * did not, and is set aside. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct ring_file {
	void *memory;
	size_t size;
	int fd;       /* Locked, so that no other process takes it; -1: there is no file. */
	bool gave_up; /* One that is there is not read again: see RING_FILE_FAILED. */
};

/* The process that read such a ring did not end as it should either; or another ring was left
 * before this one could be written as a dump. */
#define RING_FILE_FAILED "ring.failed"

/* Makes it in the folder: 0.  -EBUSY: another process uses it.  Another -errno: the memory is
 * there, but is that of this process alone. */
int ring_file_open(struct ring_file *, int folder, size_t size);
void ring_file_close(struct ring_file *, int folder); /* Removes it; all zero and fd -1 is fine. */

/* The ring that a process left which did not end as it should, to be freed with free(); NULL:
 * nothing.  It is set aside first, so that whatever happens, it is tried once. */
void *ring_file_take_left(int folder, size_t *size);

/* It was dealt with; or the next start is to take it. */
void ring_file_forget_left(int folder);
void ring_file_keep_left(int folder);
