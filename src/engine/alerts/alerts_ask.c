/* SPDX-License-Identifier: MIT */
/* Shows copies of all that is kept, without the lock. */
#include "engine/alerts/alerts_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

struct copied { /* A state, while the lock is not held. */
	char *owner, *name, *reason, *advice;
	struct mc_alert alert;
};

static void copy_state(const struct alerts_state *state, struct copied *copy)
{
	const char *name = alerts_name_in(state);
	size_t size = (size_t)(name - state->base.name);

	copy->owner = alloc_copy(state->base.name);
	copy->owner[size > 0 ? size - 1 : 0] = '\0';
	copy->name = alloc_copy(name);
	copy->reason = alloc_copy(state->reason);
	copy->advice = alloc_copy(state->advice);
	copy->alert = (struct mc_alert){
		.series = copy->name,
		.state = state->severity == MC_FAILURE ? MC_STATE_FAILURE : MC_STATE_WARNING,
		.since = state->since,
		.reason = copy->reason,
		.advice = *copy->advice != '\0' ? copy->advice : NULL,
	};
}

void alerts_each_standing(struct alerts *alerts,
			  void (*visit)(void *argument, const char *owner, const struct mc_alert *),
			  void *argument)
{
	struct copied *copies;
	size_t len;

	pthread_mutex_lock(&alerts->lock);
	len = alerts->states.len;
	copies = alloc_array(len + 1, sizeof(*copies));
	for (size_t i = 0; i < len; i++)
		copy_state((struct alerts_state *)alerts->states.items[i], &copies[i]);
	pthread_mutex_unlock(&alerts->lock);
	for (size_t i = 0; i < len; i++) {
		visit(argument, copies[i].owner, &copies[i].alert);
		free(copies[i].owner);
		free(copies[i].name);
		free(copies[i].reason);
		free(copies[i].advice);
	}
	free(copies);
}

void alerts_each_silence(struct alerts *alerts,
			 void (*visit)(void *argument, const struct mc_silence *), void *argument)
{
	struct mc_silence *copies;
	size_t len;

	pthread_mutex_lock(&alerts->lock);
	len = alerts->silences.len;
	copies = alloc_array(len + 1, sizeof(*copies));
	for (size_t i = 0; i < len; i++) {
		const struct alerts_silence *silence =
			(const struct alerts_silence *)alerts->silences.items[i];

		copies[i] = (struct mc_silence){ alloc_copy(silence->base.name), silence->begin,
						 silence->until, alloc_copy(silence->reason) };
	}
	pthread_mutex_unlock(&alerts->lock);
	for (size_t i = 0; i < len; i++) {
		visit(argument, &copies[i]);
		free((char *)copies[i].pattern);
		free((char *)copies[i].reason);
	}
	free(copies);
}

void alerts_each_past(struct alerts *alerts,
		      void (*visit)(void *argument, const struct mc_past_alert *), void *argument)
{
	struct mc_past_alert *copies;
	size_t len;
	uint64_t first;

	pthread_mutex_lock(&alerts->lock);
	len = alerts->past_len < ALERTS_PAST_MAX ? alerts->past_len : ALERTS_PAST_MAX;
	first = alerts->past_len - len;
	copies = alloc_array(len + 1, sizeof(*copies));
	for (size_t i = 0; i < len; i++) {
		const struct alerts_past *past = &alerts->past[(first + i) % ALERTS_PAST_MAX];

		copies[i] = (struct mc_past_alert){ past->time, alloc_copy(past->name),
						    past->severity, alloc_copy(past->reason) };
	}
	pthread_mutex_unlock(&alerts->lock);
	for (size_t i = 0; i < len; i++) {
		visit(argument, &copies[i]);
		free((char *)copies[i].series);
		free((char *)copies[i].reason);
	}
	free(copies);
}
