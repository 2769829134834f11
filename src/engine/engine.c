/* SPDX-License-Identifier: MIT */
/* The engine: its life, from the first instance to the last thread. */
#include "engine/engine.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"
#include "engine/durable.h"
#include "engine/group.h"
#include "engine/house.h"
#include "engine/instance.h"
#include "engine/labels.h"
#include "engine/recorder.h"
#include "engine/scheduler.h"
#include "engine/slot.h"
#include "engine/unit.h"
#include "engine/writer.h"

struct engine *engine_new(const struct engine_settings *settings)
{
	struct engine *engine = alloc_zero(sizeof(*engine));

	engine->settings = *settings;
	engine->host = alloc_copy(settings->host);
	if (engine->settings.root == NULL)
		engine->settings.root = "";
	engine->labels = labels_new();
	engine->units = unit_new();
	engine->roster = roster_new(NULL);
	pthread_mutex_init(&engine->reload.lock, NULL);
	engine_tune(engine, settings);
	engine_add(engine, &self_plugin, self_plugin.name);
	return engine;
}

struct name {
	struct name *next;
	char text[];
};

const char *engine_name(struct engine *engine, const char *text)
{
	size_t size = strlen(text) + 1;
	struct name *name;

	for (name = engine->names; name != NULL; name = name->next)
		if (strcmp(name->text, text) == 0)
			return name->text;
	name = alloc_zero(sizeof(*name) + size);
	memcpy(name->text, text, size);
	name->next = engine->names;
	engine->names = name;
	return name->text;
}

static void free_names(struct engine *engine)
{
	struct name *next;

	for (struct name *name = engine->names; name != NULL; name = next) {
		next = name->next;
		free(name);
	}
}

void engine_tune(struct engine *engine, const struct engine_settings *settings)
{
	struct roster *roster = engine->roster;

	engine->live.types = settings->types;
	engine->live.read_interval_max = settings->read_interval_max;
	engine->live.read_threads = settings->read_threads;
	engine->live.queue_bytes = settings->queue_bytes;
	engine->live.internal_stats = settings->internal_stats;
	if (engine->store != NULL)
		store_set_limits(engine->store, settings->series_limit,
				 settings->timeout);
	for (unsigned i = 0; i < roster->writers_len; i++)
		writer_set_limit(roster->writers[i], settings->queue_bytes);
	if (engine->recorder != NULL)
		recorder_set_limit(engine->recorder, settings->queue_bytes);
}

struct instance *engine_add(struct engine *engine,
			    const struct mc_plugin *plugin, const char *name)
{
	struct instance *instance = instance_new(engine, plugin, name);

	roster_add(engine->roster, instance);
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

	slot_end(engine->slots[slot], pointer);
}

void engine_make_writer(struct instance *instance)
{
	struct engine *engine = instance->engine;

	if (instance->plugin->write != NULL || instance->plugin->notify != NULL)
		instance->writer =
			writer_new(instance, engine->live.queue_bytes);
}

bool engine_take_slot(struct instance *instance)
{
	struct engine *engine = instance->engine;

	if (instance->plugin->write == NULL)
		return true;
	for (unsigned i = 0; i < engine->slots_len; i++) {
		if (engine->slots[i] != NULL)
			continue;
		engine->slots[i] = instance->writer;
		slot_set(instance->writer, i);
		return true;
	}
	return false;
}

static void make_writers(struct engine *engine)
{
	struct roster *roster = engine->roster;
	unsigned len = ENGINE_SPARE_SLOTS;

	for (unsigned i = 0; i < roster->instances_len; i++) {
		struct instance *instance = roster->instances[i];

		engine_make_writer(instance);
		if (instance->writer != NULL)
			roster_add_writer(roster, instance->writer);
		len += instance->plugin->write != NULL;
	}
	engine->slots = alloc_array(len, sizeof(*engine->slots));
	engine->slots_len = len;
	for (unsigned i = 0; i < roster->instances_len; i++)
		engine_take_slot(roster->instances[i]);
}

bool engine_needs_recorder(const struct engine *engine,
			   const struct roster *roster)
{
	bool wanted = engine->recorder != NULL, used = false;

	if (engine->settings.journal == NULL)
		return false;
	for (unsigned i = 0; i < roster->instances_len; i++) {
		wanted |= roster->instances[i]->plugin->wants_journal;
		used |= roster->instances[i]->plugin->durable;
	}
	return engine->settings.journal_always || (wanted && used);
}

