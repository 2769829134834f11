/* SPDX-License-Identifier: MIT */
#include "shared_states.h"

#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

struct shared_state {
	char *series, *text; /* 'text' NULL: nothing stands. */
};

/* A file of the one record. */
static char *text_of(const struct state_record *record)
{
	struct mc_buffer text = { 0 };

	if (record->state == MC_STATE_OKAY)
		return NULL;
	mc_buffer_add(&text, STATE_RECORD_HEAD, strlen(STATE_RECORD_HEAD));
	state_record_write(&text, record);
	mc_buffer_add(&text, "", 1);
	return text.at;
}

void shared_states_add(struct shared_states *states, const char *series,
		       const struct state_record *record)
{
	MC_ARRAY_GROW(states->items, states->len, states->room);
	states->items[states->len++] = (struct shared_state){
		.series = mc_alloc_copy(series),
		.text = text_of(record),
	};
}

void shared_states_report(struct shared_states *states, struct mc_ctx *ctx)
{
	for (size_t i = 0; i < states->len; i++)
		mc_report_state(ctx, &(struct mc_judge_state){ .series = states->items[i].series,
							       .text = states->items[i].text });
	shared_states_free(states);
}

void shared_states_free(struct shared_states *states)
{
	for (size_t i = 0; i < states->len; i++) {
		free(states->items[i].series);
		free(states->items[i].text);
	}
	free(states->items);
	*states = (struct shared_states){ 0 };
}
