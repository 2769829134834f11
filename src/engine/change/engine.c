/* SPDX-License-Identifier: MIT */
/* The engine: its life, from the first instance to the last thread. */
#include "engine/change/engine.h"

#include <collector/private/hostname.h>

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"
#include "engine/alerts/alerts.h"
#include "engine/catalogue/catalogue.h"
#include "engine/change/engine_internal.h"
#include "engine/change/expected_ends.h"
#include "engine/change/group.h"
#include "engine/change/instance.h"
#include "engine/change/judges.h"
#include "engine/change/learn.h"
#include "engine/change/silent_hosts.h"
#include "engine/read/scheduler.h"
#include "engine/store/labels.h"
#include "engine/store/unit.h"
#include "engine/write/durable/durable.h"
#include "engine/write/durable/journal_writer.h"
#include "engine/write/route.h"
#include "engine/write/slot.h"
#include "engine/write/writer.h"

struct engine *engine_new(const struct engine_settings *settings)
{
	struct engine *engine = alloc_zero(sizeof(*engine));

	engine->settings = *settings;
	engine->host = alloc_copy(settings->host);
	if (engine->settings.root == NULL)
		engine->settings.root = "";
	engine->registry.labels = labels_new();
	engine->registry.units = unit_new();
	engine->instances.current = instance_set_new(NULL);
	judge_init(&engine->judges, &engine->instances);
	engine->alerts = engine->judges.alerts = alerts_new(settings->alerts);
	engine->expected_ends = expected_ends_new();
	engine->silent_hosts = silent_hosts_new();
	pthread_mutex_init(&engine->reload.lock, NULL);
	engine_tune(engine, settings);
	engine_add(engine, &self_plugin, self_plugin.name);
	return engine;
}

void engine_tune(struct engine *engine, const struct engine_settings *settings)
{
	struct instance_set *instance_set = engine->instances.current;

	engine->registry.types = settings->types;
	engine->registry.graphs = settings->graphs;
	engine->settings.read_interval_max = settings->read_interval_max;
	engine->settings.read_threads = settings->read_threads;
	engine->settings.queue_bytes = settings->queue_bytes;
	engine->internal_stats = settings->internal_stats;
	if (engine->scheduler != NULL)
		scheduler_set_limits(engine->scheduler, settings->read_interval_max,
				     settings->read_threads);
	if (engine->registry.store != NULL) {
		store_set_limits(engine->registry.store, settings->series_limit, settings->timeout);
		store_set_history(engine->registry.store, settings->history_bytes);
	}
	for (unsigned i = 0; i < instance_set->writers_len; i++)
		writer_set_limit(instance_set->writers[i], settings->queue_bytes);
	if (engine->journal_writer != NULL)
		journal_writer_set_limit(engine->journal_writer, settings->queue_bytes);
}

struct instance *engine_add(struct engine *engine, const struct mc_plugin *plugin, const char *name)
{
	struct instance *instance = instance_new(engine, plugin, name);

	instance_set_add(engine->instances.current, instance, NULL);
	return instance;
}

struct mc_ctx *engine_ctx(struct instance *instance)
{
	return &instance->context.ctx;
}

void engine_set_host(struct engine *engine, const char *host)
{
	struct instance_set *instance_set = engine->instances.current;

	free(engine->host);
	engine->host = alloc_copy(host);
	for (unsigned i = 0; i < instance_set->instances_len; i++)
		instance_set->instances[i]->context.ctx.host = engine->host;
}

bool engine_find_host(struct instance *instance, const struct mc_hostname *hostname, char *out,
		      size_t size)
{
	int rc = hostname->find(&instance->context.ctx, out, size);

	return !log_once_result(&instance->context.log_once, instance->context.ctx.name, rc);
}

void engine_set_interval(struct instance *instance, mc_time interval)
{
	instance->context.ctx.interval = interval;
}

void engine_set_release(struct instance *instance, void (*release)(void *argument), void *argument)
{
	instance->release = release;
	instance->release_argument = argument;
}

