/* SPDX-License-Identifier: MIT */
/* The file of the catalogue: appended to, and written anew by way of another file.  No function
 * logs.  Thread: one at a time; each may wait for a disk. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/catalogue/catalogue_record.h"

struct catalogue_file {
	char *path;
	int fd;            /* -1: it is not open. */
	uint64_t size;     /* Bytes, */
	uint64_t size_new; /* and those that it had when it was written anew. */
	bool is_earlier;   /* It is of an earlier version: not to be appended to. */
};

struct catalogue_file_damage { /* All zero: none. */
	uint64_t bytes;        /* That are not records, and were skipped or cut off. */
	bool foreign;          /* It is of a later version or no catalogue: it is now PATH.old. */
};

/* Opens it, makes it if it does not exist, and shows its records.  Returns 0 or a negative errno:
 * -EBUSY: another process has it. */
int catalogue_file_open(struct catalogue_file *, const char *path,
			void (*show)(void *argument, const struct catalogue_record *),
			void *argument, struct catalogue_file_damage *);

/* Appends records, and syncs them.  0, or a negative errno, and the file is as before. */
int catalogue_file_append(struct catalogue_file *, const uint8_t *records, size_t size);

/* Whether so much is out of date that it should be written anew. */
bool catalogue_file_is_old(const struct catalogue_file *);

/* Writes it anew: begin, then the records, then end, which puts it in place if all is well.
 * The last one returns 0, or the first error; the file then is as before. */
struct catalogue_rewrite {
	int fd, error;
	uint64_t size;
};
void catalogue_file_rewrite_begin(struct catalogue_file *, struct catalogue_rewrite *);
void catalogue_file_rewrite_add(struct catalogue_rewrite *, const uint8_t *records, size_t size);
int catalogue_file_rewrite_end(struct catalogue_file *, struct catalogue_rewrite *);

void catalogue_file_close(struct catalogue_file *);
