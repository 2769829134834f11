/* SPDX-License-Identifier: MIT */
/* Who takes part now: the instances of an engine, and those of them that write.
 *
 * A roster is never changed, only replaced as a whole: whoever goes through it
 * enters first and leaves afterwards, without a lock, and sees the old one or
 * the new one.  Who replaces it waits until nobody is in the old one any more:
 * then nothing comes from there, and what went with it can be stopped. */
#ifndef COLLECTOR_ENGINE_ROSTER_H
#define COLLECTOR_ENGINE_ROSTER_H

#include <collector/plugin.h>

struct engine;
struct instance;
struct recorder;
struct writer;

struct roster {
	struct instance **instances;
	unsigned instances_len;
	struct writer **writers; /* Of those instances that have one. */
	unsigned writers_len;
	struct recorder *recorder; /* NULL: batches go without a journal. */
	struct roster *older;      /* That somebody may still be in. */
};

struct roster_gate { /* All zero at first. */
	_Atomic unsigned phase;
	_Atomic unsigned inside[2]; /* Visitors, by the phase they came in. */
};

struct roster_visit {
	const struct roster *roster;
	unsigned phase;
};

/* An empty one, and instances added to it; before it is put in place. */
struct roster *roster_new(struct recorder *);
void roster_add(struct roster *, struct instance *);
void roster_add_writer(struct roster *, struct writer *);
void roster_free(struct roster *); /* The older ones, too. */

/* The roster of this moment, which stays whole until roster_leave().  Any
 * thread; not for long: a change waits for it. */
struct roster_visit roster_enter(struct engine *);
void roster_leave(struct engine *, struct roster_visit);

/* Whether nobody is left in the roster before this one; if not, it cannot be
 * replaced.  The main thread, as the rest. */
bool roster_is_settled(struct engine *);

/* Puts it in place of the one before, and waits until nobody is in that any
 * more: it is then freed.  False if somebody still is at 'until', in real time.
 */
bool roster_replace(struct engine *, struct roster *, mc_time until);

#endif