/* --- Start ------------------------------------------------------------ */

static void forget_slot(void *argument, unsigned slot, void *pointer)
{
	struct engine *engine = argument;

	if (slot == engine->judges.slot)
		judge_forget(&engine->judges, pointer);
	else if (engine->ending)
		slot_forget(engine->slots[slot], pointer);
	else
		slot_end(engine->slots[slot], pointer);
}

void engine_make_writer(struct instance *instance)
{
	struct engine *engine = instance->engine;

	struct context *context = &instance->context;

	if (context->callbacks->write == NULL && context->callbacks->notify == NULL &&
	    context->callbacks->ended == NULL)
		return;
	context->writer = writer_new(context, engine->settings.queue_bytes);
	if (!context->callbacks->on_request)
		route_set(context->writer, judge_route_of(&engine->judges, context->ctx.name));
}

bool engine_take_slot(struct instance *instance)
{
	struct engine *engine = instance->engine;

	if (!engine_wants_slot(instance))
		return true;
	for (unsigned i = 0; i < engine->slots_len; i++) {
		if (engine->slots[i] != NULL || i == engine->judges.slot)
			continue;
		engine->slots[i] = instance->context.writer;
		slot_set(instance->context.writer, i);
		return true;
	}
	return false;
}

static void make_writers(struct engine *engine)
{
	struct instance_set *instance_set = engine->instances.current;
	unsigned len = ENGINE_FREE_SLOTS;

	for (unsigned i = 0; i < instance_set->instances_len; i++) {
		struct instance *instance = instance_set->instances[i];

		engine_make_writer(instance);
		if (instance->context.writer != NULL)
			instance_set_add_writer(instance_set, instance->context.writer);
		len += engine_wants_slot(instance);
	}
	if (judges_find(instance_set) && judges_rename(instance_set))
		engine->judges.slot = len++;
	engine->slots = alloc_array(len, sizeof(*engine->slots));
	engine->slots_len = len;
	for (unsigned i = 0; i < instance_set->instances_len; i++)
		engine_take_slot(instance_set->instances[i]);
}

bool engine_needs_journal_writer(const struct engine *engine,
				 const struct instance_set *instance_set)
{
	bool wanted = engine->journal_writer != NULL, used = false;

	if (engine->settings.journal == NULL)
		return false;
	for (unsigned i = 0; i < instance_set->instances_len; i++) {
		wanted |= instance_set->instances[i]->context.plugin->wants_journal;
		used |= instance_set->instances[i]->context.callbacks->durable;
	}
	return engine->settings.journal_always || (wanted && used);
}

static void commit_metrics(void *catalogue)
{
	catalogue_commit_metrics(catalogue);
}

void engine_open_journal_writer(struct engine *engine)
{
	struct journal_writer *opened = journal_writer_new(
		engine->settings.journal, &engine->instances, engine->registry.store,
		engine_self(engine), engine->settings.queue_bytes);

	if (opened != NULL && engine->catalogue != NULL)
		journal_writer_call_before(opened, commit_metrics, engine->catalogue);
	engine->journal_writer = opened;
}

static void make_journal_writer(struct engine *engine)
{
	struct instance_set *instance_set = engine->instances.current;

	if (!engine_needs_journal_writer(engine, instance_set))
		return;
	engine_open_journal_writer(engine);
	if (engine->journal_writer == NULL)
		return;
	instance_set->journal_writer = engine->journal_writer;
	for (unsigned i = 0; i < instance_set->writers_len; i++) {
		durable_prepare(instance_set->writers[i]);
		if (durable_is(instance_set->writers[i]))
			journal_writer_attach(engine->journal_writer, instance_set->writers[i]);
	}
	journal_writer_start(engine->journal_writer);
}

static bool find_past(void *catalogue, const char *name, size_t size, struct mc_ended *ended,
		      struct mc_metric *metric)
{
	return catalogue_find(catalogue, name, size, ended, metric);
}

