/* SPDX-License-Identifier: MIT */
#include "kit/series/interpreter/module.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/control.h>
#include <collector/kit/alloc.h>
#include <collector/serve.h>

#define STARTS_PAUSE_MAX (300 * MC_SECOND)
#define STEADY_TIME (60 * MC_SECOND)  /* Beyond Timeout: then it works. */
#define LOGGED_MAX ((size_t)16 << 20) /* Bytes within an interval. */
#define LOG_LINES_MAX 100             /* The same, of the log. */
#define UNREAD_MAX ((size_t)1 << 20)  /* Beside what has waited. */
#define LINE_MAX 65536

/* --- Its process ---------------------------------------------------------- */

static void say_why(struct module *, const char *fmt, ...) MC_PRINTF(2, 3);

/* Kills it, and says why once. */
static void say_why(struct module *module, const char *fmt, ...)
{
	char why[400];
	va_list args;

	if (module->child == NULL || module->state == MODULE_KILLED)
		return;
	va_start(args, fmt);
	vsnprintf(why, sizeof(why), fmt, args);
	va_end(args);
	mc_complain(module->settings->ctx, &module->command.ends, 0, "'%s' %s", module->name, why);
	module->state = MODULE_KILLED;
	mc_child_kill(module->child);
}

/* Asks for something. */
static struct module_task send(struct module *module, const char *text, size_t size)
{
	size_t max = UNREAD_MAX + module->settings->queue_size + size;
	char number[32];

	snprintf(number, sizeof(number), "[%" PRIu64 ",", ++module->last_number);
	mc_child_write(module->child, number, strlen(number));
	mc_child_write(module->child, text, size);
	mc_child_write(module->child, "]\n", 2);
	if (mc_child_unread(module->child) > max)
		say_why(module, "was killed: it does not read what it asks for");
	return (struct module_task){ module->last_number, mc_now() };
}

static struct module_task ask(struct module *module, struct mc_json *json)
{
	struct module_task task;
	size_t size;
	const char *text = mc_json_bytes(json, &size);

	task = send(module, text, size);
	mc_json_free(json);
	return task;
}

static void drop_handed(struct module *module)
{
	if (module->handed != NULL && module->handed->samples > 0)
		mc_drop(module->settings->ctx, module->handed->samples, 0,
			"'%s' has ended while it wrote them", module->name);
	free(module->handed);
	module->handed = NULL;
}

static void take_end(void *argument, const struct mc_child_end *end)
{
	struct module *module = argument;
	mc_time now = mc_now();

	if (module->state == MODULE_STARTS || module->state == MODULE_RUNS)
		mc_command_ended(&module->command, end, -1);
	mc_backoff_failed(&module->backoff, now, 0);
	drop_handed(module);
	schedule_free(&module->reads);
	module->life = module->hands = (struct module_task){ 0 };
	module->was_started = true;
	module->child = NULL;
}

static void start(struct module *module)
{
	module->state = MODULE_STARTS;
	module->started = mc_now();
	if (!mc_command_start(&module->command, module->settings->spawner, &module->child)) {
		module->child = NULL;
		mc_backoff_failed(&module->backoff, module->started, 0);
		return;
	}
	module->life = ask(module, message_start(&module->settings->message, module->name));
}

/* --- What it says --------------------------------------------------------- */

static void end_life_task(struct module *module, const struct reply *reply)
{
	module->life = (struct module_task){ 0 };
	if (module->state != MODULE_STARTS)
		return;
	module->was_started = true;
	if (reply->verb == REPLY_FAILED) {
		say_why(module, "%s", reply->text);
		return;
	}
	module->state = MODULE_RUNS;
}

static void end_handed(struct module *module, const struct reply *reply)
{
	struct waiting_request *handed = module->handed;
	uint64_t failed = handed->samples;

	module->handed = NULL;
	module->hands = (struct module_task){ 0 };
	if (reply->verb == REPLY_FAILED && handed->samples > 0) {
		if (reply->count < failed)
			failed = reply->count;
		mc_drop(module->settings->ctx, failed, 0, "'%s' failed: %s", module->name,
			reply->text);
	} else if (reply->verb == REPLY_FAILED) {
		mc_log(module->settings->ctx, MC_ERROR, "'%s' failed: %s", module->name,
		       reply->text);
	}
	free(handed);
}

static void end_read(struct module *module, struct schedule_read *read, const struct reply *reply)
{
	struct mc_ctx *ctx = module->settings->ctx;

	schedule_end(read, mc_now(), reply->verb == REPLY_DONE);
	if (reply->verb == REPLY_FAILED)
		mc_complain(ctx, &read->fails, 0, "read callback '%s': %s", read->name,
			    reply->text);
	else
		mc_works(ctx, &read->fails, "read callback '%s' works", read->name);
}

/* The next task of a program that does one after the other begins now. */
static void begin_next(struct module *module)
{
	mc_time now = mc_now();

	if (!module->settings->serial)
		return;
	module->life.since = module->hands.since = now;
	schedule_restart(&module->reads, now);
}

