/* SPDX-License-Identifier: MIT */
/* A module: its process, what that is asked to do, and what it says.  Only
 * run(), but for 'waiting'. */
#pragma once

#include <collector/kit/backoff.h>
#include <collector/kit/command.h>
#include <collector/quota.h>

#include "kit/series/interpreter/message.h"
#include "kit/series/interpreter/reply.h"
#include "kit/series/interpreter/schedule.h"
#include "kit/series/interpreter/waiting.h"
#include "kit/series/plain_input.h"

struct module_settings { /* Shared by all modules. */
	struct mc_ctx *ctx;
	struct mc_strings program; /* It gets the name of the module as its last argument. */
	const char *user;
	const char *const *env;
	struct mc_spawner *spawner;
	struct mc_plain_input *input;
	struct message_settings message;
	mc_time timeout;     /* Of whatever it is asked to do. */
	size_t queue_size;   /* Bytes of what waits for it. */
	uint64_t memory_max; /* Bytes of addresses; 0: no limit. */
	bool serial;         /* It does one task after the other. */
	struct mc_quota_limits limits;
	bool *configured; /* Blocks that a module has taken: as many as
			   * message.configs. */
};

struct module_task { /* That it has been asked to do. */
	uint64_t number;
	mc_time since;
};

struct module {
	const struct module_settings *settings;
	const char *name;
	struct mc_command command;
	struct mc_quota *quota;

	struct mc_child *child; /* NULL: it does not run. */
	enum {
		MODULE_STARTS,
		MODULE_RUNS,
		MODULE_STOPS,
		MODULE_KILLED, /* The reason has been reported. */
	} state;
	bool was_started; /* Once, or that has failed. */
	mc_time started;
	struct mc_backoff backoff;

	uint64_t last_number;
	struct module_task life;        /* Start, or stop. */
	struct module_task hands;       /* The waiting items: */
	struct waiting_request *handed; /* NULL: nothing. */
	struct schedule reads;
	struct waiting waiting;

	struct { /* Its log lines in this interval. */
		mc_time end;
		size_t size;
		unsigned lines;
		uint64_t hidden;
	} logged;
};

/* 'settings' must live as long. */
void module_init(struct module *, const struct module_settings *, const char *name);
void module_done(struct module *);

void module_kill(struct module *);

/* Its process has been ended.  How many samples it has not taken. */
uint64_t module_end(struct module *);

/* When there is something to do. */
mc_time module_due(struct module *);

/* Does it: starts it, asks it, ends what takes too long. */
void module_work(struct module *);

/* The same, at the end: it gets the waiting items, and then is asked to stop.  False: it has
 * ended. */
bool module_work_at_end(struct module *);
