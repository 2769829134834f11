/* SPDX-License-Identifier: MIT */
/* Replies of rrdcached, cut into lines: rrdcached(1), PROTOCOL.  A reply is a status line, "6
 * errors", and as many lines as its number says if that is above zero; below zero it is an error.
 * Pure: no input can do more than be refused. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define REPLY_LINE_SIZE 1024 /* Longer ones are cut. */

struct reply { /* All zero: nothing has come yet. */
	char text[REPLY_LINE_SIZE];
	size_t size;
	long left;    /* Lines of the present reply that are still to come. */
	bool refusal; /* The last status was an error, which may have a second
		       * line that no number announces. */
};

enum reply_kind {
	REPLY_NONE,   /* All bytes are taken: more are needed. */
	REPLY_STATUS, /* The first line of a reply. */
	REPLY_DETAIL, /* A line that belongs to it. */
	REPLY_BROKEN, /* This is not the protocol. */
};

struct reply_line {
	enum reply_kind kind;
	bool numbered; /* It starts with a number; a status always does. */
	long number;
	const char *text; /* After the number, or all; until the next call. */
	bool last;        /* The reply ends with it. */
};

/* Takes bytes from '*bytes' up to 'end' until a line is complete. */
struct reply_line reply_next(struct reply *, const char **bytes, const char *end);
