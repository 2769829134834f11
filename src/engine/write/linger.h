/* SPDX-License-Identifier: MIT */
/* Batches that come one after the other, made one for a writer that asks for
 * it: see mc_linger(). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct queue_item;
struct writer;

/* Needs the lock of the writer, and lets it go meanwhile.  Adds to a batch that was taken from
 * memory those that follow it, as far as they come in time.  Thread: the writer's. */
void linger_collect(struct writer *, struct queue_item *);

/* Adds to a batch that was read from the journal the records that follow it, and to '*samples' how
 * many samples these have. */
void linger_read(struct writer *, struct queue_item *, uint64_t *samples);
