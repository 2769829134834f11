/* SPDX-License-Identifier: MIT */
/* The current instances of an engine, and those of them that write.  This page explains how they
 * are gone through without a lock while a reload replaces them: by RCU, read-copy-update.
 *
 * The problem.  Every batch goes to every writer, from many threads at once, a hundred thousand
 * times a second.  A reload changes who these writers are, once a month.  With a mutex around the
 * list every batch would pay for the reload, and a reader-writer lock is a mutex here, too: all
 * threads would write to its one counter.  An atomic pointer to the list is cheap, but is half a
 * solution: a thread that has loaded the pointer may still go through the old list when the reload
 * frees it.
 *
 * The idea.  A set of instances is never changed.  A change makes a copy with the change in it, and
 *
 *   publishes      the copy: one store of a pointer.  Later visitors see the new
 *                  set, whole; those in the old one see that, whole.
 *   waits for a    until nobody is left that may have seen the old set.  New
 *   grace period   visitors do not make it longer: they see the new one.
 *   reclaims       the old set, and stops what was only in that.
 *
 * The code of a thread between instance_set_read_lock() and _read_unlock() is a read-side critical
 * section.  The two names are those of the field; they take no lock: they never wait, and never
 * keep anybody out.
 *
 * How the end is detected.  There are two phases, 0 and 1, each with a counter.  A critical
 * section counts itself in the phase of its beginning, and out of the same phase at its end.  The
 * publisher stores the pointer, then turns the phase, then waits until the counter of the old
 * phase is 0, a quiescent state: sections that began before are over.  (Linux calls this kind
 * SRCU: sections may sleep, and are counted instead of being ended by a context switch.)  A
 * section may load the phase, lose its processor, and count itself only after the phase has
 * turned; so it looks again after it has counted itself, and begins anew if the phase is another
 * one.  The loads and stores are sequentially consistent: a section that sees the new phase sees
 * the new pointer.
 *
 *   a batch                            a reload
 *   -------                            --------
 *   visit = ..._read_lock(sets)
 *   goes through visit.instance_set    next = instance_set_new(...)
 *   :                                  instance_set_add(next, ...)
 *   :                                  ..._publish(sets, next, until):
 *   :                                    current = next, phase turned
 *   :                                    waits
 *   ..._read_unlock(sets, visit)         the old set is freed
 *                                      stops the instances that have left
 *
 * What follows from it.  A critical section must be short, and must not call into a plugin that
 * may hang: a reload waits for it, but not for ever: when 'until' is over the old set stays
 * allocated, and the instances that were only in it are abandoned instead of being stopped.  There
 * is one old phase, so the next reload has to wait until that is quiescent.  And a pointer out of
 * the set is good in the section only; an instance to be used later needs another reason to live,
 * such as that instances are freed by the main thread alone.
 *
 * Series are reclaimed in another way, without visitors that count: see engine/store/store.h. */
#pragma once

#include <collector/plugin.h>

struct instance;
struct journal_writer;
struct judge_list;
struct writer;

struct instance_set {
	struct instance **instances;
	unsigned instances_len;
	struct judge_list *judges; /* The judges among those; may be NULL. */
	struct writer **writers;   /* Of those instances that have one. */
	unsigned writers_len;
	struct journal_writer *journal_writer; /* NULL: batches go without a journal. */
	struct instance_set *older;            /* That somebody may still be in. */
};

struct instance_sets { /* All zero at first. */
	struct instance_set *_Atomic current;
	_Atomic unsigned phase;
	_Atomic unsigned inside[2]; /* Critical sections, by their phase. */
};

struct instance_set_reader { /* A read-side critical section. */
	const struct instance_set *instance_set;
	unsigned phase;
};

/* An empty one, and instances added to it, each with its writer, or NULL;
 * before it is published. */
struct instance_set *instance_set_new(struct journal_writer *);
void instance_set_add(struct instance_set *, struct instance *, struct writer *);
void instance_set_add_writer(struct instance_set *, struct writer *);
void instance_set_free(struct instance_set *); /* The older ones, too. */

/* The instance set of this moment, which stays whole until instance_set_read_unlock().  Thread:
 * any; not for long: a change waits for it. */
struct instance_set_reader instance_set_read_lock(struct instance_sets *);
void instance_set_read_unlock(struct instance_sets *, struct instance_set_reader);

/* Whether the set before the current one is free of visitors; if not, the current one cannot be
 * replaced.  Thread: the main one, as the rest. */
bool instance_set_is_quiescent(struct instance_sets *);

/* Makes a set the current one, waits for a grace period, and frees the one
 * before.  False if that does not end by 'until', in real time. */
bool instance_set_publish(struct instance_sets *, struct instance_set *, mc_time until);
