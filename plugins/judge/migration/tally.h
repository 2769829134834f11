/* SPDX-License-Identifier: MIT */
/* How many values of each hypervisor were not taken.  Pure. */
#pragma once

#include "moves.h"

#define TALLY_HOSTS_MAX 4096 /* Those of further ones are not counted. */

struct tally_host {
	struct mc_map_node node;
	uint64_t late, refused;
	char name[STREAM_PART_SIZE];
};

struct tally { /* All zero: none. */
	struct mc_map hosts;
};

void tally_count(struct tally *, const char *stream, enum moves_verdict);

/* All of them, to be freed; their nodes mean nothing. */
struct tally_host *tally_copy(const struct tally *, size_t *len);

void tally_done(struct tally *);
