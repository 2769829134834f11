/* SPDX-License-Identifier: MIT */
/* Text on its way to a client: grows as it is written, up to a limit.  Thread: one at a time. */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <collector/plugin.h>

/* The longest text: a LISTVAL of a million series is about this long. */
#define REPLY_MAX ((size_t)128 << 20)

struct reply { /* All zero is an empty one. */
	char *text;
	size_t size, room;
	bool cut; /* Something did not fit, and is missing. */
};

/* Frees the text; the reply is empty again. */
void reply_done(struct reply *);

/* Empties it, and keeps a small buffer for the next one. */
void reply_reset(struct reply *);

void reply_add(struct reply *, const char *text, size_t size);
void reply_print(struct reply *, const char *fmt, ...) MC_PRINTF(2, 3);

/* The same, put in at 'at', before what was added since: the first line of a
 * reply says how many follow. */
void reply_insert(struct reply *, size_t at, const char *text, size_t size);
