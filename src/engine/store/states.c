/* SPDX-License-Identifier: MIT */
/* States of series, set by judges.  A byte of the series; the number of series in each state is
 * counted, so that no reader has to look at all. */
#include "engine/store/states.h"

#include "engine/store/store_internal.h"

static void set(struct store *store, struct mc_series *series, enum mc_state state)
{
	uint8_t before = atomic_exchange_explicit(&series->state, state, memory_order_relaxed);

	if (before == state)
		return;
	/* Unknown are the rest. */
	if (before != MC_STATE_UNKNOWN)
		store->states[before]--;
	if (state != MC_STATE_UNKNOWN)
		store->states[state]++;
}

uint64_t states_count(const struct store *store, enum mc_state state)
{
	return store->states[state];
}

void states_leave(struct store *store, struct mc_series *series)
{
	set(store, series, MC_STATE_UNKNOWN);
}

/* --- The plugin API ---------------------------------------------------- */

void mc_change_state(struct mc_series *series, enum mc_state state)
{
	set(series->store, series, state);
}

const char *mc_state_name(enum mc_state state)
{
	static const char *const names[MC_STATES] = { "UNKNOWN", "OKAY", "WARNING", "FAILURE" };

	return names[state];
}