static bool find_metric(void *catalogue, const char *name, size_t size, struct mc_metric *metric)
{
	return catalogue_find_metric(catalogue, name, size, metric);
}

static size_t each_past(void *catalogue, const char *glob,
			bool (*show)(void *show_argument, const struct mc_ended *),
			void *show_argument)
{
	return catalogue_each_absent(catalogue, glob, show, show_argument);
}

static void make_catalogue(struct engine *engine)
{
	const struct engine_settings *settings = &engine->settings;

	if (settings->catalogue == NULL)
		return;
	engine->catalogue = catalogue_new(settings->catalogue, settings->catalogue_limit,
					  engine->registry.store, engine_self(engine));
	engine->registry.past = (struct registry_past){
		.find = find_past,
		.find_metric = find_metric,
		.each = each_past,
		.argument = engine->catalogue,
	};
	catalogue_start(engine->catalogue);
}

unsigned engine_start_idle(struct engine *engine)
{
	struct instance_set *instance_set = engine->instances.current;
	struct store_settings settings = {
		.limit = engine->settings.series_limit,
		.timeout = engine->settings.timeout,
		.history_bytes = engine->settings.history_bytes,
		.notes_bytes = engine->settings.catalogue != NULL ? CATALOGUE_NOTES : 0,
		.forget = forget_slot,
		.argument = engine,
	};
	unsigned failed;

	engine->started = clock_wall();
	make_writers(engine);
	settings.slots_len = engine->slots_len;
	engine->registry.store = engine->judges.store = store_new(&settings);
	make_catalogue(engine);
	alerts_load(engine->alerts);
	alerts_start(engine->alerts);
	make_journal_writer(engine);
	failed = group_start(&(struct group){ .items = instance_set->instances,
					      .len = instance_set->instances_len,
					      .before_run = engine->settings.before_run });
	judges_renew(engine, false);
	if (engine->catalogue != NULL)
		catalogue_scan_if_empty(engine->catalogue, learn_at_start, engine);
	return failed;
}

static void commit_read(void *argument, struct mc_batch *batch, bool wake)
{
	dispatch_batch(argument, batch, wake);
}

static void wake_writers(void *argument)
{
	dispatch_wake(argument);
}

static void has_slept(void *argument, mc_time duration)
{
	self_slept(argument, duration);
}

static struct scheduler_settings reading_settings(struct engine *engine)
{
	return (struct scheduler_settings){
		.host = engine->host,
		.interval_max = engine->settings.read_interval_max,
		.threads = engine->settings.read_threads,
		.store = engine->registry.store,
		.commit = commit_read,
		.wake = wake_writers,
		.slept = has_slept,
		.argument = engine,
	};
}

static bool reads(const struct instance *instance)
{
	return instance->started && instance->context.plugin->read != NULL;
}

unsigned engine_start(struct engine *engine)
{
	unsigned failed = engine_start_idle(engine);

	struct instance_set *instance_set = engine->instances.current;
	struct scheduler_settings settings = reading_settings(engine);
	struct scheduler *scheduler = scheduler_new(&settings);

	for (unsigned i = 0; i < instance_set->instances_len; i++)
		if (reads(instance_set->instances[i]))
			scheduler_add(scheduler, &instance_set->instances[i]->reading, true);
	engine->scheduler = scheduler;
	scheduler_start(scheduler);
	return failed;
}

void engine_read_once(struct engine *engine)
{
	struct instance_set *instance_set = engine->instances.current;
	struct scheduler_settings settings = reading_settings(engine);

	for (unsigned i = 0; i < instance_set->instances_len; i++)
		if (reads(instance_set->instances[i]))
			scheduler_read(&settings, &instance_set->instances[i]->reading);
}

