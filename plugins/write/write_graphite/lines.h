/* SPDX-License-Identifier: MIT */
/* Samples as lines of Graphite's plaintext protocol, "PATH VALUE TIME".  The paths of a series, one
 * for each node and source, are made once and kept in its slot.  One thread. */
#pragma once

#include <collector/writer.h>

#include "node.h"

struct lines { /* All zero at first. */
	struct mc_buffer scratch;
	int64_t second;   /* Whose text is: */
	char time[32];    /* " 1700000000\n" */
	size_t time_size; /* 0: of none. */
};

void lines_done(struct lines *);

/* Frees the slot of a series. */
void lines_forget(void *slot);

/* Appends the lines of a sample to the backlog of each node.  A value that is not known has none.
 */
void lines_add(struct lines *, struct mc_ctx *, const struct mc_sample *, struct node *nodes,
	       size_t nodes_len);
