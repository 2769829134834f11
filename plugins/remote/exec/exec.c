/* SPDX-License-Identifier: MIT */
/* exec - runs programs: those that print values, and those that get
 * notifications.  Facts: collectd-exec(5), collectd.conf(5) "Plugin exec".
 *
 * The thread of run() starts them all, and reads what they write.  A writer's
 * thread leaves notifications for it. */
#include <collector/check.h>
#include <collector/control.h>
#include <collector/kit/alloc.h>
#include <collector/plugin.h>
#include <collector/serve.h>
#include <collector/writer.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "handlers.h"
#include "munin_folder.h"
#include "programs.h"

struct exec {
	struct mc_blocks execs;   /* struct mc_command_words */
	struct mc_blocks notices; /* The same. */
	struct mc_blocks blocks;  /* struct program_block */
	struct mc_blocks folders; /* struct munin_folder_block */
	int64_t concurrent;
	mc_time notification_timeout;
	int64_t notice_rate;
	struct mc_quota_limits limits; /* Of a program. */

	const char **env;
	struct munin_folders munin; /* Their plugins, after the blocks. */
	struct programs programs;
	struct handlers handlers;
	struct mc_loop loop;
	struct mc_loop_timer due; /* A program is. */
	struct mc_spawner *spawner;
};

/* --- Options -------------------------------------------------------------- */

static const struct mc_option words_options[] = {
	{ "", MC_OPT_STRING(struct mc_command_words, user), .required = true,
	  .help = "User, or USER:GROUP, that the program runs as.", .sample = "nobody" },
	{ "", MC_OPT_STRINGS(struct mc_command_words, argv), .required = true,
	  .help = "The program, and its arguments.", .sample = "/usr/local/bin/values" },
	{ 0 },
};
static const struct mc_block words_block = { sizeof(struct mc_command_words), words_options };

static const struct mc_option block_options[] = {
	{ "", MC_OPT_STRING(struct program_block, name), .required = true,
	  .help = "Name in the log, and the plugin instance of its series.", .sample = "load" },
	{ "Command", MC_OPT_STRINGS(struct program_block, words.argv), .required = true,
	  .help = "The program, and its arguments.",
	  .sample = "/usr/lib/nagios/plugins/check_load" },
	{ "User", MC_OPT_STRING(struct program_block, words.user),
	  .help = "User, or USER:GROUP, that it runs as; by default that of "
		  "the collector, unless that is root.",
	  .sample = "nobody" },
	{ "Format", MC_OPT_WORD(struct program_block, format), .default_value = "collectd",
	  .words = programs_formats,
	  .help = "What it prints: lines PUTVAL and PUTNOTIF, the output of a "
		  "check plugin of Nagios, lines of the InfluxDB protocol, a "
		  "JSON text, what plugins of Munin do, the four lines of a "
		  "program for MRTG, or lines of JSON with a metric and its labels." },
	{ "Key", MC_OPT_STRINGS(struct program_block, keys),
	  .help = "With Format json: paths of the numbers that count, as "
		  "'pools/*/used'; by default all do.",
	  .sample = "pools/*/used" },
	{ "Interval", MC_OPT_TIME(struct program_block, interval),
	  .help = "Seconds between two starts; by default the interval of "
		  "the plugin.",
	  .min = 0.001, .max = 1e9 },
	{ "Timeout", MC_OPT_TIME(struct program_block, timeout),
	  .help = "Seconds that it may run; by default its Interval.", .min = 0.001, .max = 1e9 },
	{ "Environment", MC_OPT_STRINGS(struct program_block, env),
	  .help = "Variables that it has besides, as NAME=value.", .sample = "LC_ALL=C" },
	{ "Plugin", MC_OPT_STRING(struct program_block, plugin),
	  .help = "Plugin in the names of series, but with Format collectd; "
		  "by default munin with that Format, else exec.",
	  .sample = "exec" },
	{ "Type", MC_OPT_STRING(struct program_block, type),
	  .help = "Type of all its series, but with Format collectd; by "
		  "default it depends on the unit, is if_octets with Format "
		  "mrtg, "
		  "or gauge.",
	  .sample = "gauge" },
	{ 0 },
};
static const struct mc_block program_block = { sizeof(struct program_block), block_options };

static const struct mc_option exec_options[] = {
	{ "Exec", MC_OPT_BLOCKS(struct exec, execs), .block = &words_block,
	  .help = "Runs a program that prints values; when it has ended, "
		  "again at the next interval." },
	{ "NotificationExec", MC_OPT_BLOCKS(struct exec, notices), .block = &words_block,
	  .help = "Runs a program for each notification, which it reads." },
	{ "Program", MC_OPT_BLOCKS(struct exec, blocks), .block = &program_block,
	  .help = "Runs a program at an interval of its own." },
	{ "MuninPlugins", MC_OPT_BLOCKS(struct exec, folders), .block = &munin_folder_options,
	  .help = "Runs the plugins of Munin in a folder, as munin-node "
		  "does." },
	{ "Concurrent", MC_OPT_INT(struct exec, concurrent), .default_value = "8",
	  .help = "Largest number of programs of Program blocks that run at a "
		  "time, and of those of NotificationExec.",
	  .min = 1, .max = 1024 },
	{ "NotificationTimeout", MC_OPT_TIME(struct exec, notification_timeout),
	  .default_value = "60", .help = "Seconds that a program of NotificationExec may run.",
	  .min = 0.001, .max = 1e9 },
	MC_NOTICE_RATE(struct exec, notice_rate),
	MC_QUOTA_SOURCE_OPTIONS(struct exec, limits, "program", "50000", "5000"),
	{ 0 },
};

