/* SPDX-License-Identifier: MIT */
/* The programs that print values: Exec and <Program>. */
#pragma once

#include <collector/kit/command.h>
#include <collector/kit/wait.h>
#include <collector/quota.h>

#include "claims.h"
#include "format.h"
#include "kit/series/plain_input.h"

struct program_block { /* From the configuration; zero: not given. */
	const char *name;
	struct mc_command_words words;
	struct mc_strings env;
	int format;             /* Of programs_formats. */
	struct mc_strings keys; /* Of Format json. */
	mc_time interval, timeout;
	const char *plugin, *type;
	const char *host; /* NULL: this one. */
	bool may_be_root; /* It is run as root if its user is. */
};

struct program {
	struct programs *all;
	struct mc_command command;
	const char **env; /* NULL: that of all. */
	const struct format *format;
	void *own; /* The format's; NULL: there was no run yet. */
	struct mc_strings keys;
	bool limited; /* One of those that 'running_max' is about. */
	const char *host, *plugin, *instance, *type;
	char *series; /* See programs_series(). */
	struct mc_every every;
	bool running;
	struct mc_quota *quota;
};

struct programs {
	struct mc_ctx *ctx;
	struct program *items;
	size_t len, room;
	size_t running_max;            /* Of <Program> blocks. */
	struct mc_quota_limits limits; /* Of each. */
	size_t running;
	struct mc_plain_input input;
	struct claims claims; /* Of struct program. */
};

/* The words of Format; ends with NULL. */
extern const char *const programs_formats[];
extern const int programs_format_munin; /* Which of them it is. */

/* How many sources a Type may have with that Format. */
unsigned programs_sources_max(int format);

/* The names of its series before their types, "HOST/PLUGIN-NAME", to be freed; NULL: with Format
 * collectd the program itself chooses them. */
char *programs_series(const struct program_block *, const char *host);

/* 'execs' are struct mc_command_words, 'blocks' struct program_block; 'env' must live as long. */
void programs_init(struct programs *, struct mc_ctx *, const struct mc_blocks *execs,
		   const struct mc_blocks *blocks, const char *const *env);
void programs_done(struct programs *);

/* When the next one is to be started. */
mc_time programs_due(const struct programs *);

/* Starts those that are due. */
void programs_work(struct programs *, struct mc_spawner *);
