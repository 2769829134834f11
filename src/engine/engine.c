/* SPDX-License-Identifier: MIT */
/* The engine: its life, from the first instance to the last thread. */
#include "engine/engine.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"
#include "engine/house.h"
#include "engine/instance.h"
#include "engine/labels.h"
#include "engine/recorder.h"
#include "engine/scheduler.h"
#include "engine/writer.h"

struct engine *engine_new(const struct engine_settings *settings)
{
	struct engine *engine = alloc_zero(sizeof(*engine));

	engine->settings = *settings;
	engine->host = alloc_copy(settings->host);
	if (engine->settings.root == NULL)
		engine->settings.root = "";
	engine->labels = labels_new();
	engine_add(engine, &self_plugin, self_plugin.name);
	return engine;
}

struct instance *engine_add(struct engine *engine,
			    const struct mc_plugin *plugin, const char *name)
{
	struct instance *instance = instance_new(engine, plugin, name);

	engine->instances =
		alloc_resize(engine->instances, engine->instances_len + 1,
			     sizeof(*engine->instances));
	engine->instances[engine->instances_len++] = instance;
	return instance;
}

struct mc_ctx *engine_ctx(struct instance *instance)
{
	return &instance->ctx;
}

void engine_set_interval(struct instance *instance, mc_time interval)
{
	instance->ctx.interval = interval;
}

void engine_set_release(struct instance *instance,
			void (*release)(void *argument), void *argument)
{
	instance->release = release;
	instance->release_argument = argument;
}

/* --- Start ------------------------------------------------------------ */

static void forget_slot(void *argument, unsigned slot, void *pointer)
{
	struct engine *engine = argument;

	writer_forget(engine->writers[slot], pointer);
}

static void make_writers(struct engine *engine)
{
	engine->writers =
		alloc_array(engine->instances_len, sizeof(*engine->writers));
	for (unsigned i = 0; i < engine->instances_len; i++) {
		struct instance *instance = engine->instances[i];
		unsigned slot = engine->writers_len;

		if (instance->plugin->write == NULL &&
		    instance->plugin->notify == NULL)
			continue;
		instance->writer = writer_new(instance, slot,
					      engine->settings.queue_bytes);
		engine->writers[engine->writers_len++] = instance->writer;
	}
}

/* Those that log first, then those that write, then the rest: nothing that is
 * said or read at the start is lost. */
static unsigned start_order(const struct instance *instance)
{
	if (instance->plugin->log != NULL)
		return 0;
	return instance->plugin->write != NULL ? 1 : 2;
}

static bool needs_recorder(const struct engine *engine)
{
	bool wanted = false, used = false;

	if (engine->settings.journal == NULL)
		return false;
	for (unsigned i = 0; i < engine->instances_len; i++) {
		wanted |= engine->instances[i]->plugin->wants_journal;
		used |= engine->instances[i]->plugin->durable;
	}
	return engine->settings.journal_always || (wanted && used);
}

/* All are started before any runs: what comes in by a socket finds every writer
 * ready, also those that are sockets themselves.  Returns how many failed. */
static unsigned start_instances(struct engine *engine)
{
	unsigned failed = 0;

	for (unsigned order = 0; order <= 2; order++)
		for (unsigned i = 0; i < engine->instances_len; i++)
			if (start_order(engine->instances[i]) == order)
				failed += instance_start(engine->instances[i]) <
					  0;
	for (unsigned i = 0; i < engine->instances_len; i++)
		failed += instance_run(engine->instances[i]) < 0;
	return failed;
}

static void make_recorder(struct engine *engine)
{
	if (!needs_recorder(engine))
		return;
	engine->recorder = recorder_new(engine, engine->settings.journal);
	if (engine->recorder != NULL)
		recorder_start(engine->recorder);
}

unsigned engine_start_idle(struct engine *engine)
{
	struct store_settings settings = {
		.limit = engine->settings.series_limit,
		.timeout = engine->settings.timeout,
		.forget = forget_slot,
		.argument = engine,
	};
	unsigned failed;

	engine->started = clock_wall();
	make_writers(engine);
	settings.slots_len = engine->writers_len;
	engine->store = store_new(&settings);
	make_recorder(engine);
	failed = start_instances(engine);
	for (unsigned i = 0; i < engine->instances_len; i++)
		if (!engine->instances[i]->started &&
		    engine->instances[i]->writer != NULL)
			writer_subscribe(engine->instances[i]->writer, false);
		else if (engine->instances[i]->writer != NULL)
			writer_wake(engine->instances[i]->writer);
	return failed;
}

unsigned engine_start(struct engine *engine)
{
	unsigned failed = engine_start_idle(engine);

	engine->scheduler = scheduler_start(engine);
	return failed;
}

void engine_read_once(struct engine *engine)
{
	for (unsigned i = 0; i < engine->instances_len; i++)
		if (engine->instances[i]->started &&
		    engine->instances[i]->plugin->read != NULL)
			scheduler_read(engine->instances[i]);
}

bool engine_drain(struct engine *engine, mc_time limit)
{
	mc_time until = thread_time() + limit;
	bool empty = engine->recorder == NULL ||
		     recorder_drain(engine->recorder, until);

	for (unsigned i = 0; i < engine->writers_len; i++)
		empty &= writer_drain(engine->writers[i], until);
	return empty;
}

