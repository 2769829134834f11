/* SPDX-License-Identifier: MIT */
/* The last number of every sender of which the journal has a batch.
 *
 * The number is in the record itself, so it is there if and only if the data
 * are.  Beside the records lies a table of all numbers up to some record, so
 * that a start need only look at those behind it, and old ones may go. */
#ifndef COLLECTOR_ENGINE_RECEIPTS_H
#define COLLECTOR_ENGINE_RECEIPTS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <collector/plugin.h>

#define RECEIPTS_MAX 65536 /* Senders; beyond, the one longest silent goes. */

struct receipts {
	bool used;      /* There is a table. */
	uint64_t saved; /* It holds the numbers of all records before. */

	pthread_mutex_t lock; /* Guards all below; the recorder alone changes
			       * it. */
	struct receipts_item *items; /* In the order of their senders. */
	size_t len, room;
	uint64_t taken; /* In all. */
};

/* Reads the table of that epoch, if there is one that is whole. */
void receipts_open(struct receipts *, int folder, uint64_t epoch);
void receipts_close(struct receipts *);

/* Takes a number that is in the journal now. */
void receipts_take(struct receipts *, const struct mc_receipt *);

/* Writes the table, for all records before 'next'.  0 or -errno. */
int receipts_save(struct receipts *, int folder, uint64_t epoch, uint64_t next,
		  bool sync);

/* Any thread. */
void receipts_show(struct receipts *,
		   void (*show)(void *argument, const struct mc_receipt *),
		   void *argument);

#endif
