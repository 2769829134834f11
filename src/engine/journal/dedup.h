/* SPDX-License-Identifier: MIT */
/* The last number of every sender with a batch in the journal.
 *
 * The number is in the record itself, so it is there if and only if the data are.  Beside the
 * records lies a table of all numbers up to some record, so that a start need only read the
 * records after it, and old ones may go. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <collector/journal.h>

#define DEDUP_MAX 65536 /* Senders; beyond, the one longest silent goes. */

struct dedup {
	bool used;      /* There is a table. */
	uint64_t saved; /* It holds the numbers of all records before. */

	pthread_mutex_t lock;     /* For all below.  Only the journal writer
				   * changes it, and reads without the lock. */
	struct dedup_item *items; /* In the order of their senders. */
	size_t len, room;
	uint64_t taken; /* In all. */
};

/* Reads the table of that epoch, if there is one that is whole. */
void dedup_open(struct dedup *, int folder, uint64_t epoch);
void dedup_close(struct dedup *);

/* Takes a number that is in the journal now. */
void dedup_take(struct dedup *, const struct mc_dedup_id *);

/* Writes the table, for all records before 'next'.  0 or -errno. */
int dedup_save(struct dedup *, int folder, uint64_t epoch, uint64_t next, bool sync);

/* Thread: any. */
void dedup_show(struct dedup *, void (*show)(void *argument, const struct mc_dedup_id *),
		void *argument);
