/* SPDX-License-Identifier: MIT */
/* collector/kit/command.h - a program as it is given in the configuration: its user, its
 * arguments, and log lines about its ends; in libkit_spawn.
 *
 * All functions but those for check() are for the thread of the spawner.
 */
#pragma once

#include <collector/kit/once.h>
#include <collector/kit/spawn.h>

enum { MC_COMMAND_LOGGED_MAX = 8 };

struct mc_command {
	struct mc_ctx *ctx;
	const char *name; /* In the log. */
	struct mc_program program;
	char *user, *group;
	const char **argv;
	struct mc_once ends;  /* How it fails to end well. */
	struct mc_once texts; /* Mistakes in its output. */
	/* Sums of what was logged, the latest ones; */
	uint64_t logged[MC_COMMAND_LOGGED_MAX];
	unsigned logged_len;   /* how many there ever were; */
	mc_time text_time;     /* when that was last; */
	uint64_t texts_hidden; /* and how many were not, since then. */
	bool has_written;      /* Something, since it was started. */
};

struct mc_command_words { /* From the configuration. */
	const char *user; /* USER[:[GROUP]]; NULL: as the daemon. */
	struct mc_strings argv;
};

/* 'env' must live as long as the command.  All zero may be done, too. */
void mc_command_init(struct mc_command *, struct mc_ctx *, const struct mc_command_words *,
		     const char *const *env);
void mc_command_done(struct mc_command *);

/* For check(): warns where 'user', as in struct mc_command_words, is not a user
 * of this host, or one that programs cannot be run as. */
void mc_command_check_user(struct mc_ctx *, const char *const *user, bool may_be_root);

/* For check(): the same, and an error if the unit of systemd keeps the program from being run. */
void mc_command_check(struct mc_ctx *, const struct mc_command_words *, bool may_be_root);

/* The environment of programs: that of the daemon, without the variables between the daemon and
 * systemd, and with COLLECTD_INTERVAL and COLLECTD_HOSTNAME.  Ends with NULL; one piece of memory,
 * to be freed; the variables of the daemon are not copied. */
const char **mc_command_env(const struct mc_ctx *);

/* Starts it.  False, and one line in the log, if that fails. */
bool mc_command_start(struct mc_command *, struct mc_spawner *, struct mc_child **);

/* Logs how it has ended, unless that is well or as before.  A status up to 'status_max' is well. */
void mc_command_ended(struct mc_command *, const struct mc_child_end *, int status_max);

/* Logs a line that it has written, once, and what is wrong with it, unless that
 * is NULL; not again until the fault, or else the line, is another, and one a
 * second at most.  Of several in each run each is logged in one of the next. */
void mc_command_say(struct mc_command *, const char *fault, const char *line);
