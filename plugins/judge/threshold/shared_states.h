/* SPDX-License-Identifier: MIT */
/* States that other collectors are to hear of, as they have changed: mc_report_state() is called
 * without the lock.  One thread. */
#pragma once

#include <collector/private/judge_states.h>

#include "state_record.h"

struct shared_state;
struct shared_states { /* All zero: none. */
	struct shared_state *items;
	size_t len, room;
};

/* Adds the state of the series of that name. */
void shared_states_add(struct shared_states *, const char *series, const struct state_record *);

/* Reports all, and frees them. */
void shared_states_report(struct shared_states *, struct mc_ctx *);
void shared_states_free(struct shared_states *);
