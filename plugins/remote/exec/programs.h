/* SPDX-License-Identifier: MIT */
/* The programs that print values: Exec and <Program>. */
#ifndef EXEC_PROGRAMS_H
#define EXEC_PROGRAMS_H

#include <collector/kit/command.h>
#include <collector/kit/every.h>
#include <collector/kit/plain_input.h>

#include "nagios.h"

enum program_format { PROGRAM_COLLECTD, PROGRAM_NAGIOS };

struct program_block { /* From the configuration; zero: not given. */
	const char *name;
	struct mc_command_words words;
	struct mc_strings env;
	int format;
	mc_time interval, timeout;
	const char *plugin, *type;
};

struct program {
	struct programs *all;
	struct mc_command command;
	const char **env; /* NULL: that of all. */
	enum program_format format;
	bool limited; /* One of those that 'running_max' is about. */
	const char *plugin, *instance, *type;
	struct mc_every every;
	bool running;

	/* Of NAGIOS: the run of now, and the status of the last. */
	struct nagios_output output;
	int status;
};

struct programs {
	struct mc_ctx *ctx;
	struct program *items;
	size_t len, room;
	size_t running_max; /* Of <Program> blocks. */
	size_t running;
	struct mc_plain_input input;
};

/* 'execs' are struct mc_command_words, 'blocks' struct program_block; 'env'
 * must live as long. */
void programs_init(struct programs *, struct mc_ctx *,
		   const struct mc_blocks *execs,
		   const struct mc_blocks *blocks, const char *const *env);
void programs_done(struct programs *);

/* When the next one is to be started. */
mc_time programs_due(const struct programs *);

/* Starts those that are due. */
void programs_work(struct programs *, struct mc_spawner *);

#endif
