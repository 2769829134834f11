/* SPDX-License-Identifier: MIT */
/* One file of the journal: see formats/journal/frame.h for what is in it.  Functions
 * return 0 or -errno and never log. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "formats/journal/frame.h"

#define SEGMENT_BAD "bad"  /* Folder of what was damaged, in the journal's. */
#define SEGMENT_BAD_MAX 16 /* Files kept there. */

struct segment {                /* A file of the journal. */
	uint64_t first, next;   /* Its records: first <= seq < next. */
	uint64_t before, after; /* Samples of the epoch before, and with it. */
	uint64_t size;          /* Bytes that are written and whole. */
	uint64_t serial;        /* Distinguishes files that had the same name. */
	bool sealed;            /* Its last frame says so. */
};

struct segment_damage {         /* Found, counted and kept aside. */
	uint64_t pieces, bytes; /* In the middle. */
	uint64_t torn;          /* Bytes at the end, cut off. */
};

/* Makes a file that has a head and these frames from the moment it has its
 * name; replaces one of that name.  A descriptor for writing, or -errno. */
int segment_create(int folder, const struct frame_segment *head, const uint8_t *frames, size_t size,
		   bool sync);

/* Writes whole frames at the end 'at' in one go; when that fails only a torn tail is after 'at',
 * and that only if it cannot be cut off either. */
int segment_append(int file, uint64_t at, const uint8_t *frames, size_t size);

/* Writes the last frame. */
int segment_seal(int file, const struct segment *, uint64_t epoch);

/* Opens a file to read it, if it is one and no link. */
int segment_open(int folder, uint64_t first, uint64_t epoch);

/* Finds out what is in a file left by another process.  Of one that was not
 * sealed, a torn tail is kept aside and cut off.  -EPROTO: another version. */
int segment_recover(int folder, uint64_t first, uint64_t epoch, struct segment *,
		    struct segment_damage *);

/* Keeps bytes aside that are not a frame; drops them if that fails. */
void segment_keep_bad(int folder, const struct segment *, uint64_t at, const uint8_t *bytes,
		      size_t size);

/* Moves a file to the others that are damaged; it is never removed. */
int segment_set_aside(int folder, const char *name);
