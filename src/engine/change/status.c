/* SPDX-License-Identifier: MIT */
/* Status of the collector, for plugins that answer questions: functions of
 * include/collector/control.h. */
#include <collector/private/status.h>
#include <collector/serve.h>

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "base/thread.h"
#include "engine/change/engine_internal.h"
#include "engine/read/file.h"
#include "engine/read/scheduler.h"
#include "engine/store/states.h"
#include "engine/write/durable/journal_writer.h"
#include "engine/write/route.h"
#include "engine/write/writer.h"
#include "model/type.h"

static struct engine *engine_of(struct mc_ctx *ctx)
{
	return instance_of(ctx)->engine;
}

/* Resident memory in bytes: the second number of /proc/self/statm (proc(5)). */
static uint64_t resident(struct mc_ctx *ctx)
{
	char *text, *end;
	uint64_t pages = 0;

	if (mc_read_file(ctx, "/proc/self/statm", &text) > 0) {
		strtoull(text, &end, 10);
		pages = strtoull(end, NULL, 10);
	}
	return pages * sysconf(_SC_PAGESIZE);
}

static struct mc_journal_status journal_of(struct journal_writer *journal_writer)
{
	struct journal_writer_status status;

	if (journal_writer == NULL)
		return (struct mc_journal_status){ 0 };
	journal_writer_count(journal_writer, &status);
	return (struct mc_journal_status){
		.open = true,
		.failing = status.failing_since != 0,
		.failing_since = status.failing_since,
		.queued = status.queued,
		.bytes = status.journal.bytes,
		.limit_bytes = status.journal.limit,
		.records = status.journal.end.seq - 1,
		.bypassed = status.bypassed,
		.damaged_bytes = status.journal.damage.bytes + status.journal.damage.torn,
		.failures = status.journal.write_failures + status.journal.sync_failures,
	};
}

void mc_status(struct mc_ctx *ctx, struct mc_status *status)
{
	struct engine *engine = engine_of(ctx);
	struct scheduler_counts reads = { 0 };
	struct store_counts counts;
	struct scheduler *scheduler = engine->scheduler;
	struct instance_set_reader visit = instance_set_read_lock(&engine->instances);
	struct timespec cpu;

	if (scheduler != NULL)
		scheduler_count(scheduler, &reads);
	store_count(engine->registry.store, &counts);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
	*status = (struct mc_status){
		.version = engine->settings.version,
		.host = engine->host,
		.started = engine->started,
		.cpu = cpu.tv_sec * MC_SECOND + cpu.tv_nsec,
		.memory = resident(ctx),
		.series = counts.series,
		.series_limit = counts.limit,
		.series_refused = counts.refused,
		.series_warning = states_count(engine->registry.store, MC_STATE_WARNING),
		.series_failure = states_count(engine->registry.store, MC_STATE_FAILURE),
		.rules = judge_count_rules(visit.instance_set->judges),
		.samples = engine->samples,
		.samples_refused = engine->refused,
		.samples_filtered = engine->judges.filtered,
		.samples_late = engine->late,
		.notifications = engine->notifications,
		.threads = reads.threads,
		.threads_stuck = reads.stuck,
		.journal = journal_of(visit.instance_set->journal_writer),
	};
	instance_set_read_unlock(&engine->instances, visit);
	pthread_mutex_lock(&engine->reload.lock);
	status->reload = engine->reload.status;
	pthread_mutex_unlock(&engine->reload.lock);
}

void engine_note_reload(struct engine *engine, bool refused, const char *failure)
{
	struct mc_reload_status *status = &engine->reload.status;

	pthread_mutex_lock(&engine->reload.lock);
	status->count++;
	status->refused += refused;
	status->time = clock_wall();
	text_copy(status->failure, sizeof(status->failure), failure);
	pthread_mutex_unlock(&engine->reload.lock);
}

void mc_reload(struct mc_ctx *ctx)
{
	(void)ctx;
	kill(getpid(), SIGHUP);
}

