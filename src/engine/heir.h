/* SPDX-License-Identifier: MIT */
/* What a writer leaves to the one that takes its place, the heir: batches and
 * notices that it has not delivered.  What is in the journal the heir finds
 * there. */
#ifndef COLLECTOR_ENGINE_HEIR_H
#define COLLECTOR_ENGINE_HEIR_H

#include <collector/plugin.h>

struct queue_item;
struct writer;

/* Takes what the other one takes, until it is said whether it is to; before it
 * is known to anybody. */
void heir_expect(struct writer *heir, struct writer *from);

/* Its instance has started: if nothing was said, it takes what its plugin takes
 * at first, and has got the rest for nothing. */
void heir_settle(struct writer *heir);

/* Like writer_stop(), but what is not delivered is kept for the heir, and not
 * offered again and again. */
void heir_stop(struct writer *, mc_time until);

/* Keeps a batch that write() has not taken, if there is an heir for it.  The
 * writer's thread. */
bool heir_keep(struct writer *, const struct queue_item *);

/* Hands over what was not delivered, in front of what the heir has got since.
 * After the join of the one, and before the heir begins. */
void heir_inherit(struct writer *heir, struct writer *from);

#endif
