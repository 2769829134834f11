/* SPDX-License-Identifier: MIT */
/* ipmi: sensors and events of BMCs, by IPMI (collectd.conf(5), "Plugin ipmi").  The library that
 * speaks IPMI runs in a process for each BMC: what one sends, or a fault of the library, harms no
 * other and not the daemon. */
#include <collector/check.h>
#include <collector/kit/alloc.h>
#include <collector/plugin.h>

#include <stdlib.h>
#include <string.h>

#include "bmc.h"

#define USER_MAX 16 /* Characters, by IPMI 2.0, 22.28 and 22.30. */
#define PASSWORD_MAX 20

struct instance {
	struct bmc_settings bmc;
};

struct ipmi {
	struct mc_blocks instances;  /* struct instance */
	struct bmc_settings outside; /* Options outside of a block: collectd's until 5.7. */

	const char **env;
	struct bmc *bmcs;
	size_t len;
};

/* The path of collector-ipmi. */
static const char *program(void)
{
	const char *given = secure_getenv("COLLECTOR_IPMI");

	return given != NULL ? given : MC_IPMI_PROGRAM;
}

/* --- Checks ---------------------------------------------------------------------------- */

static void check_text(struct mc_ctx *ctx, const char *const *field, size_t max)
{
	if (*field == NULL)
		return;
	if (strchr(*field, '\n') != NULL)
		mc_check_error(ctx, field, "has a line break");
	else if (strlen(*field) > max)
		mc_check_error(ctx, field, "is longer than %zu characters", max);
}

static void check_bmc(struct mc_ctx *ctx, const struct bmc_settings *settings)
{
	check_text(ctx, &settings->user, USER_MAX);
	check_text(ctx, &settings->password, PASSWORD_MAX);
	mc_check_password(ctx, &settings->password);
	if (settings->address != NULL) {
		mc_check_address(ctx, &settings->address, &settings->port);
		return;
	}
	if (settings->user != NULL)
		mc_check_warn(ctx, &settings->user, "has no effect without Address");
	mc_check_access(ctx, &settings->address, "/dev/ipmi0", MC_ACCESS_WRITE);
}

/* Whether an option stands outside of a block; those of numbers and words have defaults. */
static bool has_outside(const struct bmc_settings *outside)
{
	return outside->host != NULL || outside->address != NULL || outside->user != NULL ||
	       outside->password != NULL || outside->sensors != NULL ||
	       outside->event_sensors != NULL || outside->ignore || outside->events;
}

static void ipmi_check(struct mc_ctx *ctx)
{
	const struct ipmi *self = ctx->self;
	const struct instance *instances = self->instances.items;

	for (size_t i = 0; i < self->instances.len; i++) {
		for (size_t j = 0; j < i; j++)
			if (strcmp(instances[i].bmc.name, instances[j].bmc.name) == 0)
				mc_check_error(ctx, &instances[i].bmc.name, "is there twice");
		check_bmc(ctx, &instances[i].bmc);
	}
	if (self->instances.len == 0)
		check_bmc(ctx, &self->outside);
	else if (has_outside(&self->outside))
		mc_check_warn(ctx, &self->instances,
			      "is a block: options outside of it have no effect");
	if (mc_check_host(ctx))
		mc_check_access(ctx, &self->instances, program(), MC_ACCESS_RUN);
}

/* --- Life ------------------------------------------------------------------------------ */

static int ipmi_start(struct mc_ctx *ctx)
{
	struct ipmi *self = ctx->self;
	const struct instance *instances = self->instances.items;

	self->env = mc_command_env(ctx);
	self->outside.name = "main";
	self->len = self->instances.len > 0 ? self->instances.len : 1;
	self->bmcs = mc_alloc_array(self->len, sizeof(*self->bmcs));
	for (size_t i = 0; i < self->len; i++)
		bmc_init(&self->bmcs[i], ctx,
			 self->instances.len > 0 ? &instances[i].bmc : &self->outside, program(),
			 self->env);
	return 0;
}

static int ipmi_run(struct mc_ctx *ctx)
{
	struct ipmi *self = ctx->self;
	struct mc_loop loop = { .ctx = ctx };
	int rc = mc_loop_init(&loop);

	if (rc == 0) {
		struct mc_spawner *spawner = mc_spawner_new(&loop, NULL);

		for (size_t i = 0; i < self->len; i++)
			bmc_begin(&self->bmcs[i], &loop, spawner);
		rc = mc_loop_run(&loop);
		mc_spawner_free(spawner);
		for (size_t i = 0; i < self->len; i++)
			bmc_end(&self->bmcs[i]);
	}
	mc_loop_done(&loop);
	return rc;
}

static void ipmi_stop(struct mc_ctx *ctx)
{
	struct ipmi *self = ctx->self;

	for (size_t i = 0; i < self->len; i++)
		bmc_done(&self->bmcs[i]);
	free(self->bmcs);
	free(self->env);
	self->bmcs = NULL;
	self->env = NULL;
	self->len = 0;
}

/* --- Options --------------------------------------------------------------------------- */