/* False: nothing of that number was asked for. */
static bool end_task(struct module *module, const struct reply *reply)
{
	struct schedule_read *read;

	if (reply->number == 0)
		return false;
	begin_next(module);
	if (reply->number == module->life.number) {
		end_life_task(module, reply);
		return true;
	}
	if (reply->number == module->hands.number) {
		end_handed(module, reply);
		return true;
	}
	read = schedule_find(&module->reads, reply->number);
	if (read != NULL)
		end_read(module, read, reply);
	return read != NULL || reply->number <= module->last_number;
}

static bool register_callback(struct module *module, const struct reply *reply)
{
	bool adds = reply->verb == REPLY_REGISTER;

	if (reply->kind != REPLY_READ)
		waiting_want(&module->waiting, reply->kind, adds);
	else if (adds)
		return schedule_add(&module->reads, reply->text,
				    reply->interval > 0 ? reply->interval
							: module->settings->ctx->interval);
	else
		schedule_remove(&module->reads, reply->text);
	return true;
}

/* A start that fails like the one before is not reported again. */
static void take_log(struct module *module, const struct reply *reply)
{
	if (module->state == MODULE_STARTS && module->command.ends.failures > 0)
		return;
	if (module->logged.lines++ >= LOG_LINES_MAX)
		module->logged.hidden++;
	else
		mc_log(module->settings->ctx, reply->level, "%s", reply->text);
}

static const char *flush(struct module *module, const struct mc_child_line *line)
{
	struct mc_plain_context context = { .now = mc_wall() };
	struct mc_ctx *ctx = module->settings->ctx;
	const char *plugin = NULL, *identifier;
	struct mc_plain plain;
	char *copy = mc_alloc_bytes(line->text, line->size + 1);
	bool good =
		mc_plain_parse(&plain, copy, line->size, &context) && plain.verb == MC_PLAIN_FLUSH;

	if (good) {
		plugin = mc_plain_plugin(&plain, NULL);
		identifier = mc_plain_identifier(&plain, NULL);
		good = mc_flush(ctx, plugin, plain.age, identifier) == 0;
	}
	free(copy);
	return good ? NULL : "asks for a flush of what is not there";
}

static const char *take_plain(struct module *module, const struct mc_child_line *line)
{
	if (strncmp(line->text, "FLUSH", 5) == 0)
		return flush(module, line);
	mc_charge(mc_plain_input_batch(module->settings->input), module->quota);
	return mc_plain_input_line(module->settings->input, line, module->settings->ctx->interval);
}

static const char *take_reply(struct module *module, const struct mc_child_line *line)
{
	const struct module_settings *settings = module->settings;
	struct reply reply;

	if (!line->whole || !reply_read(line->text, &reply))
		return "says what is not understood";
	switch (reply.verb) {
	case REPLY_PLAIN:
		return take_plain(module, line);
	case REPLY_DONE:
	case REPLY_FAILED:
		return end_task(module, &reply) ? NULL
						: "has done what it was not "
						  "asked for";
	case REPLY_REGISTER:
	case REPLY_UNREGISTER:
		return register_callback(module, &reply) ? NULL : "has too many read callbacks";
	case REPLY_CONFIGURED:
		if (reply.number < settings->message.configs.len)
			settings->configured[reply.number] = true;
		return NULL;
	case REPLY_LOG:
		take_log(module, &reply);
		return NULL;
	case REPLY_TYPE:
		ask(module, message_type(reply.text, mc_type_find(settings->ctx, reply.text)));
		return NULL;
	}
	return NULL;
}

/* The excess is counted anew in each interval. */
static void count_line(struct module *module, size_t size)
{
	struct mc_ctx *ctx = module->settings->ctx;
	mc_time now = mc_now();
	uint64_t refused;

	if (now >= module->logged.end) {
		refused = waiting_refused(&module->waiting);
		if (module->logged.hidden > 0)
			mc_log(ctx, MC_WARN, "%" PRIu64 " lines of '%s' are not shown",
			       module->logged.hidden, module->name);
		if (refused > 0)
			mc_log(ctx, MC_WARN,
			       "'%s' is too slow: it did not get %" PRIu64 " requests",
			       module->name, refused);
		module->logged.end = now + ctx->interval;
		module->logged.size = module->logged.lines = 0;
		module->logged.hidden = 0;
	}
	module->logged.size += size + 1;
	if (module->logged.size > LOGGED_MAX)
		say_why(module,
			"was killed: it printed more than %zu MiB "
			"within an interval",
			LOGGED_MAX >> 20);
}

static void take_line(void *argument, const struct mc_child_line *line)
{
	struct module *module = argument;
	const char *fault = NULL;

	count_line(module, line->size);
	if (module->state == MODULE_KILLED)
		return;
	if (line->fd == 1)
		fault = take_reply(module, line);
	if (fault != NULL || (line->fd == 2 && line->size > 0))
		mc_command_say(&module->command, fault, line->text);
}

/* --- What it is asked ----------------------------------------------------- */

static void hand_on(struct module *module)
{
	struct waiting_request *request;

	while (module->handed == NULL && module->state == MODULE_RUNS &&
	       (request = waiting_take(&module->waiting)) != NULL) {
		module->handed = request;
		module->hands = send(module, request->text, request->size);
	}
}

