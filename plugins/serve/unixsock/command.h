/* SPDX-License-Identifier: MIT */
/* Executes the lines of clients and writes the replies.  Only run(). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <collector/plugin.h>

#include "commits.h"
#include "errands.h"
#include "formats/plaintext/plaintext.h"
#include "reply.h"

/* Bytes of a line, '\n' excluded. */
#define COMMAND_LINE_MAX ((size_t)8 << 10)

struct command {
	struct mc_ctx *ctx;
	struct commits commits;
	struct errands errands;
	struct client *client;    /* Whose lines they are. */
	struct mc_batch *batch;   /* PUTVALs not yet committed; NULL: none. */
	struct mc_series *series; /* Of the line, if it was known. */
	struct mc_plain_context context;
	struct mc_plain plain; /* The line that is executed now. */
};

void command_init(struct command *, struct mc_ctx *);

/* Says that the lines from here on have arrived now, of this client. */
void command_begin(struct command *, struct client *);

enum command_next {
	COMMAND_DONE,
	COMMAND_FOLLOWS, /* TAP: the client now follows the stream. */
	COMMAND_WAITS,   /* Its reply comes from errands_next(). */
};

/* Executes one line, which it changes, and appends the reply.  The stream that a client follows is
 * of those whose name matches 'glob', which lies in the line (NULL: all). */
enum command_next command_line(struct command *, struct mc_buffer *, char *line, size_t size,
			       const char **glob);

/* Commits what was put; the replies wait as commits_wait() says. */
void command_end(struct command *);

/* Takes back in replies that values were put. */
void command_take_back(struct mc_buffer *);