/* --- check() -------------------------------------------------------------- */

static void check_words(struct mc_ctx *ctx, const struct mc_blocks *all)
{
	const struct mc_command_words *words = all->items;

	for (size_t i = 0; i < all->len; i++)
		mc_command_check(ctx, &words[i], false);
}

static void check_block(struct mc_ctx *ctx, const struct program_block *block)
{
	const struct mc_type *type;
	char *series;

	mc_command_check(ctx, &block->words, false);
	series = programs_series(block, ctx->host);
	if (series != NULL)
		mc_check_only(ctx, &block->name, series);
	free(series);
	for (size_t i = 0; i < block->env.len; i++)
		if (strchr(block->env.items[i], '=') == NULL || block->env.items[i][0] == '=')
			mc_check_error(ctx, &block->env.items[i], "is not of the form NAME=value");
	if (block->type == NULL)
		return;
	type = mc_type_find(ctx, block->type);
	if (type == NULL)
		mc_check_error(ctx, &block->type, "is not a known type");
	else if (type->sources_len > programs_sources_max(block->format))
		mc_check_error(ctx, &block->type,
			       "is a type with more values than that Format has");
}

static void exec_check(struct mc_ctx *ctx)
{
	const struct exec *self = ctx->self;
	const struct program_block *blocks = self->blocks.items;

	check_words(ctx, &self->execs);
	check_words(ctx, &self->notices);
	for (size_t i = 0; i < self->blocks.len; i++)
		check_block(ctx, &blocks[i]);
	munin_folder_check(ctx, &self->blocks, &self->folders);
}

/* --- Start and end -------------------------------------------------------- */

static int exec_start(struct mc_ctx *ctx)
{
	struct exec *self = ctx->self;
	int rc;

	self->env = mc_command_env(ctx);
	self->programs.running_max = (size_t)self->concurrent;
	self->programs.limits = self->limits;
	self->handlers.running_max = (size_t)self->concurrent;
	self->handlers.time_max = self->notification_timeout;
	munin_folder_make(&self->munin, ctx, &self->blocks, &self->folders);
	programs_init(&self->programs, ctx, &self->execs,
		      &(struct mc_blocks){ self->munin.items, self->munin.len }, self->env);
	rc = handlers_start(&self->handlers, ctx, &self->notices, self->env);
	if (rc < 0)
		return mc_fail(ctx, -rc, "cannot make an eventfd");
	self->loop.ctx = ctx;
	mc_limit_notifications(ctx, (uint64_t)self->notice_rate);
	mc_subscribe(ctx, self->notices.len > 0);
	return mc_loop_init(&self->loop);
}

static int exec_notify(struct mc_ctx *ctx, const struct mc_notification *notification)
{
	struct exec *self = ctx->self;

	return handlers_add(&self->handlers, ctx, notification) ? 0 : -EAGAIN;
}

/* Starts what is due, and what waited for others to end. */
static void after_round(void *argument)
{
	struct exec *self = argument;

	handlers_work(&self->handlers, self->spawner);
	programs_work(&self->programs, self->spawner);
	mc_plain_input_end(&self->programs.input);
	mc_loop_set_timer(&self->loop, &self->due, programs_due(&self->programs));
}

/* after_round() does it. */
static void on_wake(void *argument)
{
	(void)argument;
}

static int exec_run(struct mc_ctx *ctx)
{
	struct exec *self = ctx->self;
	int rc;

	self->loop.after_round = after_round;
	self->loop.argument = self;
	self->handlers.wakeup.woken = self->due.expired = on_wake;
	rc = mc_loop_watch_wakeup(&self->loop, &self->handlers.wakeup);
	if (rc < 0)
		return mc_fail(ctx, -rc, "cannot wait");
	self->spawner = mc_spawner_new(&self->loop, NULL);
	mc_loop_set_timer(&self->loop, &self->due, mc_now());
	rc = mc_loop_run(&self->loop);
	mc_spawner_free(self->spawner);
	return rc;
}

static void exec_stop(struct mc_ctx *ctx)
{
	struct exec *self = ctx->self;
	unsigned lost;

	mc_loop_done(&self->loop);
	lost = handlers_stop(&self->handlers);
	if (lost > 0)
		mc_log(ctx, MC_WARN, "%u notifications came too late for NotificationExec", lost);
	programs_done(&self->programs);
	munin_folder_done(&self->munin);
	free(self->env);
	self->env = NULL;
}

static const struct mc_writer writer = {
	.notify = exec_notify,
	.on_request = true,
};

MC_PLUGIN(exec) = {
	MC_NAMED(exec),
	.help = "Runs programs that print values, and programs that get "
		"notifications.",
	.self_size = sizeof(struct exec),
	.options = exec_options,
	.types = (const char *const[]){ "absolute", "bytes", "counter", "derive", "duration",
					"gauge", "if_octets", "percent", NULL },
	.check = exec_check,
	.start = exec_start,
	.writer = &writer,
	.run = exec_run,
	.stop = exec_stop,
	.lenient = true,
};
