/* SPDX-License-Identifier: MIT */
/* Decisions of judges about series: a table that only grows, in chunks that never move. */
#include "engine/judge/decision.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#define NUMBERS 65536

/* Needs the lock, or that the number was given. */
static struct decision *at(const struct decisions *decisions, uint32_t number)
{
	return &atomic_load_explicit(&decisions->chunks[number / DECISION_CHUNK],
				     memory_order_acquire)[number % DECISION_CHUNK];
}

void decision_init(struct decisions *decisions)
{
	pthread_mutex_init(&decisions->lock, NULL);
	decisions->chunks[0] = alloc_array(DECISION_CHUNK, sizeof(struct decision));
	decisions->begin = decisions->len = 1;
	decisions->plain = DECISION_NONE;
}

void decision_done(struct decisions *decisions)
{
	for (unsigned i = 0; i < NUMBERS / DECISION_CHUNK; i++)
		free(decisions->chunks[i]);
	pthread_mutex_destroy(&decisions->lock);
}

static bool equal(const struct decision *a, const struct decision *b)
{
	return a->generation == b->generation && a->excluded == b->excluded &&
	       a->admit_each == b->admit_each && a->route_each == b->route_each &&
	       a->admission == b->admission && a->routed == b->routed && a->reported == b->reported;
}

/* Needs the lock.  Returns 0 if no number is left. */
static uint16_t add(struct decisions *decisions, const struct decision *decision)
{
	uint32_t number = decisions->len;

	if (number == NUMBERS)
		return 0;
	if (decisions->chunks[number / DECISION_CHUNK] == NULL)
		atomic_store_explicit(&decisions->chunks[number / DECISION_CHUNK],
				      alloc_array(DECISION_CHUNK, sizeof(struct decision)),
				      memory_order_release);
	*at(decisions, number) = *decision;
	decisions->len++;
	return number;
}

uint16_t decision_keep(struct decisions *decisions, const struct decision *decision)
{
	uint16_t number = 0;

	pthread_mutex_lock(&decisions->lock);
	for (uint32_t i = decisions->begin; i < decisions->len; i++)
		if (equal(at(decisions, i), decision))
			number = i;
	if (number == 0 && decision->generation == decisions->generation)
		number = add(decisions, decision);
	pthread_mutex_unlock(&decisions->lock);
	return number;
}

void decision_renew(struct decisions *decisions)
{
	struct decision plain = { .admission = DECISION_TAKEN, .routed = true };
	uint16_t number;

	pthread_mutex_lock(&decisions->lock);
	plain.generation = ++decisions->generation;
	decisions->begin = decisions->len;
	number = add(decisions, &plain);
	decisions->plain = number != 0 ? number : DECISION_NONE;
	pthread_mutex_unlock(&decisions->lock);
}
