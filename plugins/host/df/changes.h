/* SPDX-License-Identifier: MIT */
/* Whether the mount table has changed: proc(5), "/proc/pid/mounts", poll(2). */
#pragma once

#include <stdbool.h>

struct changes { /* Zeroed: nothing is known. */
	bool watching;
	int fd; /* Of the file, if 'watching'. */
};

/* Whether the file may show something else than when this was asked before; a
 * change after that is told the next time.  True of a file that is not the
 * kernel's, or cannot be opened. */
bool changes_seen(struct changes *, const char *path);

/* Forgets all: the next answer is true. */
void changes_forget(struct changes *);
