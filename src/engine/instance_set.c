/* SPDX-License-Identifier: MIT */
/* The current set of instances. instance_set.h explains how it is replaced. */
#include "engine/instance_set.h"

#include <stdlib.h>
#include <time.h>

#include "base/alloc.h"
#include "base/thread.h"

#define LOOK_EVERY 100000 /* Nanoseconds; a visit is shorter as a rule. */

struct instance_set *instance_set_new(struct journal_writer *journal_writer)
{
	struct instance_set *instance_set = alloc_zero(sizeof(*instance_set));

	instance_set->journal_writer = journal_writer;
	return instance_set;
}

void instance_set_add(struct instance_set *instance_set, struct instance *instance,
		      struct writer *writer)
{
	instance_set->instances =
		alloc_resize(instance_set->instances, instance_set->instances_len + 1,
			     sizeof(*instance_set->instances));
	instance_set->instances[instance_set->instances_len++] = instance;
	if (writer != NULL)
		instance_set_add_writer(instance_set, writer);
}

void instance_set_add_writer(struct instance_set *instance_set, struct writer *writer)
{
	instance_set->writers = alloc_resize(instance_set->writers, instance_set->writers_len + 1,
					     sizeof(struct writer *));
	instance_set->writers[instance_set->writers_len++] = writer;
}

void instance_set_free(struct instance_set *instance_set)
{
	struct instance_set *older;

	for (; instance_set != NULL; instance_set = older) {
		older = instance_set->older;
		free(instance_set->instances);
		free(instance_set->judges);
		free(instance_set->writers);
		free(instance_set);
	}
}

struct instance_set_reader instance_set_read_lock(struct instance_sets *sets)
{
	struct instance_set_reader visit;

	for (;;) {
		visit.phase = sets->phase;
		sets->inside[visit.phase]++;
		if (sets->phase == visit.phase)
			break;
		sets->inside[visit.phase]--;
	}
	visit.instance_set = sets->current;
	return visit;
}

void instance_set_read_unlock(struct instance_sets *sets, struct instance_set_reader visit)
{
	sets->inside[visit.phase]--;
}

bool instance_set_is_quiescent(struct instance_sets *sets)
{
	return sets->inside[1 - sets->phase] == 0;
}

bool instance_set_publish(struct instance_sets *sets, struct instance_set *instance_set,
			  mc_time until)
{
	struct timespec moment = { .tv_nsec = LOOK_EVERY };

	instance_set->older = sets->current;
	sets->current = instance_set;
	sets->phase = 1 - sets->phase;
	while (!instance_set_is_quiescent(sets)) {
		if (thread_time() >= until)
			return false;
		nanosleep(&moment, NULL);
	}
	instance_set_free(instance_set->older);
	instance_set->older = NULL;
	return true;
}
