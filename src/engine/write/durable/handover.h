/* SPDX-License-Identifier: MIT */
/* Hands over from a writer to its successor: batches and notifications that it has not delivered.
 * The successor finds records in the journal itself. */
#pragma once

#include <collector/plugin.h>

struct queue_item;
struct writer;

/* Subscribes as the other one does, until mc_subscribe() decides; before it is published. */
void handover_expect(struct writer *successor, struct writer *from);

/* Its instance has started: without a call of mc_subscribe() it takes its plugin's default, and
 * drops what came beyond that. */
void handover_settle(struct writer *successor);

/* Like writer_stop(), but what is not delivered is kept for the successor, and
 * not offered again and again. */
void handover_stop(struct writer *, mc_time until);

/* Keeps a batch that write() has not taken, if there is a successor for it.  Thread: the
 * writer's. */
bool handover_keep(struct writer *, const struct queue_item *);

/* Hands over what was not delivered, in front of what the successor has got
 * since. After the join of the one, and before the successor begins. */
void handover_take_over(struct writer *successor, struct writer *from);
