/* SPDX-License-Identifier: MIT */
/* Lines PUTVAL and PUTNOTIF that a program
 * prints, as collectd-exec(5) has them, put into batches.
 *
 * All functions are for one thread. */
#pragma once

#include <collector/kit/buffer.h>
#include <collector/kit/spawn.h>

#include "formats/plaintext/plaintext.h"

struct mc_plain_input {
	struct mc_ctx *ctx;
	struct mc_batch *batch;   /* Of this round; NULL: none is begun. */
	struct mc_series *series; /* Of the line, if it was known. */
	struct mc_plain_context context;
	struct mc_plain plain;
	struct mc_buffer line;
	char fault[320];
};

void mc_plain_input_init(struct mc_plain_input *, struct mc_ctx *);
void mc_plain_input_done(struct mc_plain_input *);

/* Ends a round, which has begun with its first line: its values have the time of then, and are one
 * batch. */
void mc_plain_input_end(struct mc_plain_input *);

/* The batch of this round, and its time. */
struct mc_batch *mc_plain_input_batch(struct mc_plain_input *);
mc_time mc_plain_input_now(struct mc_plain_input *);

/* Takes a line, of values that come each 'interval'.  NULL, or what is wrong
 * with it, "prints ...", until the next call. */
const char *mc_plain_input_line(struct mc_plain_input *, const struct mc_child_line *,
				mc_time interval);
