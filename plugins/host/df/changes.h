/* SPDX-License-Identifier: MIT */
/* Whether the mount table has changed: proc(5), "/proc/pid/mounts", poll(2). */
#pragma once

#include <stdbool.h>

struct changes { /* Zeroed: nothing is known. */
	bool watching;
	int fd; /* Of the file, if 'watching'. */
};

/* Whether the file may have changed since the last call; a change after that is reported the next
 * time.  True for a file that is not the kernel's, or cannot be opened. */
bool changes_seen(struct changes *, const char *path);

/* Forgets all: the next answer is true. */
void changes_forget(struct changes *);
