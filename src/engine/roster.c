/* SPDX-License-Identifier: MIT */
/* Visitors are counted by the phase they came in, one of two: a roster is
 * replaced, then the phase is changed, and whoever saw the old roster is
 * counted in the old phase.  One who was slow between reading the phase and
 * being counted finds it changed and begins again. */
#include "engine/roster.h"

#include <stdlib.h>
#include <time.h>

#include "base/alloc.h"
#include "base/thread.h"
#include "engine/house.h"

#define LOOK_EVERY 100000 /* Nanoseconds; a visit is shorter as a rule. */

struct roster *roster_new(struct recorder *recorder)
{
	struct roster *roster = alloc_zero(sizeof(*roster));

	roster->recorder = recorder;
	return roster;
}

void roster_add(struct roster *roster, struct instance *instance)
{
	roster->instances =
		alloc_resize(roster->instances, roster->instances_len + 1,
			     sizeof(*roster->instances));
	roster->instances[roster->instances_len++] = instance;
	if (instance->writer != NULL)
		roster_add_writer(roster, instance->writer);
}

void roster_add_writer(struct roster *roster, struct writer *writer)
{
	roster->writers = alloc_resize(roster->writers, roster->writers_len + 1,
				       sizeof(struct writer *));
	roster->writers[roster->writers_len++] = writer;
}

void roster_free(struct roster *roster)
{
	struct roster *older;

	for (; roster != NULL; roster = older) {
		older = roster->older;
		free(roster->instances);
		free(roster->writers);
		free(roster);
	}
}

struct roster_visit roster_enter(struct engine *engine)
{
	struct roster_gate *gate = &engine->gate;
	struct roster_visit visit;

	for (;;) {
		visit.phase = gate->phase;
		gate->inside[visit.phase]++;
		if (gate->phase == visit.phase)
			break;
		gate->inside[visit.phase]--;
	}
	visit.roster = engine->roster;
	return visit;
}

void roster_leave(struct engine *engine, struct roster_visit visit)
{
	engine->gate.inside[visit.phase]--;
}

bool roster_is_settled(struct engine *engine)
{
	struct roster_gate *gate = &engine->gate;

	return gate->inside[1 - gate->phase] == 0;
}

bool roster_replace(struct engine *engine, struct roster *roster, mc_time until)
{
	struct roster_gate *gate = &engine->gate;
	struct timespec moment = { .tv_nsec = LOOK_EVERY };

	roster->older = engine->roster;
	engine->roster = roster;
	gate->phase = 1 - gate->phase;
	while (!roster_is_settled(engine)) {
		if (thread_time() >= until)
			return false;
		nanosleep(&moment, NULL);
	}
	roster_free(roster->older);
	roster->older = NULL;
	return true;
}
