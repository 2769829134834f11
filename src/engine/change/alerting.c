/* SPDX-License-Identifier: MIT */
#include "engine/change/alerting.h"

#include <collector/private/alerts.h>

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/text.h"
#include "engine/alerts/alerts.h"
#include "engine/change/engine_internal.h"
#include "engine/change/expected_ends.h"
#include "engine/store/store.h"
#include "engine/write/durable/journal_writer.h"
#include "engine/write/writer.h"

#define FAILS_LOOKS 6               /* A reader that fails once is no alert. */
#define DROPS_FOR (600 * MC_SECOND) /* Drops are bad news for so long. */
#define JOURNAL_WARNING 80          /* Percent of JournalBytes. */
#define JOURNAL_FAILURE 95
#define END_WITHIN (3600 * MC_SECOND)
#define PRUNE_EVERY (60 * MC_SECOND) /* Acknowledgements of what is over go. */

static struct engine *engine_of(struct mc_ctx *ctx)
{
	return instance_of(ctx)->engine;
}

/* --- States ----------------------------------------------------------------- */

static void stand(struct engine *engine, struct instance *instance,
		  const struct mc_standing *standing)
{
	const struct alerts_owner owner = { instance->context.ctx.name,
					    instance->context.number + 1 };
	struct mc_standing full = *standing;
	char name[ALERTS_NAME_SIZE];

	if (full.id.host == NULL)
		full.id.host = engine->host;
	if (full.id.plugin == NULL)
		full.id.plugin = instance->context.plugin->name;
	alerts_name(&full.id, name);
	if (!alerts_stand(engine->alerts, &owner, name, &full) || full.quiet)
		return;
	dispatch_notification(engine, instance,
			      &(struct mc_notification){ .severity = full.severity,
							 .id = full.id,
							 .message = full.reason });
}

void mc_stand(struct mc_ctx *ctx, const struct mc_standing *standing)
{
	stand(engine_of(ctx), instance_of(ctx), standing);
}

void mc_expect_end(struct mc_ctx *ctx, const struct mc_id *id, bool expected)
{
	double timeout = store_timeout(engine_of(ctx)->registry.store);
	mc_time until = clock_now() + END_WITHIN + (mc_time)(3 * timeout * (double)ctx->interval);
	struct mc_id full = *id;

	if (full.host == NULL)
		full.host = engine_of(ctx)->host;
	if (full.plugin == NULL)
		full.plugin = instance_of(ctx)->context.plugin->name;
	expected_ends_set(engine_of(ctx)->expected_ends, &full, expected ? until : 0);
}

bool mc_is_end_expected(struct mc_ctx *ctx, const struct mc_series *series)
{
	return expected_ends_has(engine_of(ctx)->expected_ends, mc_name(series));
}

/* --- The engine's own ---------------------------------------------------------- */

struct look {
	struct engine *engine;
	struct instance *self;
};

static void set(const struct look *look, struct mc_id id, enum mc_severity severity,
		const char *reason, const char *advice)
{
	stand(look->engine, look->self,
	      &(struct mc_standing){
		      .id = id, .severity = severity, .reason = reason, .advice = advice });
}

static struct mc_id own_id(const char *instance, const char *type)
{
	return (struct mc_id){ .plugin_instance = instance, .type = type };
}

static void look_at_reader(const struct look *look, struct instance *instance)
{
	const char *name = instance->context.ctx.name;
	char why[LOG_ONCE_SIZE] = "", reason[LOG_ONCE_SIZE + 128];
	bool fails;

	if ((instance->context.plugin->read == NULL && instance->context.plugin->run == NULL) ||
	    instance->recorded)
		return;
	log_once_text(&instance->context.log_once, why);
	instance->failing = why[0] != '\0' ? instance->failing + 1 : 0;
	fails = instance->failing >= FAILS_LOOKS;
	snprintf(reason, sizeof(reason),
		 fails ? "the plugin %s fails: %s" : "the plugin %s works again", name, why);
	if (fails || instance->failing == 0)
		set(look, own_id(name, "reader"), fails ? MC_WARNING : MC_OKAY, reason,
		    "collectorctl status has its figures, the log the first failure.");
}

static void look_at_writer(const struct look *look, struct instance *instance)
{
	const char *name = instance->context.ctx.name;
	struct mc_writer_status status;
	char reason[256];
	uint64_t dropped;

	if (instance->context.writer == NULL)
		return;
	writer_status(instance->context.writer, &status);
	dropped = status.dropped_full + status.dropped_refused + status.dropped_quota +
		  status.dropped_damaged;
	if (dropped > instance->dropped) {
		instance->dropped_since = clock_now();
		instance->dropped = dropped;
	}
	if (instance->dropped_since == 0)
		return;
	if (clock_now() - instance->dropped_since >= DROPS_FOR) {
		instance->dropped_since = 0;
		snprintf(reason, sizeof(reason), "%s drops no values any more", name);
		set(look, own_id(name, "writer"), MC_OKAY, reason, NULL);
		return;
	}
	snprintf(reason, sizeof(reason), "%s has dropped %llu values since the start", name,
		 (unsigned long long)dropped);
	set(look, own_id(name, "writer"), MC_FAILURE, reason,
	    "Its destination is away or too slow: see DROPPED in collectorctl status -l.");
}

