/* SPDX-License-Identifier: MIT */
/* The notifications that wait for a writer, in a notification queue of their own: a writer takes
 * them before its batches, and while a batch has to be offered again.  When they are too many
 * bytes, the oldest go.  The writer's lock guards it. */
#pragma once

#include <stdbool.h>

#include <collector/plugin.h>

#define NOTIFICATION_QUEUE_SIZE_MIN                                                                \
	((size_t)64 << 10) /* No notification queue has a lower limit. */

struct notification_queue_item {
	struct notification_queue_item *next;
	struct mc_notification *notification; /* Owned. */
	size_t size;                          /* Size of both, in bytes. */
};

struct notification_queue {
	struct notification_queue_list {
		struct notification_queue_item *first, *last;
		uint64_t len;
	} waiting, taken; /* Taken: of the notify() that runs. */
	size_t size, limit;
	mc_time due; /* Nothing is taken before. */
};

void notification_queue_init(struct notification_queue *, size_t limit);
void notification_queue_done(struct notification_queue *);

/* Notifications beyond a new limit go when the next one comes. */
void notification_queue_set_limit(struct notification_queue *, size_t limit);

/* A copy of a notification, to be pushed, and what frees it otherwise. */
struct notification_queue_item *notification_queue_item_new(const struct mc_notification *);
void notification_queue_item_free(struct notification_queue_item *);

/* Adds an item, which is the notification queue's from now on.  Returns how
 * many of the oldest had to go for it. */
uint64_t notification_queue_push(struct notification_queue *, struct notification_queue_item *);

/* When something can be taken; CLOCK_NEVER: nothing waits. */
mc_time notification_queue_due(const struct notification_queue *);

/* Takes the oldest that waits; NULL if none does.  It lives until notification_queue_settle(). */
const struct mc_notification *notification_queue_take(struct notification_queue *);

/* Ends the taken ones, or has them wait again where they were.  Returns their number. */
uint64_t notification_queue_settle(struct notification_queue *, bool again);

/* Appends all that wait to those of another notification queue; returns how many had to go for
 * that. */
uint64_t notification_queue_move(struct notification_queue *from, struct notification_queue *to);

/* Drops all that wait; returns how many. */
uint64_t notification_queue_drop(struct notification_queue *);
