/* SPDX-License-Identifier: MIT */
/* perl - modules that were written for collectd's plugin perl.  Facts:
 * collectd-perl(5). */
#include <collector/check.h>
#include <collector/kit/alloc.h>
#include <collector/plugin.h>
#include <collector/writer.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "kit/series/interpreter/interpreter.h"

struct perl {
	struct interpreter interpreter;
	struct mc_configs lines; /* BaseName and LoadPlugin. */
	const char *debugger;
	bool legacy_flush;

	const char *program[3]; /* Perl, its debugger, and collectd.pl. */
	char *debugger_word;
	char **modules; /* Their whole names; as many as lines, some NULL. */
	size_t modules_len;
};

static const struct mc_option perl_options[] = {
	{ "IncludeDir", MC_OPT_STRINGS(struct perl, interpreter.message.module_path),
	  .help = "Folder where modules are looked for, before all others.",
	  .sample = "/usr/lib/collectd/perl" },
	{ "BaseName", MC_OPT_CONFIGS(struct perl, lines), .is_line = true,
	  .help = "What stands before the names in the lines LoadPlugin that follow, with '::' "
		  "between.",
	  .sample = "Collectd::Plugins" },
	{ "LoadPlugin", MC_OPT_CONFIGS(struct perl, lines), .is_line = true,
	  .help = "Module to load; it gets a process of its own.", .sample = "OpenVZ" },
	{ "Plugin", MC_OPT_CONFIGS(struct perl, interpreter.message.configs),
	  .help = "Options of a module: what they are, it says itself.", .sample = "OpenVZ" },
	{ "EnableDebugger", MC_OPT_STRING(struct perl, debugger),
	  .help = "Debugger, profiler or tracer that modules run with: PACKAGE or PACKAGE=OPTIONS, "
		  "which is Devel::PACKAGE." },
	{ "RegisterLegacyFlush", MC_OPT_BOOL(struct perl, legacy_flush), .default_value = "true",
	  .no_effect = true,
	  .help = "A flush calls each callback for it once, and 'perl' is the "
		  "name of all." },
	INTERPRETER_OPTIONS(struct perl, interpreter.options, "Perl 5", "perl", "1073741824"),
	{ 0 },
};

static bool has_debugger(const struct perl *self)
{
	return self->debugger != NULL && self->debugger[0] != '\0';
}

static void perl_check(struct mc_ctx *ctx)
{
	const struct perl *self = ctx->self;

	if (self->debugger != NULL && !has_debugger(self))
		mc_check_warn(ctx, &self->debugger,
			      "has no effect: modules run in processes of "
			      "their own, without a terminal");
	interpreter_check(ctx, &self->interpreter, &self->interpreter.message.module_path);
}

/* --- Start and end -------------------------------------------------------- */

static char *join(const char *before, const char *between, const char *text)
{
	size_t size = strlen(before) + strlen(between) + strlen(text) + 1;
	char *joined = mc_alloc(size);

	snprintf(joined, size, "%s%s%s", before, between, text);
	return joined;
}

static void name_modules(struct perl *self)
{
	const char *base = "";

	self->modules = mc_alloc_array(self->lines.len, sizeof(*self->modules));
	for (size_t i = 0; i < self->lines.len; i++) {
		const struct mc_config *line = &self->lines.items[i];
		const char *name = line->values[0].text;

		if (strcasecmp(line->key, "BaseName") == 0)
			base = name;
		else
			self->modules[self->modules_len++] =
				join(base, base[0] != '\0' ? "::" : "", name);
	}
	self->interpreter.message.imports =
		(struct mc_strings){ (const char *const *)self->modules, self->modules_len };
}

static int perl_start(struct mc_ctx *ctx)
{
	struct perl *self = ctx->self;
	const char *shim = secure_getenv("COLLECTOR_PERL");
	size_t len = 0;

	name_modules(self);
	self->program[len++] = self->interpreter.options.program;
	if (has_debugger(self))
		self->program[len++] = self->debugger_word = join("-d:", "", self->debugger);
	self->program[len++] = shim != NULL ? shim : MC_PERL_SHIM;
	self->interpreter.program = (struct mc_strings){ self->program, len };
	self->interpreter.block = "Plugin";
	self->interpreter.serial = true;
	return interpreter_start(&self->interpreter, ctx);
}

static void perl_stop(struct mc_ctx *ctx)
{
	struct perl *self = ctx->self;

	interpreter_stop(&self->interpreter);
	for (size_t i = 0; i < self->modules_len; i++)
		free(self->modules[i]);
	free(self->modules);
	free(self->debugger_word);
	self->modules = NULL;
	self->modules_len = 0;
	self->debugger_word = NULL;
}

/* --- All else is as in any language --------------------------------------- */

static int perl_run(struct mc_ctx *ctx)
{
	return interpreter_run(&((struct perl *)ctx->self)->interpreter);
}

static int perl_write(struct mc_ctx *ctx, const struct mc_batch *batch)
{
	return interpreter_write(&((struct perl *)ctx->self)->interpreter, batch);
}

static int perl_notify(struct mc_ctx *ctx, const struct mc_notification *notification)
{
	return interpreter_notify(&((struct perl *)ctx->self)->interpreter, notification);
}

static int perl_flush(struct mc_ctx *ctx, mc_time age, const char *name)
{
	return interpreter_flush(&((struct perl *)ctx->self)->interpreter, age, name);
}

static void perl_log(struct mc_ctx *ctx, enum mc_level level, const char *line)
{
	interpreter_log(&((struct perl *)ctx->self)->interpreter, level, line);
}

static const struct mc_writer writer = {
	.write = perl_write,
	.notify = perl_notify,
	.flush = perl_flush,
	.log = perl_log,
	.on_request = true,
};

MC_PLUGIN(perl) = {
	MC_NAMED(perl),
	.help = "Runs modules that were written for collectd's plugin perl, "
		"each in a process of its own.",
	.self_size = sizeof(struct perl),
	.options = perl_options,
	.check = perl_check,
	.start = perl_start,
	.writer = &writer,
	.run = perl_run,
	.stop = perl_stop,
	.lenient = true,
};
