/* SPDX-License-Identifier: MIT */
/* The file of raws.h, mapped: its pages are the kernel's, so what was stored in them is there after
 * a kill.  After a power cut some of it is old, so one of another boot is not used: then the text
 * of record.h has what is known. */
#pragma once

#include "raws.h"

struct raws_file { /* All zero: no file. */
	struct raws raws;
	char *path, *new_path;
	void *memory;
	int fd; /* Of a mapped one. */
	size_t size;
};

/* Counters that a killed process has left there; nothing if it is of another boot, damaged, or not
 * there. */
struct raws_left raws_file_read(const char *path);

/* Makes an empty one beside it, and puts it in place of it, when all that was left is in it.  0, or
 * -errno: no file is mapped then. */
int raws_file_open(struct raws_file *, const char *path);
int raws_file_place(struct raws_file *);

/* Gets more room on the disk if half of it is used; may wait for the disk.  Returns the capacity,
 * which the caller sets when it has the lock of 'raws'. */
size_t raws_file_grow(struct raws_file *, size_t used);

/* And removes it, if the text of record.h has all. */
void raws_file_close(struct raws_file *, bool remove);
