/* SPDX-License-Identifier: MIT */
/* The ledger of a writer's samples. */
#pragma once

#include <stdint.h>

struct mc_writer_status;
struct queue_item;
struct writer;

/* Needs the lock.  The final result of write() for a batch of which 'samples' were queued;
 * -EAGAIN: it has not taken it, and is not asked again. */
void account_batch(struct writer *, const struct queue_item *, uint64_t samples, int rc);

/* Needs the lock.  The ledger as others see it: what write() has taken, and the
 * destination has not acknowledged, is queued. */
void account_status(struct writer *, struct mc_writer_status *out);

/* Samples that were handed to record(), and how many of these it has taken. */
void account_recorded(struct writer *, uint64_t samples, uint64_t taken);
