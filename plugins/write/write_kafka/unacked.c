/* SPDX-License-Identifier: MIT */
#include "unacked.h"

#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

/* --- Messages --------------------------------------------------------------- */

/* Copies bytes to '*at', which moves on. */
static const char *copy(char **at, const char *bytes, size_t size)
{
	char *begin = *at;

	memcpy(begin, bytes, size);
	*at += size;
	return begin;
}

void unacked_add(struct unacked *unacked, struct unacked_batch *batch,
		 const struct message *message)
{
	size_t key_size = message->key != NULL ? strlen(message->key) : 0;
	size_t stream_size = strlen(message->stream) + 1, number_size = strlen(message->number) + 1;
	size_t topic_size = message->topic != NULL ? strlen(message->topic) + 1 : 0;
	struct unacked_message *added = mc_alloc(sizeof(*added) + key_size + message->size +
						 stream_size + number_size + topic_size);
	char *at = added->text;

	*added = (struct unacked_message){
		.batch = batch,
		.samples_len = message->samples_len,
		.key_size = key_size,
		.size = message->size,
	};
	added->bytes = copy(&at, message->bytes, message->size);
	if (message->key != NULL)
		added->key = copy(&at, message->key, key_size);
	if (message->topic != NULL)
		added->topic = copy(&at, message->topic, topic_size);
	if (stream_size > 1) {
		added->stream = copy(&at, message->stream, stream_size);
		added->number = copy(&at, message->number, number_size);
	}
	added->previous = unacked->last;
	if (unacked->last != NULL)
		unacked->last->next = added;
	else
		unacked->first = added;
	unacked->last = added;
	if (unacked->unsent == NULL)
		unacked->unsent = added;
	batch->left++;
}

static struct unacked_message *first_unsent(struct unacked_message *message)
{
	while (message != NULL && (message->sent || message->held))
		message = message->next;
	return message;
}

void unacked_sent(struct unacked *unacked)
{
	unacked->unsent->sent = true;
	unacked->unsent = first_unsent(unacked->unsent->next);
}

static void remove_message(struct unacked *unacked, struct unacked_message *message)
{
	if (message == unacked->unsent)
		unacked->unsent = first_unsent(message->next);
	if (message->previous != NULL)
		message->previous->next = message->next;
	else
		unacked->first = message->next;
	if (message->next != NULL)
		message->next->previous = message->previous;
	else
		unacked->last = message->previous;
	free(message);
}

void unacked_done(struct unacked *unacked, struct unacked_message *message, bool refused)
{
	message->batch->left--;
	if (refused)
		message->batch->refused[unacked->topic] += message->samples_len;
	remove_message(unacked, message);
}

void unacked_again(struct unacked *unacked)
{
	for (struct unacked_message *m = unacked->first; m != NULL; m = m->next)
		m->sent = false;
	unacked->unsent = first_unsent(unacked->first);
}

void unacked_hold(struct unacked *unacked, struct unacked_message *message)
{
	message->sent = false;
	message->held = true;
	message->tenant->held++;
	unacked->held_size += message->size;
	if (message == unacked->unsent)
		unacked->unsent = first_unsent(message);
}

void unacked_release(struct unacked *unacked, mc_time now)
{
	for (struct unacked_message *m = unacked->first; m != NULL; m = m->next) {
		if (!m->held || !tenant_topic_is_due(m->tenant, now))
			continue;
		m->held = false;
		m->tenant->held--;
		unacked->held_size -= m->size;
	}
	unacked->unsent = first_unsent(unacked->first);
}

void unacked_free(struct unacked *unacked)
{
	while (unacked->first != NULL)
		remove_message(unacked, unacked->first);
	unacked->held_size = 0;
}

/* --- Batches ---------------------------------------------------------------- */

struct unacked_batch *unacked_begin(struct unacked_batches *batches)
{
	struct unacked_batch *batch =
		mc_alloc_zero(sizeof(*batch) + batches->topics_len * sizeof(*batch->refused));

	if (batches->last != NULL)
		batches->last->next = batch;
	else
		batches->first = batch;
	batches->last = batch;
	return batch;
}

static void take_first(struct unacked_batches *batches)
{
	struct unacked_batch *batch = batches->first;

	batches->first = batch->next;
	if (batches->first == NULL)
		batches->last = NULL;
	free(batch);
}

static uint64_t refused_of(const struct unacked_batches *batches, const struct unacked_batch *batch)
{
	uint64_t refused = 0;

	for (size_t i = 0; i < batches->topics_len; i++)
		if (batch->refused[i] > refused)
			refused = batch->refused[i];
	return refused;
}

void unacked_settle(struct unacked_batches *batches, struct unacked_result *result)
{
	struct unacked_batch *batch;

	while ((batch = batches->first) != NULL && batch->whole && batch->left == 0) {
		if (batch->recorded) {
			result->recorded = true;
			result->end = batch->end;
		}
		result->samples += batch->samples;
		result->refused += refused_of(batches, batch);
		take_first(batches);
	}
}

uint64_t unacked_free_batches(struct unacked_batches *batches)
{
	uint64_t samples = 0;

	while (batches->first != NULL) {
		samples += batches->first->whole ? batches->first->samples : 0;
		take_first(batches);
	}
	return samples;
}
