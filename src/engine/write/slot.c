/* SPDX-License-Identifier: MIT */
/* What series carry for a writer. */
#include "engine/write/slot.h"

#include <assert.h>
#include <stdlib.h>

#include "base/alloc.h"
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
			store_release(writer->context->catalog->store,
				      item.batch);
		if (got)
			queue_item_done(&item);
	} while (got);
}

void slot_end(struct writer *writer, void *pointer)
{
	struct queue_item item = { .kind = QUEUE_FORGET, .slot = pointer };

	pthread_mutex_lock(&writer->worker.lock);
	queue_push(&writer->worker.queue, &item);
	if (writer->worker.state <
	    WORKER_DONE) /* Else slot_forget_rest() finds it. */
		worker_wake(&writer->worker, WORKER_AT_ONCE);
	writer_unlock(writer);
}

/* --- All series ------------------------------------------------------- */

struct pointers { /* Taken out of slots. */
	void **items;
	size_t len;
};

/* Those of series that have left the table. */
static struct pointers take_retired(struct store *store, unsigned slot)
	MC_REQUIRES(store->lock)
{
	struct pointers taken = { 0 };

	for (struct mc_series *s = store->retired; s != NULL;
	     s = s->next_retired) {
		void **at = series_slot(s, slot);

		taken.items = alloc_resize(taken.items, taken.len + 1,
					   sizeof(*taken.items));
		taken.items[taken.len] = *at;
		taken.len += *at != NULL;
		*at = NULL;
	}
	return taken;
}

void slot_clear(struct store *store, struct mc_batch *batch, unsigned slot,
		void (*visit)(void *argument, void *pointer), void *argument)
{
	struct pointers retired;
	struct mc_series **all;
	size_t len;

	assert(batch != NULL);
	pthread_mutex_lock(&store->lock);
	store->clearing++;
	retired = take_retired(store, slot);
	while (store->freeing > 0)
		pthread_cond_wait(&store->freed, &store->lock);
	pthread_mutex_unlock(&store->lock);
	len = store_all(store, &all);
	pthread_mutex_lock(&store->lock);
	store->clearing--;
	pthread_mutex_unlock(&store->lock);
	for (size_t i = 0; i < retired.len; i++)
		visit(argument, retired.items[i]);
	for (size_t i = 0; i < len; i++) {
		void **at = series_slot(all[i], slot);

		if (*at != NULL)
			visit(argument, *at);
		*at = NULL;
	}
	free(retired.items);
	free(all);
}
