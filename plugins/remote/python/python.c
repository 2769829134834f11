/* SPDX-License-Identifier: MIT */
/* python - modules that were written for collectd's plugin python.  Facts:
 * collectd-python(5). */
#include <collector/check.h>
#include <collector/plugin.h>
#include <collector/writer.h>

#include <stdlib.h>

#include "kit/series/interpreter/interpreter.h"

struct python {
	struct interpreter interpreter;
	const char *program[2]; /* Python, and collectd.py. */
	bool interactive;
	const char *encoding;
};

static const struct mc_option python_options[] = {
	{ "ModulePath", MC_OPT_STRINGS(struct python, interpreter.message.module_path),
	  .help = "Folder where modules are looked for, before all others.",
	  .sample = "/usr/lib/collectd/python" },
	{ "Encoding", MC_OPT_STRING(struct python, encoding), .no_effect = true,
	  .help = "Strings are always in UTF-8." },
	{ "LogTraces", MC_OPT_BOOL(struct python, interpreter.message.log_traces),
	  .default_value = "false",
	  .help = "Logs the trace of an exception that a callback throws." },
	{ "Interactive", MC_OPT_BOOL(struct python, interactive), .default_value = "false",
	  .help = "Has no effect: modules have no terminal." },
	{ "Import", MC_OPT_STRINGS(struct python, interpreter.message.imports),
	  .help = "Module to import; it gets a process of its own.", .sample = "spam" },
	{ "Module", MC_OPT_CONFIGS(struct python, interpreter.message.configs),
	  .help = "Options of a module: what they are, it says itself.", .sample = "spam" },
	INTERPRETER_OPTIONS(struct python, interpreter.options, "Python 3", "python3", "0"),
	{ 0 },
};

static void python_check(struct mc_ctx *ctx)
{
	const struct python *self = ctx->self;

	if (self->interactive)
		mc_check_warn(ctx, &self->interactive,
			      "has no effect: modules run in processes of "
			      "their own, without a terminal");
	interpreter_check(ctx, &self->interpreter, &self->interpreter.message.module_path);
}

static int python_start(struct mc_ctx *ctx)
{
	struct python *self = ctx->self;
	const char *shim = secure_getenv("COLLECTOR_PYTHON");

	self->program[0] = self->interpreter.options.program;
	self->program[1] = shim != NULL ? shim : MC_PYTHON_SHIM;
	self->interpreter.program = (struct mc_strings){ self->program, 2 };
	self->interpreter.block = "Module";
	return interpreter_start(&self->interpreter, ctx);
}

static void python_stop(struct mc_ctx *ctx)
{
	interpreter_stop(&((struct python *)ctx->self)->interpreter);
}

static int python_run(struct mc_ctx *ctx)
{
	return interpreter_run(&((struct python *)ctx->self)->interpreter);
}

static int python_write(struct mc_ctx *ctx, const struct mc_batch *batch)
{
	return interpreter_write(&((struct python *)ctx->self)->interpreter, batch);
}

static int python_notify(struct mc_ctx *ctx, const struct mc_notification *notification)
{
	return interpreter_notify(&((struct python *)ctx->self)->interpreter, notification);
}

static int python_flush(struct mc_ctx *ctx, mc_time age, const char *name)
{
	return interpreter_flush(&((struct python *)ctx->self)->interpreter, age, name);
}

static void python_log(struct mc_ctx *ctx, enum mc_level level, const char *line)
{
	interpreter_log(&((struct python *)ctx->self)->interpreter, level, line);
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
