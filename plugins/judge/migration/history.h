/* SPDX-License-Identifier: MIT */
/* Moves of guests that are over: in words, and the figures of the last one as series of the
 * guest. */
#pragma once

#include <collector/judge.h>

#include <pthread.h>

#include "moves.h"

#define HISTORY_LASTS (3600 * MC_SECOND) /* So long the figures of a move are reported. */

struct history { /* The caller's: 'lock' guards 'moves'. */
	pthread_mutex_t *lock;
	const struct moves *moves;
};

/* One line for each move of that guest. */
void history_explain(const struct history *, const char *host, struct mc_answer *);

/* The figures of all guests that have moved lately, and live. */
void history_report(const struct history *, struct mc_ctx *, struct mc_batch *);
