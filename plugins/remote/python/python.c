/* SPDX-License-Identifier: MIT */
/* python - modules that were written for collectd's plugin python, each in a
 * process of its own: one that hangs or crashes concerns no other, and nothing
 * of Python is in the daemon.  Facts: collectd-python(5).
 *
 * The thread of run() talks to all processes.  The writer's thread, and those
 * that log, leave what modules want to have in their queues. */
#include <collector/check.h>
#include <collector/control.h>
#include <collector/kit/alloc.h>
#include <collector/plugin.h>
#include <collector/serve.h>
#include <collector/writer.h>

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "module.h"

#define END_TIME (1500 * MC_MILLISECOND) /* For what waits, and to stop. */

struct python {
	struct mc_strings module_path, imports;
	struct mc_configs configs;
	bool log_traces, interactive;
	const char *encoding, *interpreter, *user;
	mc_time timeout;
	int64_t queue_size;
	struct mc_quota_limits limits; /* Of a module. */

	const char **env;
	struct mc_plain_input input;
	struct module_settings settings;
	struct module *modules;
	size_t len;
	struct mc_loop loop;
	struct mc_loop_wakeup wakeup; /* Something waits for a module. */
	struct mc_loop_timer due;
	bool subscribed;
	bool reported; /* Of blocks that no module takes. */
};

/* --- Options -------------------------------------------------------------- */

static const struct mc_option python_options[] = {
	{ "ModulePath", MC_OPT_STRINGS(struct python, module_path),
	  .help = "Folder where modules are looked for, before all others.",
	  .sample = "/usr/lib/collectd/python" },
	{ "Encoding", MC_OPT_STRING(struct python, encoding), .no_effect = true,
	  .help = "Strings are always in UTF-8." },
	{ "LogTraces", MC_OPT_BOOL(struct python, log_traces), .default_value = "false",
	  .help = "Logs the trace of an exception that a callback throws." },
	{ "Interactive", MC_OPT_BOOL(struct python, interactive), .default_value = "false",
	  .help = "Has no effect: modules have no terminal." },
	{ "Import", MC_OPT_STRINGS(struct python, imports),
	  .help = "Module to import; it gets a process of its own.", .sample = "spam" },
	{ "Module", MC_OPT_CONFIGS(struct python, configs),
	  .help = "Options of a module: what they are, it says itself.", .sample = "spam" },
	{ "User", MC_OPT_STRING(struct python, user),
	  .help = "User, or USER:GROUP, that modules run as; by default that "
		  "of the collector." },
	{ "Interpreter", MC_OPT_STRING(struct python, interpreter), .default_value = "python3",
	  .help = "Python 3, by its path or looked for in PATH." },
	{ "Timeout", MC_OPT_TIME(struct python, timeout), .default_value = "60",
	  .help = "Seconds that a callback of a module may take; then its "
		  "process is killed, and started again.",
	  .min = 0.001, .max = 1e9 },
	MC_QUOTA_SOURCE_OPTIONS(struct python, limits, "module", "50000", "5000"),
	{ "QueueBytes", MC_OPT_INT(struct python, queue_size), .default_value = "4194304",
	  .help = "Most bytes of values, notifications and lines of the log "
		  "that wait for a module that asks for them.",
	  .min = 4096, .max = 1 << 30 },
	{ 0 },
};

static void python_check(struct mc_ctx *ctx)
{
	const struct python *self = ctx->self;
	struct stat folder;

	if (self->interactive)
		mc_check_warn(ctx, &self->interactive,
			      "has no effect: modules run in processes of "
			      "their own, without a terminal");
	mc_command_check_user(ctx, &self->user, true);
	if (mc_check_host(ctx))
		mc_check_access(ctx, &self->interpreter, self->interpreter, MC_ACCESS_RUN);
	for (size_t i = 0; mc_check_host(ctx) && i < self->module_path.len; i++)
		if (stat(self->module_path.items[i], &folder) != 0 || !S_ISDIR(folder.st_mode))
			mc_check_warn(ctx, &self->module_path.items[i], "is not a folder");
}

