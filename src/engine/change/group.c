/* SPDX-License-Identifier: MIT */
/* The order in which instances start and stop. */
#include "engine/change/group.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/log.h"
#include "base/thread.h"
#include "engine/change/engine_internal.h"
#include "engine/change/instance.h"
#include "engine/write/delivery.h"
#include "engine/write/durable/handover.h"
#include "engine/write/durable/journal_writer.h"
#include "engine/write/writer.h"

/* --- Start ------------------------------------------------------------ */

/* Those that log first, then those that write, then the rest: no line or value of the start is
 * lost. */
static unsigned start_order(const struct instance *instance)
{
	if (instance->context.callbacks->log != NULL)
		return 0;
	return instance->context.callbacks->write != NULL ? 1 : 2;
}

static void begin_or_end(struct instance *instance)
{
	if (instance->started) {
		handover_settle(instance->context.writer);
		delivery_begin(instance->context.writer);
	} else if (!instance->has_fallback) {
		group_give_up(instance);
	}
}

void group_give_up(struct instance *instance)
{
	if (instance->context.writer == NULL)
		return;
	writer_subscribe(instance->context.writer, false);
	writer_stop(instance->context.writer, 0);
	delivery_join(instance->context.writer, 0);
}

/* All are started before any runs: input by a socket finds every writer ready, also those that are
 * sockets themselves. */
unsigned group_start(const struct group *group)
{
	unsigned failed = 0;

	for (unsigned order = 0; order <= 2; order++)
		for (unsigned i = 0; i < group->len; i++)
			if (start_order(group->items[i]) == order)
				failed += instance_start(group->items[i]) < 0;
	for (unsigned i = 0; i < group->len; i++)
		if (group->items[i]->context.writer != NULL)
			begin_or_end(group->items[i]);
	if (group->before_run != NULL)
		group->before_run();
	for (unsigned i = 0; i < group->len; i++)
		failed += instance_run(group->items[i]) < 0;
	return failed;
}

/* --- Stop ------------------------------------------------------------- */

/* stop() would be too early. */
static void leave_behind(struct instance *instance)
{
	instance->started = false;
	instance->abandoned = true;
}

/* Writers keep their run() until they have flushed; those that are only asked
 * to listen are sources, too, and go first. */
static bool is_sink(const struct instance *instance)
{
	return instance->context.callbacks->write != NULL &&
	       !instance->context.callbacks->on_request;
}

static void end_runs(const struct group *group, bool sinks, mc_time until)
{
	for (unsigned i = 0; i < group->len; i++)
		if (is_sink(group->items[i]) == sinks)
			instance_end_run(group->items[i]);
	for (unsigned i = 0; i < group->len; i++) {
		struct instance *instance = group->items[i];

		if (is_sink(instance) != sinks || instance_join_run(instance, until))
			continue;
		log_warn("%s: its thread does not end, it is left behind",
			 instance->context.ctx.name);
		leave_behind(instance);
	}
}

static void end_writers(const struct group *group, mc_time until)
{
	for (unsigned i = 0; i < group->len; i++)
		if (group->items[i]->context.writer != NULL)
			writer_stop(group->items[i]->context.writer, until);
	for (unsigned i = 0; i < group->len; i++) {
		struct instance *instance = group->items[i];

		if (instance->context.writer == NULL ||
		    delivery_join(instance->context.writer, until + MC_SECOND / 2))
			continue;
		log_warn("%s: a write does not end, it is left behind", instance->context.ctx.name);
		leave_behind(instance);
	}
}

static void *stop_main(void *argument)
{
	instance_stop(argument);
	return NULL;
}

/* stop() may hang like any other call: each has a thread of its own. */
static void stop_instances(const struct group *group, mc_time until)
{
	pthread_t *threads = alloc_array(group->len, sizeof(*threads));
	bool *begun = alloc_array(group->len, sizeof(*begun));

	for (unsigned i = 0; i < group->len; i++)
		begun[i] = group->items[i]->started &&
			   group->items[i]->context.callbacks->log == NULL &&
			   thread_start(&threads[i], "stop", stop_main, group->items[i]) == 0;
	for (unsigned i = 0; i < group->len; i++) {
		if (!begun[i] || thread_join(threads[i], until))
			continue;
		log_warn("%s: does not stop, it is left behind", group->items[i]->context.ctx.name);
		group->items[i]->abandoned = true;
	}
	free(threads);
	free(begun);
}

bool group_stop(const struct group *group, struct journal_writer *journal_writer, mc_time now,
		mc_time limit)
{
	bool all = true;

	end_runs(group, false, now + limit / 2);
	if (journal_writer != NULL)
		all = journal_writer_stop(journal_writer, now + 6 * limit / 10);
	end_writers(group, now + 7 * limit / 10);
	end_runs(group, true, now + 9 * limit / 10);
	stop_instances(group, now + limit);
	for (unsigned i = 0; i < group->len; i++)
		if (group->items[i]->context.callbacks->log != NULL)
			instance_stop(group->items[i]);
	for (unsigned i = 0; i < group->len; i++)
		all &= !group->items[i]->abandoned;
	return all;
}
