/* SPDX-License-Identifier: MIT */
/* Failures of a daemon: why it cannot be used, and the losses by that. */
#pragma once

#include <collector/plugin.h>

struct daemon;
struct file;

enum { LOSS_TEXT_SIZE = 1024 }; /* Of a line for the log. */

/* Samples that were accepted and are lost, and why; reported without the lock. */
struct loss {
	uint64_t samples;
	int errnum;
	char text[LOSS_TEXT_SIZE];
	mc_time logged_at; /* When the text was made. */
	size_t key_size;   /* Size of the part common to many files. */
	char reason[128];
};

/* How many samples updates of the file have, lines "second:value...", the last one with or without
 * newline: of a file of several series, a known value of each. */
uint64_t loss_count(const struct file *, const char *updates, size_t size);

/* With the lock.  The same of a line of the backlog; 1 if its file is unknown by now. */
uint64_t loss_of_line(const struct daemon *, const char *line, size_t size);

struct loss_cause {
	int errnum;
	const char *reason;
};

/* Without the lock: says once in the log why the daemon cannot be used. */
void loss_complain(struct daemon *, const char *fmt, ...) MC_PRINTF(2, 3);

/* With the lock: adds to daemon->loss.  'what' is the file; a reason is reported for one file a
 * minute. */
void loss_add(struct daemon *, uint64_t samples, struct loss_cause, const char *what,
	      size_t what_size);

/* By run(), without the lock: reports losses to the core, and logs a recovery. */
void loss_report(struct daemon *);