static void look_at_journal(const struct look *look, struct journal_writer *journal)
{
	struct journal_writer_status status;
	double percent;
	char reason[256];
	enum mc_severity severity = MC_OKAY;

	journal_writer_count(journal, &status);
	percent = 100 * (double)status.journal.bytes / (double)status.journal.limit;
	if (status.failing_since != 0 || percent >= JOURNAL_FAILURE)
		severity = MC_FAILURE;
	else if (percent >= JOURNAL_WARNING)
		severity = MC_WARNING;
	if (status.failing_since != 0)
		snprintf(reason, sizeof(reason), "the journal cannot be written");
	else
		snprintf(reason, sizeof(reason), "the journal is %.0f %% full%s", percent,
			 severity != MC_OKAY ? ": values are about to be dropped" : "");
	set(look, own_id(NULL, "journal"), severity, reason,
	    "See which writer lags in collectorctl status, and the disk of JournalDir.");
}

static bool lives(void *argument, uint64_t number)
{
	const struct look *look = argument;
	struct instance_set_reader visit = instance_set_read_lock(&look->engine->instances);
	bool found = false;

	for (unsigned i = 0; !found && i < visit.instance_set->instances_len; i++)
		found = visit.instance_set->instances[i]->context.number + 1 == number;
	instance_set_read_unlock(&look->engine->instances, visit);
	return found;
}

/* --- Notifications that the engine sends ----------------------------------------- */

/* The parts of a name, which is cut. */
static struct mc_id parts_of(char *name)
{
	struct mc_id id = { .host = strsep(&name, "/") };

	id.plugin_instance = strsep(&name, "/");
	id.type_instance = name;
	id.plugin = id.plugin_instance != NULL ? strsep((char **)&id.plugin_instance, "-") : NULL;
	id.type = id.type_instance != NULL ? strsep((char **)&id.type_instance, "-") : NULL;
	return id;
}

static void notify(const struct look *look, const char *name, enum mc_severity severity,
		   const char *message)
{
	char *copy = alloc_copy(name);

	dispatch_notification(look->engine, look->self,
			      &(struct mc_notification){ .severity = severity,
							 .id = parts_of(copy),
							 .message = message });
	free(copy);
}

static void show_left(void *argument, const char *name)
{
	notify(argument, name, MC_OKAY, "not reported any more");
}

struct expired {
	const struct look *look;
	const char *pattern;
};

static void remind(void *argument, const char *judge, const struct mc_alert *alert)
{
	const struct expired *expired = argument;

	(void)judge;
	if (alert->acknowledged == NULL && alert->silenced_until == 0 &&
	    alerts_matches(expired->pattern, alert->series))
		notify(expired->look, alert->series,
		       alert->state == MC_STATE_FAILURE ? MC_FAILURE : MC_WARNING, alert->reason);
}

static void show_expired(void *argument, const char *pattern)
{
	struct expired expired = { argument, pattern };

	mc_each_alert(&expired.look->self->context.ctx, remind, &expired);
}

static void ignore(void *argument, const char *judge, const struct mc_alert *alert)
{
	(void)argument;
	(void)judge;
	(void)alert;
}

void alerting_look(struct engine *engine)
{
	struct instance_set_reader visit = instance_set_read_lock(&engine->instances);
	struct look look = { engine, visit.instance_set->instances[0] };

	for (unsigned i = 0; i < visit.instance_set->instances_len; i++) {
		struct instance *instance = visit.instance_set->instances[i];

		if (!instance->started)
			continue;
		look_at_reader(&look, instance);
		look_at_writer(&look, instance);
	}
	if (visit.instance_set->journal_writer != NULL)
		look_at_journal(&look, visit.instance_set->journal_writer);
	instance_set_read_unlock(&engine->instances, visit);
	alerts_end_left(engine->alerts, lives, show_left, &look);
	alerts_expire(engine->alerts, show_expired, &look);
	if (alerts_has_acknowledged(engine->alerts) && clock_now() >= engine->prune_due) {
		engine->prune_due = clock_now() + PRUNE_EVERY;
		mc_each_alert(&look.self->context.ctx, ignore, NULL);
	}
}

/* --- What people do ------------------------------------------------------------- */

struct acknowledging {
	struct alerts *alerts;
	const char *glob, *reason;
	size_t len;
};

static void acknowledge(void *argument, const char *judge, const struct mc_alert *alert)
{
	struct acknowledging *acknowledging = argument;

	(void)judge;
	if (fnmatch(acknowledging->glob, alert->series, 0) != 0)
		return;
	alerts_acknowledge(acknowledging->alerts, alert->series, alert->state,
			   acknowledging->reason);
	acknowledging->len++;
}

size_t mc_acknowledge(struct mc_ctx *ctx, const char *glob, const char *reason)
{
	struct acknowledging acknowledging = { engine_of(ctx)->alerts, glob, reason, 0 };

	mc_each_alert(ctx, acknowledge, &acknowledging);
	return acknowledging.len;
}

int mc_silence(struct mc_ctx *ctx, const struct mc_silence *silence)
{
	return alerts_silence(engine_of(ctx)->alerts, silence);
}

int mc_unsilence(struct mc_ctx *ctx, const char *pattern)
{
	return alerts_unsilence(engine_of(ctx)->alerts, pattern);
}

void mc_each_silence(struct mc_ctx *ctx, void (*visit)(void *argument, const struct mc_silence *),
		     void *argument)
{
	alerts_each_silence(engine_of(ctx)->alerts, visit, argument);
}

void mc_each_past_alert(struct mc_ctx *ctx,
			void (*visit)(void *argument, const struct mc_past_alert *), void *argument)
{
	alerts_each_past(engine_of(ctx)->alerts, visit, argument);
}
