/* SPDX-License-Identifier: MIT */
/* The engine as one of its own readers: it ends series that have fallen silent and, if asked to,
 * reports on itself under the names of collectd's CollectInternalStats (collectd.conf(5)). */
#include <stdio.h>

#include <collector/private/status.h>
#include <collector/writer.h>

#include "base/clock.h"
#include "base/log.h"
#include "engine/change/alerting.h"
#include "engine/change/clock_steps.h"
#include "engine/change/engine_internal.h"
#include "engine/change/expected_ends.h"
#include "engine/change/silence.h"
#include "engine/change/silent_hosts.h"
#include "engine/store/listing.h"
#include "engine/write/ended.h"
#include "engine/write/writer.h"
#include "model/series.h"

#define SLEEP_TOLD (5 * MC_SECOND) /* A shorter one is a busy machine. */

struct self {
	struct silence_allowance allowance;
	struct clock_steps clock;
};

static void put(struct mc_batch *out, const char *instance, const char *type,
		const char *type_instance, uint64_t value)
{
	struct mc_series *series =
		mc_series(out, MC_ID(.plugin = "collectd", .plugin_instance = instance,
				     .type = type, .type_instance = type_instance));

	if (series == NULL)
		return;
	if (mc_type(series)->sources[0].kind == MC_GAUGE)
		mc_gauge(out, series, value);
	else
		mc_derive(out, series, value);
}

static void put_queues(struct engine *engine, struct mc_batch *out)
{
	struct instance_set_reader visit = instance_set_read_lock(&engine->instances);
	uint64_t queued = 0, dropped = 0;

	for (unsigned i = 0; i < visit.instance_set->writers_len; i++) {
		struct mc_writer_status status;

		writer_status(visit.instance_set->writers[i], &status);
		queued += status.queued;
		dropped += status.dropped_full + status.dropped_refused + status.dropped_quota +
			   status.dropped_damaged;
	}
	instance_set_read_unlock(&engine->instances, visit);
	put(out, "write_queue", "queue_length", NULL, queued);
	put(out, "write_queue", "derive", "dropped", dropped);
}

struct sweep { /* Handling of series that have fallen silent. */
	struct engine *engine;
	struct silence silence;
	struct mc_batch *ended; /* For writers; NULL: none wants to know. */
};

/* A batch for writers that want to know what has ended, or NULL. */
static struct mc_batch *begin_ended(struct mc_ctx *ctx)
{
	struct engine *engine = instance_of(ctx)->engine;
	struct instance_set_reader visit = instance_set_read_lock(&engine->instances);
	bool wanted = false;

	for (unsigned i = 0; i < visit.instance_set->writers_len; i++)
		wanted |= ended_is_wanted(visit.instance_set->writers[i]);
	instance_set_read_unlock(&engine->instances, visit);
	return wanted ? store_begin(engine->registry.store, ctx) : NULL;
}

static void put_ended(struct engine *engine, struct mc_batch *ended)
{
	struct instance_set_reader visit;

	if (ended == NULL)
		return;
	visit = instance_set_read_lock(&engine->instances);
	for (unsigned i = 0; ended->accepted > 0 && i < visit.instance_set->writers_len; i++)
		ended_put(visit.instance_set->writers[i], ended);
	instance_set_read_unlock(&engine->instances, visit);
	store_release(engine->registry.store, ended);
}

static void found(void *argument, struct mc_series *series, mc_time silent)
{
	struct sweep *sweep = argument;
	struct mc_stamp stamp = { .interval = silent };
	struct mc_latest latest;

	/* Only what had values. */
	store_latest(sweep->engine->registry.store, series, &latest);
	if (latest.time == 0)
		return;
	silent_hosts_note(sweep->engine, series, silent);
	if (!expected_ends_has(sweep->engine->expected_ends, series->name) &&
	    !judge_is_reported(&sweep->engine->judges, series))
		silence_add(&sweep->silence, series, silent);
	if (sweep->ended != NULL)
		mc_put_at(sweep->ended, series, stamp, NULL, 0);
}

static int self_read(struct mc_ctx *ctx, struct mc_batch *out)
{
	struct engine *engine = instance_of(ctx)->engine;
	struct self *self = ctx->self;
	struct store_counts counts;
	struct sweep sweep = { .engine = engine, .ended = begin_ended(ctx) };

	log_tell_left_out();
	store_sweep(engine->registry.store, out, found, &sweep);
	listing_drop(engine->registry.store, clock_now() - LISTING_KEPT);
	silence_tell(&sweep.silence, ctx, &self->allowance);
	put_ended(engine, sweep.ended);
	silent_hosts_look(engine, ctx);
	clock_steps_look(&self->clock, ctx);
	alerting_look(engine);
	if (!engine->internal_stats)
		return 0;
	put_queues(engine, out);
	store_count(engine->registry.store, &counts);
	put(out, "cache", "cache_size", NULL, counts.series);
	return 0;
}

void self_slept(struct engine *engine, mc_time duration)
{
	char text[128];

	store_slept(engine->registry.store, duration);
	if (duration < SLEEP_TOLD)
		return;
	snprintf(text, sizeof(text),
		 "the collector was stopped for %.1f seconds, or its machine "
		 "was: nothing was read",
		 (double)duration * 1e-9);
	dispatch_notification(engine, NULL,
			      &(struct mc_notification){
				      .severity = MC_WARNING,
				      .id = { .plugin = self_plugin.name },
				      .message = text,
			      });
}

const struct mc_plugin self_plugin = {
	.api = MC_API,
	.name = "collector",
	.help = "Ends silent series and reports on the collector itself.",
	.types = (const char *const[]){ "queue_length", "derive", "cache_size", NULL },
	.self_size = sizeof(struct self),
	.read = self_read,
};
