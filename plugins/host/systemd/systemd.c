/* SPDX-License-Identifier: MIT */
/* systemd: states and restarts of systemd's units, as systemd reports them (bus.h). */
#include <collector/check.h>
#include <collector/kit/alloc.h>
#include <collector/kit/loop.h>
#include <collector/kit/wait.h>
#include <collector/plugin.h>
#include <collector/private/alerts.h>
#include <collector/serve.h>

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bus.h"

#define SOCKET_PATH_MAX 107 /* unix(7) */
#define REASON_SIZE 512

struct systemd {
	struct mc_strings patterns;
	bool ignore, reports_sub_state, notifies;
	const char *socket;
	int64_t units_max;

	const char **names; /* Those of the patterns that are names. */
	struct mc_strings wanted_names;
	struct units units;
	struct bus bus;
	struct mc_loop loop;
	struct mc_loop_timer turn;
	struct mc_every every;
};

/* --- Which units ------------------------------------------------------------------------ */

static bool is_name(const char *pattern)
{
	return strpbrk(pattern, "*?[") == NULL;
}

static bool wants(void *argument, const char *name)
{
	const struct systemd *self = argument;
	bool found = false;

	if (self->patterns.len == 0)
		return fnmatch("*.service", name, FNM_NOESCAPE) == 0;
	for (size_t i = 0; i < self->patterns.len && !found; i++)
		found = fnmatch(self->patterns.items[i], name, FNM_NOESCAPE) == 0;
	return found != self->ignore;
}

/* --- Failures --------------------------------------------------------------------------- */

static void stand(struct systemd *self, const struct unit *unit, enum mc_severity severity,
		  const char *reason)
{
	char advice[BUS_NAME_SIZE + 64];

	snprintf(advice, sizeof(advice), "journalctl -u '%s' has what it wrote.", unit->name);
	mc_stand(self->loop.ctx,
		 &(struct mc_standing){
			 .id = { .plugin_instance = unit->name, .type = "unit_state" },
			 .severity = severity,
			 .reason = reason,
			 .advice = severity == MC_OKAY ? NULL : advice,
			 .since = unit->since,
		 });
}

static void report_failure(struct systemd *self, struct unit *unit, uint64_t failures)
{
	char reason[REASON_SIZE];
	size_t used;

	outcome_text(&unit->outcome, unit->name, reason, sizeof(reason));
	used = strlen(reason);
	if (failures > 1)
		snprintf(reason + used, sizeof(reason) - used, " (%llu times)",
			 (unsigned long long)failures);
	free(unit->reason);
	unit->reason = mc_alloc_copy(reason);
	unit->since = mc_wall();
	stand(self, unit, MC_FAILURE, reason);
}

static void report_recovery(struct systemd *self, struct unit *unit, const char *what)
{
	char reason[REASON_SIZE];

	snprintf(reason, sizeof(reason), "%s %s", unit->name, what);
	free(unit->reason);
	unit->reason = NULL;
	unit->since = 0;
	stand(self, unit, MC_OKAY, reason);
}

static void on_changed(void *argument, struct unit *unit)
{
	struct systemd *self = argument;
	uint64_t failures = unit->unreports;

	if (!self->notifies || !units_report(unit, mc_now()))
		return;
	unit->unreports = 0;
	if (unit->is_reported)
		report_failure(self, unit, failures);
	else
		report_recovery(self, unit,
				unit->state == STATE_INACTIVE ? "is not failed any more"
							      : "is active again");
}

static void on_removed(void *argument, struct unit *unit)
{
	if (unit->is_reported)
		report_recovery(argument, unit, "is gone");
}

/* --- Values ----------------------------------------------------------------------------- */

static void put_state(struct mc_batch *batch, const struct unit *unit)
{
	union mc_value values[STATE_LEN];

	for (int i = 0; i < STATE_LEN; i++)
		values[i].gauge = unit->state == (enum state)i;
	mc_put(batch, mc_series(batch, MC_ID(.plugin_instance = unit->name, .type = "unit_state")),
	       values, STATE_LEN);
}

static void put_unit(const struct systemd *self, struct mc_batch *batch, const struct unit *unit)
{
	bool is_up = unit->state == STATE_ACTIVE || unit->state == STATE_RELOADING;
	double age = (double)(mc_wall() / 1000 - (int64_t)unit->entered) / 1e6;

	put_state(batch, unit);
	if (self->reports_sub_state && unit->sub_state >= 0)
		mc_put_gauge(batch, unit->sub_state, .plugin_instance = unit->name,
			     .type = "unit_sub_state");
	if (unit->restarts >= 0)
		mc_put_derive(batch, unit->restarts, .plugin_instance = unit->name,
			      .type = "unit_restarts");
	if (is_up && unit->entered > 0 && age >= 0)
		mc_put_gauge(batch, age, .plugin_instance = unit->name, .type = "uptime");
}

