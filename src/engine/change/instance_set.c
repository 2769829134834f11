/* SPDX-License-Identifier: MIT */
/* Visitors are counted by the phase they came in, one of two: an instance set
 * is replaced, then the phase is changed, and whoever saw the old instance set
 * is counted in the old phase.  One who was slow between reading the phase and
 * being counted finds it changed and begins again. */
#include "engine/change/instance_set.h"

#include <stdlib.h>
#include <time.h>

#include "base/alloc.h"
#include "base/thread.h"
#include "engine/change/engine_internal.h"

#define LOOK_EVERY 100000 /* Nanoseconds; a visit is shorter as a rule. */

struct instance_set *instance_set_new(struct journal_writer *journal_writer)
{
	struct instance_set *instance_set = alloc_zero(sizeof(*instance_set));

	instance_set->journal_writer = journal_writer;
	return instance_set;
}

void instance_set_add(struct instance_set *instance_set,
		      struct instance *instance)
{
	instance_set->instances = alloc_resize(
		instance_set->instances, instance_set->instances_len + 1,
		sizeof(*instance_set->instances));
	instance_set->instances[instance_set->instances_len++] = instance;
	if (instance->writer != NULL)
		instance_set_add_writer(instance_set, instance->writer);
}

void instance_set_add_writer(struct instance_set *instance_set,
			     struct writer *writer)
{
	instance_set->writers = alloc_resize(instance_set->writers,
					     instance_set->writers_len + 1,
					     sizeof(struct writer *));
	instance_set->writers[instance_set->writers_len++] = writer;
}

void instance_set_free(struct instance_set *instance_set)
{
	struct instance_set *older;

	for (; instance_set != NULL; instance_set = older) {
		older = instance_set->older;
		free(instance_set->instances);
		free(instance_set->writers);
		free(instance_set);
	}
}

struct instance_set_reader instance_set_read_lock(struct engine *engine)
{
	struct instance_set_epoch *gate = &engine->gate;
	struct instance_set_reader visit;

	for (;;) {
		visit.phase = gate->phase;
		gate->inside[visit.phase]++;
		if (gate->phase == visit.phase)
			break;
		gate->inside[visit.phase]--;
	}
	visit.instance_set = engine->instance_set;
	return visit;
}

void instance_set_read_unlock(struct engine *engine,
			      struct instance_set_reader visit)
{
	engine->gate.inside[visit.phase]--;
}

bool instance_set_is_quiescent(struct engine *engine)
{
	struct instance_set_epoch *gate = &engine->gate;

	return gate->inside[1 - gate->phase] == 0;
}

bool instance_set_publish(struct engine *engine,
			  struct instance_set *instance_set, mc_time until)
{
	struct instance_set_epoch *gate = &engine->gate;
	struct timespec moment = { .tv_nsec = LOOK_EVERY };

	instance_set->older = engine->instance_set;
	engine->instance_set = instance_set;
	gate->phase = 1 - gate->phase;
	while (!instance_set_is_quiescent(engine)) {
		if (thread_time() >= until)
			return false;
		nanosleep(&moment, NULL);
	}
	instance_set_free(instance_set->older);
	instance_set->older = NULL;
	return true;
}
