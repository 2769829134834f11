/* SPDX-License-Identifier: MIT */
/* Growth of memory over the last minute, and the shares of those that grew in a wait for memory:
 * pure functions. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "top.h"

#define GROWTH_STEPS 7                          /* Kept: with a step each ten seconds a minute. */
#define GROWTH_MIN (UINT64_C(64) * 1024 * 1024) /* Less is not worth a name. */
#define GROWTH_TOP 3

struct growth { /* All zero: nothing is known. */
	uint64_t now;
	uint64_t steps[GROWTH_STEPS]; /* Bytes, the newest first. */
	unsigned steps_len;
};

/* A step: takes what is used now.  One that 'is_new' had nothing a step before. */
void growth_step(struct growth *growth, uint64_t bytes, bool is_new);

/* By how much it grew since the oldest step; 0 if it shrank. */
uint64_t growth_of(const struct growth *growth);

/* Shares a wait among those that grew, by how much, of which the victim is one: the largest others,
 * of at least GROWTH_MIN. */
void growth_blame(const uint64_t *grown, size_t len, size_t victim, double wait, struct top *out);
