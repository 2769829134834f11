/* SPDX-License-Identifier: MIT */
/* Reports to a writer series that have fallen silent, or have values again. */
#pragma once

#include <stdbool.h>

struct mc_batch;
struct queue_item;
struct writer;

/* Whether it wants to know. */
bool ended_is_wanted(const struct writer *);

/* Puts them in the queue of a writer that wants to know, a reference taken: the series of a batch,
 * begun before they were retired; the interval of each sample is the time for which that series
 * has been silent.  Where too many wait they are dropped, and counted as a lost notification.
 * Thread: any. */
void ended_put(struct writer *, struct mc_batch *);

/* Calls ended() for each.  Thread: the writer's. */
void ended_hand_out(struct writer *, const struct queue_item *);