bool engine_drain(struct engine *engine, mc_time limit)
{
	struct instance_set *instance_set = engine->instances.current;
	mc_time until = thread_time() + limit;
	bool empty = engine->journal_writer == NULL ||
		     journal_writer_drain(engine->journal_writer, until);

	for (unsigned i = 0; i < instance_set->writers_len; i++)
		empty &= writer_drain(instance_set->writers[i], until);
	return empty;
}

/* --- Stop ------------------------------------------------------------- */

/* A read that still runs belongs to an instance that cannot be stopped. */
static void leave_stuck(struct engine *engine)
{
	struct instance_set *instance_set = engine->instances.current;

	for (unsigned i = 0; i < instance_set->instances_len; i++) {
		struct instance *instance = instance_set->instances[i];

		if (!scheduler_reads(engine->scheduler, &instance->reading))
			continue;
		log_warn("%s: a read does not end, it is left behind", instance->context.ctx.name);
		instance->started = false;
	}
}

bool engine_stop(struct engine *engine, mc_time limit)
{
	struct instance_set *instance_set = engine->instances.current;
	mc_time now = thread_time();
	unsigned left = engine->left_behind != NULL;

	engine->stopping = true;
	if (engine->scheduler != NULL && !scheduler_stop(engine->scheduler, now + limit / 4)) {
		leave_stuck(engine);
		left++;
	}
	left += !group_stop(&(struct group){ .items = instance_set->instances,
					     .len = instance_set->instances_len },
			    engine->journal_writer, now, limit);
	if (engine->catalogue != NULL && !catalogue_stop(engine->catalogue, now + limit)) {
		log_warn("the catalogue waits for its disk, its thread is left behind");
		left++;
	}
	if (!alerts_stop(engine->alerts, now + limit)) {
		log_warn("the file of alerts waits for its disk, its thread is left behind");
		left++;
	}
	return left == 0;
}

void engine_free(struct engine *engine)
{
	struct instance_set *instance_set;

	if (engine == NULL)
		return;
	instance_set = engine->instances.current;
	engine->ending = engine->judges.ending = true;
	for (unsigned i = 0; i < instance_set->writers_len; i++)
		slot_forget_rest(instance_set->writers[i]);
	scheduler_free(engine->scheduler);
	catalogue_free(engine->catalogue);
	store_free(engine->registry.store); /* Forgets slots: needs the instances. */
	for (unsigned i = 0; i < instance_set->instances_len; i++)
		instance_free(instance_set->instances[i]);
	for (struct instance *one = engine->retiring, *next; one != NULL; one = next) {
		next = one->next;
		instance_free(one);
	}
	journal_writer_free(engine->journal_writer);
	judge_done(&engine->judges);
	alerts_free(engine->alerts);
	expected_ends_free(engine->expected_ends);
	silent_hosts_free(engine->silent_hosts);
	labels_free(engine->registry.labels);
	unit_free(engine->registry.units);
	instance_set_free(instance_set);
	names_done(&engine->names);
	pthread_mutex_destroy(&engine->reload.lock);
	free(engine->slots);
	free(engine->host);
	free(engine);
}

/* --- Meanwhile -------------------------------------------------------- */

void engine_flush(struct engine *engine)
{
	struct instance_set *instance_set = engine->instances.current;

	for (unsigned i = 0; i < instance_set->writers_len; i++)
		writer_flush(instance_set->writers[i], 0, NULL);
}

void engine_reopen(struct engine *engine)
{
	struct instance_set *instance_set = engine->instances.current;

	for (unsigned i = 0; i < instance_set->instances_len; i++) {
		struct instance *instance = instance_set->instances[i];

		if (instance->started && instance->context.callbacks->reopen != NULL)
			instance->context.callbacks->reopen(&instance->context.ctx);
	}
}

bool engine_alive(struct engine *engine)
{
	return engine->scheduler == NULL || scheduler_alive(engine->scheduler);
}

uint64_t engine_steps(const struct engine *engine)
{
	return engine->steps;
}

size_t engine_series(struct engine *engine)
{
	struct store_counts counts;

	store_count(engine->registry.store, &counts);
	return counts.series;
}