/* --- Stop ------------------------------------------------------------- */

/* Writers keep their run() until they have flushed; those that are only asked
 * to listen are sources, too, and go first. */
static bool is_sink(const struct instance *instance)
{
	return instance->plugin->write != NULL && !instance->plugin->on_request;
}

static unsigned end_runs(struct engine *engine, bool sinks, mc_time until)
{
	unsigned left = 0;

	for (unsigned i = 0; i < engine->instances_len; i++)
		if (is_sink(engine->instances[i]) == sinks)
			instance_end_run(engine->instances[i]);
	for (unsigned i = 0; i < engine->instances_len; i++) {
		struct instance *instance = engine->instances[i];

		if (is_sink(instance) != sinks ||
		    instance_join_run(instance, until))
			continue;
		log_warn("%s: its thread does not end, it is left behind",
			 instance->name);
		instance->started = false; /* stop() would be too early. */
		left++;
	}
	return left;
}

static unsigned end_writers(struct engine *engine, mc_time until)
{
	unsigned left = 0;

	for (unsigned i = 0; i < engine->writers_len; i++)
		writer_stop(engine->writers[i], until);
	for (unsigned i = 0; i < engine->instances_len; i++) {
		struct instance *instance = engine->instances[i];

		if (instance->writer == NULL ||
		    writer_join(instance->writer, until + MC_SECOND / 2))
			continue;
		log_warn("%s: a write does not end, it is left behind",
			 instance->name);
		instance->started = false;
		left++;
	}
	return left;
}

/* A read that still runs belongs to an instance that cannot be stopped. */
static void spare_stuck(struct engine *engine)
{
	for (unsigned i = 0; i < engine->instances_len; i++) {
		struct instance *instance = engine->instances[i];

		if (instance->reading.started == 0)
			continue;
		log_warn("%s: a read does not end, it is left behind",
			 instance->name);
		instance->started = false;
	}
}

static void *stop_main(void *argument)
{
	instance_stop(argument);
	return NULL;
}

/* stop() may hang like any other call: each has a thread of its own. */
static unsigned stop_instances(struct engine *engine, mc_time until)
{
	pthread_t *threads =
		alloc_array(engine->instances_len, sizeof(*threads));
	bool *begun = alloc_array(engine->instances_len, sizeof(*begun));
	unsigned left = 0;

	for (unsigned i = 0; i < engine->instances_len; i++)
		begun[i] = engine->instances[i]->started &&
			   engine->instances[i]->plugin->log == NULL &&
			   thread_start(&threads[i], "stop", stop_main,
					engine->instances[i]) == 0;
	for (unsigned i = 0; i < engine->instances_len; i++) {
		if (!begun[i] || thread_join(threads[i], until))
			continue;
		log_warn("%s: does not stop, it is left behind",
			 engine->instances[i]->name);
		left++;
	}
	free(threads);
	free(begun);
	return left;
}

bool engine_stop(struct engine *engine, mc_time limit)
{
	mc_time now = thread_time();
	unsigned left = 0;

	engine->stopping = true;
	if (engine->scheduler != NULL &&
	    !scheduler_stop(engine->scheduler, now + limit / 4)) {
		spare_stuck(engine);
		left++;
	}
	left += end_runs(engine, false, now + limit / 2);
	if (engine->recorder != NULL &&
	    !recorder_stop(engine->recorder, now + 6 * limit / 10)) {
		log_warn("the journal's disk hangs, it is left behind");
		left++;
	}
	left += end_writers(engine, now + 7 * limit / 10);
	left += end_runs(engine, true, now + 9 * limit / 10);
	left += stop_instances(engine, now + limit);
	for (unsigned i = 0; i < engine->instances_len; i++)
		if (engine->instances[i]->plugin->log != NULL)
			instance_stop(engine->instances[i]);
	return left == 0;
}

void engine_free(struct engine *engine)
{
	if (engine == NULL)
		return;
	scheduler_free(engine->scheduler);
	store_free(engine->store); /* Forgets slots: needs the instances. */
	for (unsigned i = 0; i < engine->instances_len; i++)
		instance_free(engine->instances[i]);
	recorder_free(engine->recorder);
	labels_free(engine->labels);
	free(engine->instances);
	free(engine->writers);
	free(engine->host);
	free(engine);
}

/* --- Meanwhile -------------------------------------------------------- */

void engine_flush(struct engine *engine)
{
	for (unsigned i = 0; i < engine->writers_len; i++)
		writer_flush(engine->writers[i], 0, NULL);
}

void engine_reopen(struct engine *engine)
{
	for (unsigned i = 0; i < engine->instances_len; i++) {
		struct instance *instance = engine->instances[i];

		if (instance->started && instance->plugin->reopen != NULL)
			instance->plugin->reopen(&instance->ctx);
	}
}

bool engine_alive(struct engine *engine)
{
	return engine->scheduler == NULL || scheduler_alive(engine->scheduler);
}

size_t engine_series(struct engine *engine)
{
	struct store_counts counts;

	store_count(engine->store, &counts);
	return counts.series;
}
