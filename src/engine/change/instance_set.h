/* SPDX-License-Identifier: MIT */
/* Who takes part now: the instances of an engine, and those of them that write.
 *
 * An instance set is never changed, only replaced as a whole: whoever goes
 * through it enters first and leaves afterwards, without a lock, and sees the
 * old one or the new one.  Who replaces it waits until nobody is in the old one
 * any more: then nothing comes from there, and what went with it can be
 * stopped. */
#ifndef COLLECTOR_ENGINE_CHANGE_INSTANCE_SET_H
#define COLLECTOR_ENGINE_CHANGE_INSTANCE_SET_H

#include <collector/plugin.h>

struct engine;
struct instance;
struct journal_writer;
struct writer;

struct instance_set {
	struct instance **instances;
	unsigned instances_len;
	struct writer **writers; /* Of those instances that have one. */
	unsigned writers_len;
	struct journal_writer
		*journal_writer;    /* NULL: batches go without a journal. */
	struct instance_set *older; /* That somebody may still be in. */
};

struct instance_set_epoch { /* All zero at first. */
	_Atomic unsigned phase;
	_Atomic unsigned inside[2]; /* Visitors, by the phase they came in. */
};

struct instance_set_reader {
	const struct instance_set *instance_set;
	unsigned phase;
};

/* An empty one, and instances added to it; before it is put in place. */
struct instance_set *instance_set_new(struct journal_writer *);
void instance_set_add(struct instance_set *, struct instance *);
void instance_set_add_writer(struct instance_set *, struct writer *);
void instance_set_free(struct instance_set *); /* The older ones, too. */

/* The instance set of this moment, which stays whole until
 * instance_set_read_unlock().  Any thread; not for long: a change waits for it.
 */
struct instance_set_reader instance_set_read_lock(struct engine *);
void instance_set_read_unlock(struct engine *, struct instance_set_reader);

/* Whether nobody is left in the instance set before this one; if not, it cannot
 * be replaced.  The main thread, as the rest. */
bool instance_set_is_quiescent(struct engine *);

/* Puts it in place of the one before, and waits until nobody is in that any
 * more: it is then freed.  False if somebody still is at 'until', in real time.
 */
bool instance_set_publish(struct engine *, struct instance_set *,
			  mc_time until);

#endif
