/* SPDX-License-Identifier: MIT */
/* What a writer leaves to the one that takes its place, the successor: batches
 * and notifications that it has not delivered.  What is in the journal the
 * successor finds there. */
#pragma once

#include <collector/plugin.h>

struct queue_item;
struct writer;

/* Takes what the other one takes, until it is said whether it is to; before it
 * is known to anybody. */
void handover_expect(struct writer *successor, struct writer *from);

/* Its instance has started: if nothing was said, it takes what its plugin takes
 * at first, and has got the rest for nothing. */
void handover_settle(struct writer *successor);

/* Like writer_stop(), but what is not delivered is kept for the successor, and
 * not offered again and again. */
void handover_stop(struct writer *, mc_time until);

/* Keeps a batch that write() has not taken, if there is a successor for it. The
 * writer's thread. */
bool handover_keep(struct writer *, const struct queue_item *);

/* Hands over what was not delivered, in front of what the successor has got
 * since. After the join of the one, and before the successor begins. */
void handover_take_over(struct writer *successor, struct writer *from);