void mc_each_reader(struct mc_ctx *ctx,
		    void (*visit)(void *argument, const struct mc_reader_status *), void *argument)
{
	struct engine *engine = engine_of(ctx);
	struct instance_set_reader here = instance_set_read_lock(&engine->instances);

	for (unsigned i = 0; i < here.instance_set->instances_len; i++) {
		struct instance *instance = here.instance_set->instances[i];
		char failure[LOG_ONCE_SIZE];
		struct mc_reader_status status = {
			.name = instance->context.ctx.name,
			.values = instance->samples,
			.failures = instance->reading.failures,
			.refused = instance->refused,
			.failure = failure,
		};

		if (instance->context.plugin->read == NULL && instance->context.plugin->run == NULL)
			continue;
		log_once_text(&instance->context.log_once, failure);
		if (instance->context.plugin->read != NULL)
			scheduler_status(engine->scheduler, &instance->reading, &status);
		if (instance->reading.running)
			status.cpu += thread_clock_time(instance->clock);
		visit(argument, &status);
	}
	instance_set_read_unlock(&engine->instances, here);
}

void mc_each_writer(struct mc_ctx *ctx,
		    void (*visit)(void *argument, const struct mc_writer_status *), void *argument)
{
	struct engine *engine = engine_of(ctx);
	struct instance_set_reader here = instance_set_read_lock(&engine->instances);
	uint64_t waiting = journal_of(here.instance_set->journal_writer).queued;

	for (unsigned i = 0; i < here.instance_set->instances_len; i++) {
		struct instance *instance = here.instance_set->instances[i];
		struct mc_writer_status status;
		char failure[LOG_ONCE_SIZE];

		if (instance->context.writer == NULL)
			continue;
		writer_status(instance->context.writer, &status);
		if (status.durable) { /* Samples waiting for the disk. */
			status.accepted += waiting;
			status.queued += waiting;
		}
		writer_failure(instance->context.writer, failure);
		if (failure[0] == '\0') /* Said by run(), or mc_drop(). */
			log_once_text(&instance->context.log_once, failure);
		status.failure = failure;
		visit(argument, &status);
	}
	instance_set_read_unlock(&engine->instances, here);
}

/* Which writers judges keep the series of that name from. */
static uint32_t excluded(struct mc_ctx *ctx, const char *name)
{
	struct mc_reading *reading = mc_read_begin(ctx);
	struct mc_series *series = mc_find(reading, name, strlen(name));
	uint32_t flags = series != NULL ? judge_excluded(&engine_of(ctx)->judges, series) : 0;

	mc_read_end(reading);
	return flags;
}

void mc_each_destination(struct mc_ctx *ctx, const char *name,
			 void (*visit)(void *argument, const char *writer, const char *where),
			 void *argument)
{
	struct engine *engine = engine_of(ctx);
	uint32_t flags = excluded(ctx, name);
	struct instance_set_reader here = instance_set_read_lock(&engine->instances);

	for (unsigned i = 0; i < here.instance_set->instances_len; i++) {
		struct instance *instance = here.instance_set->instances[i];
		char where[4096] = "";

		if (!instance->started || instance->context.callbacks->write == NULL ||
		    (route_of(instance->context.writer) & flags) != 0 ||
		    (instance->context.callbacks->on_request &&
		     instance->context.callbacks->where == NULL))
			continue;
		if (instance->context.callbacks->where != NULL)
			instance->context.callbacks->where(&instance->context.ctx, name, where,
							   sizeof(where));
		visit(argument, instance->context.ctx.name, where);
	}
	instance_set_read_unlock(&engine->instances, here);
}

int mc_flush(struct mc_ctx *ctx, const char *writer, mc_time age, const char *name)
{
	struct engine *engine = engine_of(ctx);
	struct instance_set_reader here = instance_set_read_lock(&engine->instances);
	int rc = writer != NULL ? -ENOENT : 0;

	for (unsigned i = 0; i < here.instance_set->instances_len; i++) {
		struct instance *instance = here.instance_set->instances[i];

		if (instance->context.writer == NULL ||
		    (writer != NULL && strcmp(instance->context.ctx.name, writer) != 0))
			continue;
		writer_flush(instance->context.writer, age, name);
		rc = 0;
	}
	instance_set_read_unlock(&engine->instances, here);
	return rc;
}