/* --- What modules are given ----------------------------------------------- */

/* Gives it to all modules that want it.  False: one has no room for it. */
static bool give(struct python *self, enum reply_kind kind, struct mc_json *json, uint64_t samples)
{
	bool fits = true;

	for (size_t i = 0; i < self->len; i++)
		if (!waiting_add(&self->modules[i].waiting, kind, json, samples))
			fits = false;
	mc_json_free(json);
	mc_loop_wake(&self->wakeup);
	return fits;
}

static bool is_wanted(struct python *self, enum reply_kind kind)
{
	for (size_t i = 0; i < self->len; i++)
		if (waiting_wants(&self->modules[i].waiting, kind))
			return true;
	return false;
}

static int python_write(struct mc_ctx *ctx, const struct mc_batch *batch)
{
	struct python *self = ctx->self;
	struct mc_json *json;
	uint64_t samples;

	if (!is_wanted(self, REPLY_WRITE))
		return 0;
	json = message_values(batch, &samples);
	if (!give(self, REPLY_WRITE, json, samples))
		mc_drop(ctx, samples, 0, "a module takes them too slowly");
	return 0;
}

static int python_notify(struct mc_ctx *ctx, const struct mc_notification *notification)
{
	struct python *self = ctx->self;

	if (!is_wanted(self, REPLY_NOTIFICATION) ||
	    give(self, REPLY_NOTIFICATION, message_notification(notification), 0))
		return 0;
	return mc_fail(ctx, 0, "a module takes notifications too slowly");
}

static int python_flush(struct mc_ctx *ctx, mc_time age, const char *name)
{
	struct python *self = ctx->self;

	if (!is_wanted(self, REPLY_FLUSH) || give(self, REPLY_FLUSH, message_flush(age, name), 0))
		return 0;
	return mc_fail(ctx, 0, "a module is too slow for a flush");
}

/* The module counts items without room. */
static void python_log(struct mc_ctx *ctx, enum mc_level level, const char *line)
{
	struct python *self = ctx->self;

	if (is_wanted(self, REPLY_LOGGING))
		give(self, REPLY_LOGGING, message_log(level, line), 0);
}

/* --- Start and end -------------------------------------------------------- */

static void add_modules(struct python *self)
{
	const struct mc_strings *imports = &self->imports;

	self->modules = mc_alloc_array(imports->len, sizeof(*self->modules));
	for (size_t i = 0; i < imports->len; i++) {
		bool is_new = true;

		for (size_t j = 0; j < self->len; j++)
			if (strcmp(self->modules[j].name, imports->items[i]) == 0)
				is_new = false;
		if (is_new)
			module_init(&self->modules[self->len++], &self->settings,
				    imports->items[i]);
	}
}

static int python_start(struct mc_ctx *ctx)
{
	struct python *self = ctx->self;
	const char *shim = secure_getenv("COLLECTOR_PYTHON");
	int rc;

	self->env = mc_command_env(ctx);
	self->settings = (struct module_settings){
		.ctx = ctx,
		.interpreter = self->interpreter,
		.shim = shim != NULL ? shim : MC_PYTHON_SHIM,
		.user = self->user,
		.env = self->env,
		.input = &self->input,
		.message = { .module_path = self->module_path,
			     .imports = self->imports,
			     .configs = self->configs,
			     .log_traces = self->log_traces },
		.timeout = self->timeout,
		.queue_size = (size_t)self->queue_size,
		.limits = self->limits,
		.configured = mc_alloc_zero(self->configs.len),
	};
	rc = mc_loop_wakeup_init(&self->wakeup);
	if (rc < 0)
		return mc_fail(ctx, -rc, "cannot make an eventfd");
	add_modules(self);
	self->loop.ctx = ctx;
	return mc_loop_init(&self->loop);
}

static void python_stop(struct mc_ctx *ctx)
{
	struct python *self = ctx->self;

	for (size_t i = 0; i < self->len; i++)
		module_done(&self->modules[i]);
	free(self->modules);
	self->modules = NULL;
	self->len = 0;
	mc_loop_done(&self->loop);
	mc_loop_wakeup_done(&self->wakeup);
	free(self->settings.configured);
	free(self->env);
	self->settings.configured = NULL;
	self->env = NULL;
}

