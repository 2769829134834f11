/* SPDX-License-Identifier: MIT */
/* The lines of the state file.  Pure functions.
 *
 * The first line says what the file is and its version.  Each other line is what a series has come
 * to, the last one counts: a checksum, then fields between tabs.  Lines are appended, so that a
 * file that was cut has a bad end.  A line that is damaged costs no other. */
#pragma once

#include <collector/kit/buffer.h>

#include "alert.h"

#define STATE_RECORD_HEAD "collector threshold 1\n"

struct state_record { /* MC_STATE_OKAY: nothing stands any more. */
	enum mc_state state;
	bool missing, by_source;
	mc_time since, reported;
	mc_time interval; /* Of the series; 0: unknown. */
	double value;
	const char *source;
	struct mc_id id;
};

/* Appends a line. */
void state_record_write(struct mc_buffer *, const struct state_record *);

/* Shows the records of a file, which it changes; text[size] is overwritten.  Returns the number of
 * lines that are damaged; -1: it is another kind of file, or of another version. */
ssize_t state_record_read(char *text, size_t size,
			  void (*show)(void *argument, const struct state_record *),
			  void *argument);
