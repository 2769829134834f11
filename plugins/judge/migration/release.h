/* SPDX-License-Identifier: MIT */
/* Commits values that have waited for those of a guest's old host, by a thread of its own; see
 * handover.h. */
#pragma once

#include <collector/kit/loop.h>
#include <collector/plugin.h>

#include <pthread.h>

#include "moves.h"
#include "state.h"
#include "tally.h"

struct release {
	/* The caller's: 'lock' guards the next two. */
	struct mc_ctx *ctx;
	pthread_mutex_t *lock;
	struct moves *moves;
	struct tally *tally;
	struct state *state;

	struct mc_loop loop;
	struct mc_loop_wakeup wakeup;
	struct mc_loop_timer turn;
};

/* start(), run(), which at its end commits all that waits, and stop(). */
int release_start(struct release *);
int release_run(struct release *);
void release_stop(struct release *);

/* Something waits.  Thread: any. */
void release_wake(struct release *);

/* Bit of each source of a type that begins with the process of a guest. */
uint64_t release_counters(const struct mc_type *);

/* The reason for which a sample is not taken. */
const char *release_why(enum moves_verdict);
