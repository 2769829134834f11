/* SPDX-License-Identifier: MIT */
/* The files of a spool that are its own: in which order they are read.  For the thread of run(). */
#pragma once

#include "spool.h"

struct spool_file {
	struct spool_file *next;
	char name[FOLDER_NAME_SIZE]; /* In ".taken". */
	uint64_t number;
	struct extent extent;
	int fd; /* -1: not open. */
	bool at_end;
	bool aside; /* It cannot be read any further. */
};

void taken_free(struct spool_file *);

/* Finds those that were taken before this start; no file must be taken yet.  0
 * or a negative errno. */
int taken_recover(struct spool *);

/* The next one to read, open, which is begun then; NULL without one, or if it must wait. */
struct spool_file *taken_next(struct spool *);

/* Has a file wait for taken_next(), in its place among the others: by number. */
void taken_wait(struct spool *, struct spool_file *);

/* Removes a file of that name in ".taken". */
void taken_remove(struct spool *, const char *name);

/* Leaves a file that cannot be read for a person to look at. */
void taken_set_aside(struct spool *, const struct spool_file *);