/* --- run() ---------------------------------------------------------------- */

static void subscribe(struct python *self, struct mc_ctx *ctx)
{
	bool wanted = is_wanted(self, REPLY_WRITE) || is_wanted(self, REPLY_NOTIFICATION);

	if (wanted != self->subscribed)
		mc_subscribe(ctx, wanted);
	self->subscribed = wanted;
}

/* Once, when all modules have been started. */
static void tell_unconfigured(struct python *self, struct mc_ctx *ctx)
{
	for (size_t i = 0; i < self->len; i++)
		if (!self->modules[i].was_started)
			return;
	for (size_t i = 0; i < self->configs.len && !self->reported; i++) {
		const struct mc_config *config = &self->configs.items[i];

		if (!self->settings.configured[i])
			mc_log(ctx, MC_WARN, "no module takes the options in <Module %s>",
			       config->values_len > 0 ? config->values[0].text : "");
	}
	self->reported = true;
}

/* Asks the modules, and ends the round of their values. */
static void after_round(void *argument)
{
	struct python *self = argument;
	mc_time due = INT64_MAX, one;

	mc_plain_input_end(&self->input);
	for (size_t i = 0; i < self->len; i++) {
		module_work(&self->modules[i]);
		one = module_due(&self->modules[i]);
		due = one < due ? one : due;
	}
	subscribe(self, self->settings.ctx);
	tell_unconfigured(self, self->settings.ctx);
	mc_loop_set_timer(&self->loop, &self->due, due);
}

static void after_last_rounds(void *argument)
{
	struct python *self = argument;

	mc_plain_input_end(&self->input);
}

/* after_round() does it. */
static void on_wake(void *argument)
{
	(void)argument;
}

/* The modules get the waiting items, and stop.  Their last values do not go to each other. */
static void finish(struct python *self)
{
	mc_time until = mc_now() + END_TIME;
	bool some = true;

	mc_subscribe(self->settings.ctx, false);
	self->loop.after_round = after_last_rounds;
	while (some && mc_now() < until) {
		some = false;
		for (size_t i = 0; i < self->len; i++)
			some |= module_work_at_end(&self->modules[i]);
		if (some && mc_loop_round(&self->loop, until) < 0)
			break;
	}
	for (size_t i = 0; i < self->len; i++)
		module_kill(&self->modules[i]);
}

static int python_run(struct mc_ctx *ctx)
{
	struct python *self = ctx->self;
	uint64_t lost = 0;
	int rc;

	self->loop.after_round = after_round;
	self->loop.argument = self;
	self->wakeup.woken = self->due.expired = on_wake;
	rc = mc_loop_watch_wakeup(&self->loop, &self->wakeup);
	if (rc < 0)
		return mc_fail(ctx, -rc, "cannot wait");
	self->settings.spawner = mc_spawner_new(&self->loop, NULL);
	mc_plain_input_init(&self->input, ctx);
	mc_loop_set_timer(&self->loop, &self->due, mc_now());
	rc = mc_loop_run(&self->loop);
	finish(self);
	mc_spawner_free(self->settings.spawner);
	mc_plain_input_done(&self->input);
	for (size_t i = 0; i < self->len; i++)
		lost += module_end(&self->modules[i]);
	if (lost > 0)
		mc_drop(ctx, lost, 0, "modules did not take them at the end");
	return rc;
}

static const struct mc_writer writer = {
	.write = python_write,
	.notify = python_notify,
	.flush = python_flush,
	.log = python_log,
	.on_request = true,
};

MC_PLUGIN(python) = {
	MC_NAMED(python),
	.help = "Runs modules that were written for collectd's plugin python, "
		"each in a process of its own.",
	.self_size = sizeof(struct python),
	.options = python_options,
	.check = python_check,
	.start = python_start,
	.writer = &writer,
	.run = python_run,
	.stop = python_stop,
	.lenient = true,
};
