/* SPDX-License-Identifier: MIT */
/* An instance: a plugin, running under a name of its own. */
#include "engine/change/instance.h"

#include <collector/control.h>
#include <collector/serve.h>
#include <collector/writer.h>

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/crash.h"
#include "base/log.h"
#include "base/thread.h"
#include "engine/change/judges.h"
#include "engine/change/plugin.h"
#include "engine/write/route.h"
#include "engine/write/writer.h"

struct instance *instance_new(struct engine *engine, const struct mc_plugin *plugin,
			      const char *name)
{
	struct instance *instance = alloc_zero(sizeof(*instance));

	instance->engine = engine;
	instance->stop_fd = -1;
	instance->reading.root = engine->settings.root;
	instance->reading.context = &instance->context;
	instance->context = (struct context){
		.ctx = {
			.self = alloc_zero(plugin->self_size),
			.name = names_keep(&engine->names, name),
			.host = engine->host,
			.interval = engine->settings.interval,
		},
		.plugin = plugin,
		.callbacks = plugin_writer(plugin),
		.number = engine->instances_made++,
		.registry = &engine->registry,
		.judges = &engine->judges,
		.reading = &instance->reading,
	};
	log_once_init(&instance->context.log_once);
	log_once_init(&instance->context.refusals);
	return instance;
}

void instance_free(struct instance *instance)
{
	if (instance == NULL)
		return;
	writer_free(instance->context.writer);
	reading_done(&instance->reading);
	if (instance->release != NULL)
		instance->release(instance->release_argument);
	if (instance->stop_fd >= 0)
		close(instance->stop_fd);
	log_once_done(&instance->context.log_once);
	log_once_done(&instance->context.refusals);
	free(instance->context.ctx.self);
	free(instance);
}

static void log_target(void *argument, enum mc_level level, const char *line)
{
	struct instance *instance = argument;

	instance->context.callbacks->log(&instance->context.ctx, level, line);
}

static void *run_main(void *argument)
{
	struct instance *instance = argument;
	int rc;

	instance->clock = thread_clock();
	instance->reading.run_thread = pthread_self();
	instance->reading.running = true;
	crash_set_plugin(instance->context.ctx.name);
	rc = instance->context.plugin->run(&instance->context.ctx);
	if (rc < 0) /* Its end is not a sign that it works again. */
		log_once_result(&instance->context.log_once, instance->context.ctx.name, rc);
	instance->reading.running = false;
	return NULL;
}

static int start_run(struct instance *instance)
{
	int rc;

	instance->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (instance->stop_fd < 0)
		return -errno;
	rc = thread_start(&instance->thread, instance->context.ctx.name, run_main, instance);
	if (rc < 0) {
		close(instance->stop_fd);
		instance->stop_fd = -1;
	}
	return rc;
}

/* stop() releases what start() has taken. */
static int start(struct instance *instance)
{
	const struct mc_plugin *plugin = instance->context.plugin;
	struct mc_ctx *ctx = &instance->context.ctx;
	int rc = 0;

	instance->engine->steps++;
	crash_set_plugin(ctx->name);
	if (plugin->start != NULL)
		rc = plugin->start(ctx);
	crash_set_plugin(NULL);
	if (!log_once_result(&instance->context.log_once, ctx->name, rc))
		return 0;
	log_error("%s: not started", ctx->name);
	if (plugin->stop != NULL)
		plugin->stop(ctx);
	return rc;
}

int instance_start(struct instance *instance)
{
	int rc = start(instance);

	if (rc < 0)
		return rc;
	if (instance->context.callbacks->log != NULL && log_add_target(log_target, instance) < 0)
		log_error("%s: too many logs", instance->context.ctx.name);
	instance->started = true;
	return 0;
}

int instance_run(struct instance *instance)
{
	int rc = 0;

	if (instance->started && instance->context.plugin->run != NULL)
		rc = start_run(instance);
	if (rc < 0)
		log_error("%s: cannot start its thread: %s", instance->context.ctx.name,
			  strerror(-rc));
	return rc;
}

void instance_end_run(struct instance *instance)
{
	if (instance->stop_fd >= 0)
		eventfd_write(instance->stop_fd, 1);
}

bool instance_join_run(struct instance *instance, mc_time until)
{
	if (instance->stop_fd < 0)
		return true;
	if (!thread_join(instance->thread, until))
		return false;
	close(instance->stop_fd);
	instance->stop_fd = -1;
	return true;
}

/* No call begins any more: it has left the set. */
static void wait_for_fetches(struct instance *instance)
{
	while (instance->fetches > 0)
		poll(NULL, 0, 1);
}

void instance_stop(struct instance *instance)
{
	instance->engine->steps++;
	wait_for_fetches(instance);
	if (instance->context.callbacks->log != NULL)
		log_remove_target(instance);
	crash_set_plugin(instance->context.ctx.name);
	if (instance->started && instance->context.plugin->stop != NULL)
		instance->context.plugin->stop(&instance->context.ctx);
	crash_set_plugin(NULL);
	instance->started = false;
}

/* --- What plugins call ------------------------------------------------ */

mc_time mc_now(void)
{
	return clock_now();
}

mc_time mc_wall(void)
{
	return clock_wall();
}

int mc_stop_fd(struct mc_ctx *ctx)
{
	return instance_of(ctx)->stop_fd;
}

bool mc_stopping(struct mc_ctx *ctx)
{
	struct instance *instance = instance_of(ctx);

	if (instance->context.writer != NULL)
		return writer_is_stopping(instance->context.writer);
	return instance->leaving || instance->engine->stopping;
}

void mc_obey_routes(struct mc_ctx *ctx)
{
	struct instance *instance = instance_of(ctx);

	struct writer *writer = instance->context.writer;

	if (writer == NULL)
		return;
	route_set(writer, judge_route_of(&instance->engine->judges, ctx->name));
	if (route_of(writer) == 0)
		judges_report_unroutable(ctx->name);
}

void mc_subscribe(struct mc_ctx *ctx, bool on)
{
	struct instance *instance = instance_of(ctx);

	if (instance->context.writer != NULL)
		writer_subscribe(instance->context.writer, on);
}
