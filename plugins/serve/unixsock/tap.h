/* SPDX-License-Identifier: MIT */
/* TAP: the clients that follow the stream of samples and notifications, and their output.
 * Thread: the writer's of the instance fills the buffers, its run() empties them; neither waits
 * for the other longer than a copy takes. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include <collector/kit/lock.h>
#include <collector/kit/loop.h>
#include <collector/plugin.h>

#include "reply.h"

/* Output for one client; lines beyond it are dropped and counted. */
#define TAP_MAX ((size_t)256 << 10)
#define TAPS_MAX 16

struct tap {        /* The lock is the board's. */
	char *glob; /* NULL: everything. */
	struct tap *next MC_GUARDED_BY(lock);
	struct mc_buffer waiting MC_GUARDED_BY(lock);
	/* Lines dropped since the last LOST line. */
	uint64_t lost MC_GUARDED_BY(lock);
};

struct tap_board {
	pthread_mutex_t lock;
	struct tap *first MC_GUARDED_BY(lock);
	unsigned len MC_GUARDED_BY(lock);
	struct mc_loop_wakeup wakeup; /* Something was put into a buffer. */
};

/* 0 or -errno.  tap_done() follows in any case, and is fine with zeros. */
int tap_init(struct tap_board *);
void tap_done(struct tap_board *);

/* For run().  Starts to follow; 'glob' is copied. */
struct tap *tap_open(struct tap_board *, const char *glob);
void tap_close(struct tap_board *, struct tap *);
unsigned tap_len(struct tap_board *);

/* Moves what waits into 'out', which must be empty. */
void tap_take(struct tap_board *, struct tap *, struct mc_buffer *out);

/* For write() and notify(). */
void tap_batch(struct tap_board *, const struct mc_batch *);
void tap_notification(struct tap_board *, const struct mc_notification *);