static void make_recorder(struct engine *engine)
{
	struct roster *roster = engine->roster;

	if (!engine_needs_recorder(engine, roster))
		return;
	engine->recorder = recorder_new(engine, engine->settings.journal);
	if (engine->recorder == NULL)
		return;
	roster->recorder = engine->recorder;
	for (unsigned i = 0; i < roster->writers_len; i++) {
		durable_prepare(roster->writers[i]);
		if (durable_is(roster->writers[i]))
			recorder_attach(engine->recorder, roster->writers[i]);
	}
	recorder_start(engine->recorder);
}

unsigned engine_start_idle(struct engine *engine)
{
	struct roster *roster = engine->roster;
	struct store_settings settings = {
		.limit = engine->settings.series_limit,
		.timeout = engine->settings.timeout,
		.forget = forget_slot,
		.argument = engine,
	};

	engine->started = clock_wall();
	make_writers(engine);
	settings.slots_len = engine->slots_len;
	engine->store = store_new(&settings);
	make_recorder(engine);
	return group_start(
		&(struct group){ .items = roster->instances,
				 .len = roster->instances_len,
				 .before_run = engine->settings.before_run });
}

unsigned engine_start(struct engine *engine)
{
	unsigned failed = engine_start_idle(engine);

	engine->scheduler = scheduler_start(engine);
	return failed;
}

void engine_read_once(struct engine *engine)
{
	struct roster *roster = engine->roster;

	for (unsigned i = 0; i < roster->instances_len; i++)
		if (roster->instances[i]->started &&
		    roster->instances[i]->plugin->read != NULL)
			scheduler_read(roster->instances[i]);
}

bool engine_drain(struct engine *engine, mc_time limit)
{
	struct roster *roster = engine->roster;
	mc_time until = thread_time() + limit;
	bool empty = engine->recorder == NULL ||
		     recorder_drain(engine->recorder, until);

	for (unsigned i = 0; i < roster->writers_len; i++)
		empty &= writer_drain(roster->writers[i], until);
	return empty;
}

/* --- Stop ------------------------------------------------------------- */

/* A read that still runs belongs to an instance that cannot be stopped. */
static void spare_stuck(struct engine *engine)
{
	struct roster *roster = engine->roster;

	for (unsigned i = 0; i < roster->instances_len; i++) {
		struct instance *instance = roster->instances[i];

		if (!scheduler_reads(engine->scheduler, instance))
			continue;
		log_warn("%s: a read does not end, it is left behind",
			 instance->name);
		instance->started = false;
	}
}

bool engine_stop(struct engine *engine, mc_time limit)
{
	struct roster *roster = engine->roster;
	mc_time now = thread_time();
	unsigned left = engine->left_behind != NULL;

	engine->stopping = true;
	if (engine->scheduler != NULL &&
	    !scheduler_stop(engine->scheduler, now + limit / 4)) {
		spare_stuck(engine);
		left++;
	}
	left += !group_stop(&(struct group){ .items = roster->instances,
					     .len = roster->instances_len },
			    engine->recorder, now, limit);
	return left == 0;
}

void engine_free(struct engine *engine)
{
	struct roster *roster;

	if (engine == NULL)
		return;
	roster = engine->roster;
	engine->ending = true;
	for (unsigned i = 0; i < roster->writers_len; i++)
		slot_forget_rest(roster->writers[i]);
	scheduler_free(engine->scheduler);
	store_free(engine->store); /* Forgets slots: needs the instances. */
	for (unsigned i = 0; i < roster->instances_len; i++)
		instance_free(roster->instances[i]);
	for (struct instance *one = engine->leavers, *next; one != NULL;
	     one = next) {
		next = one->next;
		instance_free(one);
	}
	recorder_free(engine->recorder);
	labels_free(engine->labels);
	unit_free(engine->units);
	roster_free(roster);
	free_names(engine);
	pthread_mutex_destroy(&engine->reload.lock);
	free(engine->slots);
	free(engine->host);
	free(engine);
}

/* --- Meanwhile -------------------------------------------------------- */

void engine_flush(struct engine *engine)
{
	struct roster *roster = engine->roster;

	for (unsigned i = 0; i < roster->writers_len; i++)
		writer_flush(roster->writers[i], 0, NULL);
}

void engine_reopen(struct engine *engine)
{
	struct roster *roster = engine->roster;

	for (unsigned i = 0; i < roster->instances_len; i++) {
		struct instance *instance = roster->instances[i];

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
