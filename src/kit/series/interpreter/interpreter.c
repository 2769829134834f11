/* SPDX-License-Identifier: MIT */
#include "kit/series/interpreter/interpreter.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <collector/check.h>
#include <collector/control.h>
#include <collector/kit/alloc.h>
#include <collector/serve.h>

#define END_TIME (1500 * MC_MILLISECOND) /* For what waits, and to stop. */

void interpreter_check(struct mc_ctx *ctx, const struct interpreter *self,
		       const struct mc_strings *folders)
{
	const struct interpreter_options *options = &self->options;
	struct stat folder;

	mc_command_check_user(ctx, &options->user, true);
	if (!mc_check_host(ctx))
		return;
	mc_check_access(ctx, &options->program, options->program, MC_ACCESS_RUN);
	for (size_t i = 0; i < folders->len; i++)
		if (stat(folders->items[i], &folder) != 0 || !S_ISDIR(folder.st_mode))
			mc_check_warn(ctx, &folders->items[i], "is not a folder");
}

/* --- What modules are given ----------------------------------------------- */

/* Gives it to all modules that want it.  False: one has no room for it. */
static bool give(struct interpreter *self, enum reply_kind kind, struct mc_json *json,
		 uint64_t samples)
{
	bool fits = true;

	for (size_t i = 0; i < self->len; i++)
		if (!waiting_add(&self->modules[i].waiting, kind, json, samples))
			fits = false;
	mc_json_free(json);
	mc_loop_wake(&self->wakeup);
	return fits;
}

static bool is_wanted(struct interpreter *self, enum reply_kind kind)
{
	for (size_t i = 0; i < self->len; i++)
		if (waiting_wants(&self->modules[i].waiting, kind))
			return true;
	return false;
}

int interpreter_write(struct interpreter *self, const struct mc_batch *batch)
{
	struct mc_json *json;
	uint64_t samples;

	if (!is_wanted(self, REPLY_WRITE))
		return 0;
	json = message_values(batch, &samples);
	if (!give(self, REPLY_WRITE, json, samples))
		mc_drop(self->settings.ctx, samples, 0, "a module takes them too slowly");
	return 0;
}

int interpreter_notify(struct interpreter *self, const struct mc_notification *notification)
{
	if (!is_wanted(self, REPLY_NOTIFICATION) ||
	    give(self, REPLY_NOTIFICATION, message_notification(notification), 0))
		return 0;
	return mc_fail(self->settings.ctx, 0, "a module takes notifications too slowly");
}

int interpreter_flush(struct interpreter *self, mc_time age, const char *name)
{
	if (!is_wanted(self, REPLY_FLUSH) || give(self, REPLY_FLUSH, message_flush(age, name), 0))
		return 0;
	return mc_fail(self->settings.ctx, 0, "a module is too slow for a flush");
}

/* The module counts items without room. */
void interpreter_log(struct interpreter *self, enum mc_level level, const char *line)
{
	if (is_wanted(self, REPLY_LOGGING))
		give(self, REPLY_LOGGING, message_log(level, line), 0);
}

/* --- Start and end -------------------------------------------------------- */

static void add_modules(struct interpreter *self)
{
	const struct mc_strings *imports = &self->message.imports;

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

int interpreter_start(struct interpreter *self, struct mc_ctx *ctx)
{
	const struct interpreter_options *options = &self->options;
	int rc;

	self->env = mc_command_env(ctx);
	self->settings = (struct module_settings){
		.ctx = ctx,
		.program = self->program,
		.user = options->user,
		.env = self->env,
		.input = &self->input,
		.message = self->message,
		.timeout = options->timeout,
		.queue_size = (size_t)options->queue_size,
		.memory_max = (uint64_t)options->memory_max,
		.serial = self->serial,
		.limits = options->limits,
		.configured = mc_alloc_zero(self->message.configs.len),
	};
	rc = mc_loop_wakeup_init(&self->wakeup);
	if (rc < 0)
		return mc_fail(ctx, -rc, "cannot make an eventfd");
	add_modules(self);
	self->loop.ctx = ctx;
	return mc_loop_init(&self->loop);
}

void interpreter_stop(struct interpreter *self)
{
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

static void subscribe(struct interpreter *self, struct mc_ctx *ctx)
{
	bool wanted = is_wanted(self, REPLY_WRITE) || is_wanted(self, REPLY_NOTIFICATION);

	if (wanted != self->subscribed)
		mc_subscribe(ctx, wanted);
	self->subscribed = wanted;
}

/* Once, when all modules have been started. */
static void tell_unconfigured(struct interpreter *self, struct mc_ctx *ctx)
{
	for (size_t i = 0; i < self->len; i++)
		if (!self->modules[i].was_started)
			return;
	for (size_t i = 0; i < self->settings.message.configs.len && !self->reported; i++) {
		const struct mc_config *config = &self->settings.message.configs.items[i];

		if (!self->settings.configured[i])
			mc_log(ctx, MC_WARN, "no module takes the options in <%s %s>", self->block,
			       config->values_len > 0 ? config->values[0].text : "");
	}
	self->reported = true;
}

/* Asks the modules, and ends the round of their values. */
static void after_round(void *argument)
{
	struct interpreter *self = argument;
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
	struct interpreter *self = argument;

	mc_plain_input_end(&self->input);
}

/* after_round() does it. */
static void on_wake(void *argument)
{
	(void)argument;
}

/* The modules get the waiting items, and stop.  Their last values do not go to each other. */
static void finish(struct interpreter *self)
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

int interpreter_run(struct interpreter *self)
{
	struct mc_ctx *ctx = self->settings.ctx;
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
