/* SPDX-License-Identifier: MIT */
/* A log file that is written to, renamed and cut by others: its new lines, each
 * once.  For the thread of read(). */
#pragma once

#include <collector/plugin.h>

#define FOLLOW_LINE_MAX 65535 /* Bytes; longer lines are skipped, counted. */

struct follow {     /* All zero: not looked at yet. */
	bool begun; /* A file that comes later is read from its start. */
	bool open, skipping;
	int fd;
	dev_t device;
	ino_t inode;
	off_t offset;
	char *text; /* The text read so far, not a whole line yet. */
	size_t used;
	uint64_t skipped; /* Lines. */
};

struct follow_lines { /* The receiver of the lines, without their newline. */
	void (*line)(void *argument, const char *text, size_t size);
	void *argument;
};

/* Takes the lines that are new, until 'until', a time of mc_now(): the rest comes the next time.
 * The first time only the end of the file is found.  When another file has the path, the rest of
 * the old one is taken first.  Returns 0, or a negative errno when there is no file to read; lines
 * taken before count all the same. */
int follow_read(struct follow *, const char *path, mc_time until, const struct follow_lines *);

void follow_done(struct follow *);
