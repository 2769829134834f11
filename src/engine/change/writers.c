/* SPDX-License-Identifier: MIT */
#include "engine/change/writers.h"

#include "engine/change/engine_internal.h"

struct instance *writers_next(struct engine *engine, struct instance *before,
			      bool (*has)(const struct mc_writer *))
{
	struct instance_set_reader here = instance_set_read_lock(&engine->instances);
	const struct instance_set *set = here.instance_set;
	struct instance *found = NULL;
	unsigned i = 0;

	while (before != NULL && i < set->instances_len && set->instances[i++] != before)
		;
	for (; found == NULL && i < set->instances_len; i++)
		if (set->instances[i]->started && has(set->instances[i]->context.callbacks))
			found = set->instances[i];
	if (found != NULL)
		found->fetches++;
	instance_set_read_unlock(&engine->instances, here);
	writers_leave(before);
	return found;
}

void writers_leave(struct instance *instance)
{
	if (instance != NULL)
		instance->fetches--;
}
