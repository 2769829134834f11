/* SPDX-License-Identifier: MIT */
/* A program, started, and the pipes to it. */
#pragma once

#include <collector/kit/spawn.h>

/* Our ends of the pipes, which do not block; -1: none. */
enum spawn_pipe { SPAWN_INPUT, SPAWN_OUTPUT, SPAWN_ERROR, SPAWN_REPORT };
#define SPAWN_PIPES 4

/* Starts it.  0; or a negative errno, and nothing is left.  The first bytes from SPAWN_REPORT are
 * an int, an errno, and the rest is a text; nothing, if the program was run. */
int spawn_start(const char *helper, const struct mc_program *, int pipes[SPAWN_PIPES], pid_t *pid);
