/* SPDX-License-Identifier: MIT */
/* The body of a plugin that runs modules in another language, which were written for one of
 * collectd's plugins: each module in a process of its own, so that one that hangs or crashes
 * concerns no other, and nothing of the language is in the daemon.
 *
 * The thread of run() talks to all processes.  The writer's thread, and those that log, leave what
 * modules want to have in their queues.
 *
 * Each function is for the callback of the plugin that has its name. */
#pragma once

#include <collector/writer.h>

#include "kit/series/interpreter/module.h"

struct interpreter_options { /* From the configuration. */
	const char *program, *user;
	mc_time timeout;
	int64_t queue_size, memory_max;
	struct mc_quota_limits limits; /* Of a module. */
};

/* The table's rows of such options.  'memory' is the preset of MaxMemory. */
#define INTERPRETER_OPTIONS(self, field, language, command, memory)                                \
	{ "User", MC_OPT_STRING(self, field.user),                                                 \
	  .help = "User, or USER:GROUP, that modules run as; by default that "                     \
		  "of the collector." },                                                           \
		{ "Interpreter", MC_OPT_STRING(self, field.program), .default_value = (command),   \
		  .help = language ", by its path or looked for in PATH." },                       \
		{ "Timeout",                                                                       \
		  MC_OPT_TIME(self, field.timeout),                                                \
		  .default_value = "60",                                                           \
		  .help = "Seconds that a callback of a module may take; then its "                \
			  "process is killed, and started again.",                                 \
		  .min = 0.001,                                                                    \
		  .max = 1e9 },                                                                    \
		MC_QUOTA_SOURCE_OPTIONS(self, field.limits, "module", "50000", "5000"),            \
		{ "MaxMemory",                                                                     \
		  MC_OPT_INT(self, field.memory_max),                                              \
		  .default_value = (memory),                                                       \
		  .help = "Most bytes of addresses that the process of a module may "              \
			  "have. 0: no limit.",                                                    \
		  .min = 0,                                                                        \
		  .max = INFINITY },                                                               \
	{                                                                                          \
		"QueueBytes", MC_OPT_INT(self, field.queue_size),                                  \
			.default_value = "4194304",                                                \
			.help = "Most bytes of values, notifications and lines of the log "        \
				"that wait for a module that asks for them.",                      \
			.min = 4096, .max = 1 << 30                                                \
	}

struct interpreter {
	struct interpreter_options options;

	/* Set by the plugin, before interpreter_start(): */
	struct mc_strings program; /* The words before a module's name. */
	struct message_settings message;
	const char *block; /* That the items of message.configs are: "Module". */
	bool serial;       /* A module does one task after the other. */

	/* Its own: */
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

/* 'folders' is where modules are looked for: another thing there is a warning. */
void interpreter_check(struct mc_ctx *, const struct interpreter *,
		       const struct mc_strings *folders);

int interpreter_start(struct interpreter *, struct mc_ctx *);
void interpreter_stop(struct interpreter *);
int interpreter_run(struct interpreter *);

int interpreter_write(struct interpreter *, const struct mc_batch *);
int interpreter_notify(struct interpreter *, const struct mc_notification *);
int interpreter_flush(struct interpreter *, mc_time age, const char *name);
void interpreter_log(struct interpreter *, enum mc_level, const char *line);