static void put_all(struct systemd *self, struct mc_batch *batch)
{
	unsigned counts[STATE_LEN] = { 0 };

	for (struct unit *unit = units_next(&self->units, NULL); unit != NULL;
	     unit = units_next(&self->units, unit)) {
		if (unit->state == STATE_UNKNOWN)
			continue;
		counts[unit->state]++;
		put_unit(self, batch, unit);
		if (unit->is_reported && !unit->has_failed)
			on_changed(self, unit); /* It had to wait. */
		else if (unit->is_reported)
			stand(self, unit, MC_FAILURE, unit->reason);
		else if (unit->has_failed && unit->asked == 0 && unit->wanted == 0)
			on_changed(self, unit);
	}
	for (int i = 0; i < STATE_LEN; i++)
		mc_put_gauge(batch, counts[i], .type = "count",
			     .type_instance = state_word((enum state)i));
}

static void on_turn(void *argument)
{
	struct systemd *self = argument;
	struct mc_batch *batch;

	mc_every_done(&self->every, self->loop.now);
	mc_loop_set_timer(&self->loop, &self->turn, self->every.next);
	bus_look(&self->bus);
	if (!bus_is_current(&self->bus))
		return;
	batch = mc_begin(self->loop.ctx);
	put_all(self, batch);
	mc_commit(batch);
}

/* --- Life ------------------------------------------------------------------------------- */

static void systemd_check(struct mc_ctx *ctx)
{
	const struct systemd *self = ctx->self;

	if (strlen(self->socket) > SOCKET_PATH_MAX)
		mc_check_error(ctx, &self->socket, "is longer than the path of a socket can be");
	if (self->ignore && self->patterns.len == 0)
		mc_check_warn(ctx, &self->ignore, "has no effect without a Unit");
	for (size_t i = 0; i < self->patterns.len; i++)
		if (is_name(self->patterns.items[i]) &&
		    strchr(self->patterns.items[i], '.') == NULL)
			mc_check_error(ctx, &self->patterns.items[i],
				       "is not a unit: it lacks the kind, as in '%s.service'",
				       self->patterns.items[i]);
}

static void find_names(struct systemd *self, bool *lists_all)
{
	*lists_all = self->ignore || self->patterns.len == 0;
	self->names = mc_alloc_array(self->patterns.len + 1, sizeof(*self->names));
	self->wanted_names.items = self->names;
	for (size_t i = 0; i < self->patterns.len; i++) {
		if (!is_name(self->patterns.items[i]))
			*lists_all = true;
		else if (!self->ignore)
			self->names[self->wanted_names.len++] = self->patterns.items[i];
	}
}

static int systemd_start(struct mc_ctx *ctx)
{
	struct systemd *self = ctx->self;

	self->units.limit = (size_t)self->units_max;
	self->loop.ctx = ctx;
	self->every.period = ctx->interval;
	self->turn.expired = on_turn;
	self->turn.argument = self;
	self->bus = (struct bus){
		.loop = &self->loop,
		.path = self->socket,
		.units = &self->units,
		.names = &self->wanted_names,
		.wants = wants,
		.changed = on_changed,
		.removed = on_removed,
		.argument = self,
	};
	find_names(self, &self->bus.lists_all);
	return mc_loop_init(&self->loop);
}

static int systemd_run(struct mc_ctx *ctx)
{
	struct systemd *self = ctx->self;
	int rc;

	/* The first turn is before anything is asked, however fast a bus answers. */
	mc_loop_set_timer(&self->loop, &self->turn, mc_now());
	bus_start(&self->bus);
	rc = mc_loop_run(&self->loop);
	bus_stop(&self->bus);
	return rc;
}

static void systemd_stop(struct mc_ctx *ctx)
{
	struct systemd *self = ctx->self;

	mc_loop_done(&self->loop);
	units_done(&self->units);
	free(self->names);
}

static const struct mc_option options[] = {
	{ .name = "Unit",
	  MC_OPT_STRINGS(struct systemd, patterns),
	  .help = "Units that are reported: a name or a glob; by default \"*.service\".",
	  .sample = "nginx.service" },
	{ .name = "IgnoreSelected",
	  MC_OPT_BOOL(struct systemd, ignore),
	  .default_value = "false",
	  .help = "Reports all units but those." },
	{ .name = "ReportSubState",
	  MC_OPT_BOOL(struct systemd, reports_sub_state),
	  .default_value = "false",
	  .help = "Reports the number of the state of their kind, too: running, exited." },
	{ .name = "NotifyFailed",
	  MC_OPT_BOOL(struct systemd, notifies),
	  .default_value = "true",
	  .help = "Sends a notification when a unit fails, and when it has recovered." },
	{ .name = "MaxUnits",
	  MC_OPT_INT(struct systemd, units_max),
	  .min = 1,
	  .max = 1000000,
	  .default_value = "20000",
	  .help = "Units that are followed at most." },
	{ .name = "Socket",
	  MC_OPT_STRING(struct systemd, socket),
	  .default_value = "/run/dbus/system_bus_socket",
	  .help = "Socket of the bus that systemd is on." },
	{ 0 }
};

MC_PLUGIN(systemd) = {
	MC_NAMED(systemd),
	.help = "Follows states and restarts of systemd's units.",
	.self_size = sizeof(struct systemd),
	.options = options,
	.types = (const char *const[]){ "count", "unit_restarts", "unit_state", "unit_sub_state",
					"uptime", NULL },
	.check = systemd_check,
	.start = systemd_start,
	.run = systemd_run,
	.stop = systemd_stop,
};