/* The same in a block and outside of one. */
#define BMC_OPTIONS(self, at)                                                                      \
	{ .name = "Host",                                                                          \
	  MC_OPT_STRING(self, at.host),                                                            \
	  .sample = "db1.example.org",                                                             \
	  .help = "Host in the names of the series; by default this one." },                       \
		{ .name = "Address",                                                               \
		  MC_OPT_STRING(self, at.address),                                                 \
		  .sample = "192.0.2.7",                                                           \
		  .help = "Name or address of the BMC; by default the one of this host, by "       \
			  "/dev/ipmi0." },                                                         \
		{ .name = "Port",                                                                  \
		  MC_OPT_STRING(self, at.port),                                                    \
		  .default_value = "623",                                                          \
		  .help = "UDP port of the BMC." },                                                \
		{ .name = "Username",                                                              \
		  MC_OPT_STRING(self, at.user),                                                    \
		  .sample = "monitor",                                                             \
		  .help = "User for the BMC; it needs the privilege USER." },                      \
		{ .name = "Password",                                                              \
		  MC_OPT_STRING(self, at.password),                                                \
		  .secret = true,                                                                  \
		  .sample = "secret",                                                              \
		  .help = "Password of that user." },                                              \
		{ .name = "AuthType",                                                              \
		  MC_OPT_WORD(self, at.auth),                                                      \
		  .words = bmc_auths,                                                              \
		  .default_value = "best",                                                         \
		  .lenient = true,                                                                 \
		  .help = "How the user proves itself: MD5, rmcp+, or the best that the BMC "      \
			  "has." },                                                                \
		{ .name = "Sensor",                                                                \
		  MC_OPT_SELECT(self, at.sensors),                                                 \
		  .sample = "/^CPU/",                                                              \
		  .help = "Sensors that are reported; by default all." },                          \
		{ .name = "IgnoreSelected",                                                        \
		  MC_OPT_BOOL(self, at.ignore),                                                    \
		  .default_value = "false",                                                        \
		  .help = "Reports all sensors but the selected ones." },                          \
		{ .name = "NotifySensorAdd",                                                       \
		  MC_OPT_BOOL(self, at.notify_add),                                                \
		  .default_value = "false",                                                        \
		  .help = "Sends a notification when a sensor comes after the first minute." },    \
		{ .name = "NotifySensorRemove",                                                    \
		  MC_OPT_BOOL(self, at.notify_remove),                                             \
		  .default_value = "false",                                                        \
		  .help = "Sends a notification when a sensor goes away." },                       \
		{ .name = "NotifySensorNotPresent",                                                \
		  MC_OPT_BOOL(self, at.notify_absent),                                             \
		  .default_value = "false",                                                        \
		  .help = "Sends a notification when what a sensor measures is taken out or put "  \
			  "in." },                                                                 \
		{ .name = "NotifyIPMIConnectionState",                                             \
		  MC_OPT_BOOL(self, at.notify_connection),                                         \
		  .default_value = "false",                                                        \
		  .help = "Sends a notification when the connection is lost or restored after "    \
			  "the "                                                                   \
			  "first minute." },                                                       \
		{ .name = "SELEnabled",                                                            \
		  MC_OPT_BOOL(self, at.events),                                                    \
		  .default_value = "false",                                                        \
		  .help = "Sends a notification for each event that the BMC puts into its log." }, \
		{ .name = "SELSensor",                                                             \
		  MC_OPT_SELECT(self, at.event_sensors),                                           \
		  .sample = "/^PSU/",                                                              \
		  .help = "Sensors whose events are notified; by default all." },                  \
		{ .name = "SELIgnoreSelected",                                                     \
		  MC_OPT_BOOL(self, at.events_ignore),                                             \
		  .default_value = "false",                                                        \
		  .help = "Notifies events of all sensors but the selected ones." },               \
		{ .name = "SELClearEvent",                                                         \
		  MC_OPT_BOOL(self, at.clear),                                                     \
		  .default_value = "false",                                                        \
		  .help = "Deletes events that were notified from the log of the BMC." },          \
		MC_QUOTA_SOURCE_OPTIONS(self, at.limits, "BMC", "10000", "1000")

static const struct mc_option instance_options[] = {
	{ .name = "",
	  MC_OPT_STRING(struct instance, bmc.name),
	  .required = true,
	  .sample = "db1",
	  .help = "Name of the BMC, in the log." },
	BMC_OPTIONS(struct instance, bmc),
	{ 0 },
};

static const struct mc_option options[] = {
	{ .name = "Instance",
	  MC_OPT_BLOCKS(struct ipmi, instances),
	  .block = &(const struct mc_block){ .size = sizeof(struct instance),
					     .options = instance_options },
	  .help = "A BMC; without such a block the options outside of one are those of a single "
		  "BMC." },
	BMC_OPTIONS(struct ipmi, outside),
	{ 0 },
};

MC_PLUGIN(ipmi) = {
	MC_NAMED(ipmi),
	.help = "Reads the sensors and the event logs of BMCs, by IPMI.",
	.self_size = sizeof(struct ipmi),
	.options = options,
	.types = (const char *const[]){ "current", "fanspeed", "flow", "memory", "percent", "power",
					"temperature", "voltage", NULL },
	.check = ipmi_check,
	.start = ipmi_start,
	.run = ipmi_run,
	.stop = ipmi_stop,
	.lenient = true,
};
