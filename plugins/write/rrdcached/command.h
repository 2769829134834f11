/* SPDX-License-Identifier: MIT */
/* The second connection of a daemon: one command at a time that makes a file,
 * has one written, or asks for statistics.  Used by run(), without the lock. */
#pragma once

#include <collector/writer.h>

#include "daemon.h"

/* Puts the next command into daemon->commands if there is one and none is outstanding. */
void command_next(struct daemon *, mc_time now, mc_time *wake);

/* Whether there may be something to do, so that a connection is needed. */
bool command_is_wanted(struct daemon *, mc_time now, mc_time *wake);

/* A line of the answer.  Returns -EPROTO if none was expected. */
int command_answer(struct daemon *, const struct reply_line *, mc_time now);

/* The connection is gone. */
void command_abandon(struct daemon *);
