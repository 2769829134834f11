/* SPDX-License-Identifier: MIT */
/* Disks that are to be extended: which of them is next, and when.  Pure: times are the caller's,
 * and so is the lock.
 *
 * A disk stands in the queue from the first read or event that shows it beyond its watermark until
 * it has been extended, or a try shows that there is nothing to be done any more.  A try that has
 * failed is repeated after a time that doubles. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <collector/kit/backoff.h>
#include <collector/plugin.h>

struct extend_entry { /* At the begin of a struct of the caller's, which is all zero at first. */
	struct extend_entry *next;
	mc_time crossed;   /* When an event last reported that. */
	bool runs;         /* Its program does. */
	unsigned failures; /* In a row. */
	struct mc_backoff backoff;
};

struct extend_queue {
	size_t len_max;     /* Disks at a time, ... */
	size_t running_max; /* ... and programs. */

	struct extend_entry *first; /* The one that came first. */
	size_t len, running;
};

/* Adds a disk at the end; false if there are too many. */
bool extend_queue_add(struct extend_queue *, struct extend_entry *, mc_time retry_max);
void extend_queue_remove(struct extend_queue *, struct extend_entry *);

/* One that is to be begun; NULL: none, until 'due'. */
struct extend_entry *extend_queue_next(const struct extend_queue *, mc_time now, mc_time *due);

/* Its program begins, and has ended. */
void extend_queue_begin(struct extend_queue *, struct extend_entry *);
void extend_queue_end(struct extend_queue *, struct extend_entry *);

/* It is not larger: the next try waits.  It is. */
void extend_queue_failed(struct extend_entry *, mc_time now);
void extend_queue_worked(struct extend_entry *);

/* Whether a disk that was extended stays, as its guest was faster: it is beyond its new watermark,
 * or an event has reported that since 'before'. */
bool extend_queue_stays(const struct extend_entry *, bool beyond, mc_time before);

/* The size that a disk is to have: larger by 'step' bytes or 'percent' of 'size', what is more; no
 * more than a file may have. */
uint64_t extend_queue_wanted(int64_t step, double percent, uint64_t size);
