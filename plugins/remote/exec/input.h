/* SPDX-License-Identifier: MIT */
/* The lines of programs that speak collectd's plain text protocol: see
 * collectd-exec(5), "EXEC DATA FORMAT".  Only run(). */
#ifndef EXEC_INPUT_H
#define EXEC_INPUT_H

#include <collector/kit/buffer.h>
#include <collector/kit/spawn.h>
#include <collector/plaintext.h>

struct input {
	struct mc_ctx *ctx;
	struct mc_batch *batch;   /* Of this round; NULL: none is begun. */
	struct mc_series *series; /* Of the line, if it was known. */
	struct mc_plain_context context;
	struct mc_plain plain;
	struct mc_buffer line;
	char fault[320];
};

void input_init(struct input *, struct mc_ctx *);
void input_done(struct input *);

/* A round begins: what comes in it comes now, and is one batch. */
void input_begin(struct input *);
void input_end(struct input *);

/* The batch of this round. */
struct mc_batch *input_batch(struct input *);

/* Takes a line, of values that come each 'interval'.  NULL, or what is wrong
 * with it, "prints ...", until the next call. */
const char *input_line(struct input *, const struct mc_child_line *,
		       mc_time interval);

#endif
