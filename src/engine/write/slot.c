/* SPDX-License-Identifier: MIT */
/* Pointers that series carry for a writer. */
#include "engine/write/slot.h"

#include <assert.h>
#include <stdlib.h>

#include "engine/store/store_internal.h"
#include "engine/write/writer_internal.h"

void slot_set(struct writer *writer, unsigned slot)
{
	writer->slot = slot;
	writer->context->ctx.slot = slot + 1; /* See mc_slot(). */
}

unsigned slot_of(const struct writer *writer)
{
	return writer->slot;
}

void slot_forget(struct writer *writer, void *slot)
{
	struct context *context = writer->context;

	if (context->callbacks->forget != NULL)
		context->callbacks->forget(&context->ctx, slot);
	else
		free(slot);
}

void slot_forget_rest(struct writer *writer)
{
	struct queue_item item;
	bool got;

	do {
		pthread_mutex_lock(&writer->worker.lock);
		got = queue_pop(&writer->worker.queue, &item);
		pthread_mutex_unlock(&writer->worker.lock);
		if (got && item.kind == QUEUE_FORGET)
			slot_forget(writer, item.slot);
		if (got && item.kind == QUEUE_ENDED)
			store_release(writer->context->registry->store, item.batch);
		if (got)
			queue_item_done(&item);
	} while (got);
}

void slot_end(struct writer *writer, void *pointer)
{
	struct queue_item item = { .kind = QUEUE_FORGET, .slot = pointer };

	pthread_mutex_lock(&writer->worker.lock);
	queue_push(&writer->worker.queue, &item);
	if (writer->worker.state < WORKER_DONE) /* Else slot_forget_rest() finds it. */
		worker_wake(&writer->worker, WORKER_AT_ONCE);
	writer_unlock(writer);
}

/* --- All series ------------------------------------------------------- */

#define PIECE 256 /* Series for which the lock is taken once. */

/* Those of series that have left the table, from '*at' on, NULL: of the first.  They stay on their
 * list while store->clearing is not 0; a series revived meanwhile still knows the next one.
 * False: these were the last. */
static bool take_some(struct store *store, struct mc_series **at, unsigned slot,
		      void *pointers[PIECE]) MC_REQUIRES(store->lock)
{
	struct mc_series *series = *at != NULL ? *at : store->retired;

	for (unsigned i = 0; i < PIECE && series != NULL; i++) {
		pointers[i] = *series_slot(series, slot);
		*series_slot(series, slot) = NULL;
		series = series->next_retired;
	}
	*at = series;
	return series != NULL;
}

void slot_clear(struct store *store, struct mc_batch *batch, unsigned slot,
		void (*visit)(void *argument, void *pointer), void *argument)
{
	struct mc_series **all, *at = NULL;
	bool more;
	size_t len;

	assert(batch != NULL);
	pthread_mutex_lock(&store->lock);
	store->clearing++;
	while (store->freeing > 0)
		pthread_cond_wait(&store->freed, &store->lock);
	pthread_mutex_unlock(&store->lock);
	do {
		void *pointers[PIECE] = { NULL };

		pthread_mutex_lock(&store->lock);
		more = take_some(store, &at, slot, pointers);
		pthread_mutex_unlock(&store->lock);
		for (unsigned i = 0; i < PIECE; i++)
			if (pointers[i] != NULL)
				visit(argument, pointers[i]);
	} while (more);
	len = store_all(store, &all);
	pthread_mutex_lock(&store->lock);
	store->clearing--;
	pthread_mutex_unlock(&store->lock);
	for (size_t i = 0; i < len; i++) {
		void **pointer = series_slot(all[i], slot);

		if (*pointer != NULL)
			visit(argument, *pointer);
		*pointer = NULL;
	}
	free(all);
}
