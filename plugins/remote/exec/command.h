/* SPDX-License-Identifier: MIT */
/* A program as it is given in the configuration: who runs what, and what the
 * log says about its ends. */
#ifndef EXEC_COMMAND_H
#define EXEC_COMMAND_H

#include <collector/kit/once.h>
#include <collector/kit/spawn.h>

struct command {
	struct mc_ctx *ctx;
	const char *name; /* In the log. */
	struct mc_program program;
	char *user, *group;
	const char **argv;
	struct mc_once ends;   /* How it fails to end well. */
	struct mc_once texts;  /* What is wrong with what it writes. */
	mc_time text_time;     /* When that was logged last; */
	uint64_t texts_hidden; /* and how many were not, since then. */
	bool has_said;         /* Something, since it was started. */
};

struct command_words {    /* From the configuration. */
	const char *user; /* USER[:[GROUP]]; NULL: as the daemon. */
	struct mc_strings argv;
};

/* 'env' must live as long as the command.  All zero may be done, too. */
void command_init(struct command *, struct mc_ctx *,
		  const struct command_words *, const char *const *env);
void command_done(struct command *);

/* The user is cut off; NULL, or the group. */
const char *command_split_user(char *user);

/* Starts it.  False, and one line in the log, if that fails. */
bool command_start(struct command *, struct mc_spawner *, struct mc_child **);

/* Logs how it has ended, unless that is well or as before.  A status up to
 * 'status_max' is well. */
void command_ended(struct command *, const struct mc_child_end *,
		   int status_max);

/* Logs a line that it has written, once, and what is wrong with it, unless that
 * is NULL; not again until the fault, or else the line, is another, and one a
 * second at most. */
void command_say(struct command *, const char *fault, const char *line);

#endif