static void read_due(struct module *module, mc_time now)
{
	struct schedule_read *read;

	while (module->state == MODULE_RUNS && (read = schedule_due(&module->reads, now)) != NULL)
		schedule_begin(read, ask(module, message_read(read->name)).number, now);
}

/* The task that was begun first, and its kind; false without one. */
static bool oldest(struct module *module, struct module_task *task, const char **what)
{
	const struct schedule_read *read = schedule_oldest(&module->reads);
	const struct {
		struct module_task task;
		const char *what;
	} tasks[] = {
		{ module->life, module->state == MODULE_STARTS ? "its start" : "its end" },
		{ module->hands, "a callback for values or notifications" },
		{ { read != NULL ? read->request : 0, read != NULL ? read->since : 0 },
		  read != NULL ? read->name : NULL },
	};

	*task = (struct module_task){ 0 };
	for (size_t i = 0; i < sizeof(tasks) / sizeof(*tasks); i++) {
		if (tasks[i].task.number == 0 ||
		    (task->number != 0 && tasks[i].task.since >= task->since))
			continue;
		*task = tasks[i].task;
		*what = tasks[i].what;
	}
	return task->number != 0;
}

static void end_overdue(struct module *module, mc_time now)
{
	mc_time timeout = module->settings->timeout;
	struct module_task task;
	const char *what;

	if (module->child != NULL && oldest(module, &task, &what) && now >= task.since + timeout)
		say_why(module, "was killed: %s took longer than %g s", what,
			(double)timeout / (double)MC_SECOND);
}

/* When a module that did not work before is believed to. */
static mc_time steady_at(const struct module *module)
{
	if (module->state != MODULE_RUNS || module->backoff.failures == 0)
		return INT64_MAX;
	return module->started + module->settings->timeout + STEADY_TIME;
}

static void trust_steady(struct module *module, mc_time now)
{
	if (now < steady_at(module))
		return;
	mc_backoff_done(&module->backoff);
	mc_works(module->settings->ctx, &module->command.ends, "'%s' works", module->name);
}

mc_time module_due(struct module *module)
{
	struct module_task task;
	mc_time due = INT64_MAX;
	const char *what;

	if (module->child == NULL)
		return module->backoff.until;
	if (module->state == MODULE_KILLED)
		return INT64_MAX;
	if (oldest(module, &task, &what))
		due = task.since + module->settings->timeout;
	if (module->state == MODULE_RUNS && schedule_next(&module->reads) < due)
		due = schedule_next(&module->reads);
	return steady_at(module) < due ? steady_at(module) : due;
}

void module_work(struct module *module)
{
	mc_time now = mc_now();

	if (module->child == NULL && now >= module->backoff.until)
		start(module);
	end_overdue(module, now);
	trust_steady(module, now);
	read_due(module, now);
	hand_on(module);
}

bool module_work_at_end(struct module *module)
{
	if (module->child == NULL)
		return false;
	hand_on(module);
	if (module->state == MODULE_STARTS) {
		module->state = MODULE_STOPS;
		mc_child_kill(module->child);
	} else if (module->state == MODULE_RUNS && module->handed == NULL) {
		module->state = MODULE_STOPS;
		module->life = ask(module, message_stop());
	}
	return true;
}

/* --- Start and end -------------------------------------------------------- */

void module_init(struct module *module, const struct module_settings *settings, const char *name)
{
	struct mc_program *program = &module->command.program;
	size_t len = settings->program.len;
	const char **argv = mc_alloc_array(len + 1, sizeof(*argv));
	const struct mc_command_words words = {
		.user = settings->user,
		.argv = { argv, len + 1 },
	};

	for (size_t i = 0; i < len; i++)
		argv[i] = settings->program.items[i];
	argv[len] = name;
	*module = (struct module){ .settings = settings, .name = name };
	module->backoff.longest = STARTS_PAUSE_MAX;
	module->waiting.size_max = settings->queue_size;
	waiting_init(&module->waiting);
	mc_command_init(&module->command, settings->ctx, &words, settings->env);
	free(argv);
	module->command.name = name;
	module->quota = mc_quota_new(settings->ctx, MC_QUOTA_SOURCE, name, &settings->limits);
	program->never_root = false;
	program->input_open = true;
	program->line_max = LINE_MAX;
	program->memory_max = settings->memory_max;
	program->line = take_line;
	program->ended = take_end;
	program->argument = module;
}

void module_kill(struct module *module)
{
	if (module->child != NULL)
		mc_child_kill(module->child);
}

uint64_t module_end(struct module *module)
{
	struct waiting_request *request;
	uint64_t samples = 0;

	module->child = NULL;
	drop_handed(module);
	schedule_free(&module->reads);
	waiting_close(&module->waiting);
	while ((request = waiting_take(&module->waiting)) != NULL) {
		samples += request->samples;
		free(request);
	}
	return samples;
}

void module_done(struct module *module)
{
	waiting_done(&module->waiting);
	mc_command_done(&module->command);
	mc_quota_free(module->quota);
}
