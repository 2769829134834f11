/* SPDX-License-Identifier: MIT */
/* Files of /proc/PID/ for which the kernel waits until the memory of the
 * process is not being changed: of one that hangs, perhaps for ever.  They are
 * read on a helper thread, with a deadline. */
#pragma once

#include <collector/plugin.h>

#define SLOW_COMMANDS_MAX 64
#define SLOW_COMMAND_SIZE 4096 /* The text that expressions are matched with. */

struct slow_commands {
	char folder[256]; /* /proc, below the root of a test. */
	size_t len;
	uint32_t pids[SLOW_COMMANDS_MAX];
	char texts[SLOW_COMMANDS_MAX][SLOW_COMMAND_SIZE]; /* Blanks between
							   * words; "":
							   * none. */
};

/* For 'len' processes, whose pids[] the caller fills in; freed by the caller. */
struct slow_commands *slow_new_commands(struct mc_ctx *, size_t len);

/* Reads the command lines of pids[], in 'limit' of time.  Returns 0 or a
 * negative errno: -ETIMEDOUT, and '*commands' is then NULL; -EAGAIN. */
int slow_read_commands(struct mc_ctx *, mc_time limit, struct slow_commands **commands);

/* The proportional set size of a process in bytes: its memory, of what it
 * shares its part.  0 or a negative errno. */
int slow_read_pss(struct mc_ctx *, uint32_t pid, double *pss);
