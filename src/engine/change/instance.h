/* SPDX-License-Identifier: MIT */
/* An instance: a plugin, running under a name of its own. */
#pragma once

#include "engine/change/engine_internal.h"

struct instance *instance_new(struct engine *, const struct mc_plugin *, const char *name);
void instance_free(struct instance *);

/* Calls start() and takes the log.  0, or what start() returned, logged: stop()
 * was then called, too, and the instance is unused. */
int instance_start(struct instance *);

/* Begins run(), if it has one and was started.  0, or -errno, logged: nothing
 * comes from it then. */
int instance_run(struct instance *);

/* Asks run() to end, and waits for that until a moment of real time; true if it has ended, or
 * without run(). */
void instance_end_run(struct instance *);
bool instance_join_run(struct instance *, mc_time until);

/* Calls stop(), if the instance has started and was not stopped. */
void instance_stop(struct instance *);
