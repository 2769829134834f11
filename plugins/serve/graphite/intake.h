/* SPDX-License-Identifier: MIT */
/* From lines and pickles to batches.  One thread. */
#pragma once

#include <collector/kit/buffer.h>

#include "formats/graphite/pickle.h"
#include "kit/series/paths.h"
#include "refused.h"
#include "sender.h"

enum protocol { PROTOCOL_PLAINTEXT, PROTOCOL_PICKLE, PROTOCOL_OPENTSDB };

struct intake {
	struct mc_ctx *ctx;
	struct mc_paths *paths;
	struct pickle *pickle;
	struct refused *refused;
	struct mc_buffer path; /* Of a line "put". */
	struct mc_buffer sent; /* A path that is taken apart. */

	struct mc_batch *batch;          /* NULL: none is begun. */
	size_t batch_len;                /* Points. */
	struct sockaddr_storage address; /* The sender's. */
	struct sender *sender;           /* Its quota is charged. */
};

void intake_done(struct intake *);

/* The next bytes come from that sender; the address is copied. */
void intake_from(struct intake *, struct sender *, const struct sockaddr_storage *);

/* Takes all whole lines at 'text'; with 'ends' also one without a newline.
 * Returns how many bytes that were. */
size_t intake_lines(struct intake *, enum protocol, const char *text, size_t size, bool ends);

/* Takes a pickle, without its size; false: it is refused. */
bool intake_pickle(struct intake *, const void *bytes, size_t size);

/* Something else comes to nothing. */
void intake_refuse(struct intake *, enum refused_reason);

/* Commits what there is. */
void intake_commit(struct intake *);
