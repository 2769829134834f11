/* SPDX-License-Identifier: MIT */
/* Reads the configuration anew while the collector runs: all of it is judged as
 * at the start, and refused whole if anything is wrong; else what has changed
 * is changed, and nothing else is touched. */
#pragma once

#include <stdbool.h>

#include "base/timed_calls.h"
#include "daemon/config/known_graphs.h"
#include "daemon/config/known_types.h"
#include "daemon/config/settings.h"
#include "daemon/instances.h"
#include "engine/change/engine.h"

struct reload {
	const char *config;                    /* Path, */
	int folder;                            /* that starts here, as all in the file. */
	const struct plugin_dirs *plugin_dirs; /* As at the start. */
	struct settings *settings;
	struct known_types *types;
	struct known_graphs *graphs;
	struct instances *instances;
	struct engine *engine;
	struct timed_calls *files; /* By which files are tried. */
	bool strict;               /* Warnings are errors. */
	bool beside;               /* A conflict with another daemon is only a warning. */
};

/* How the engine is set up by these settings; what the start alone decides is left out. */
struct engine_settings reload_settings(const struct settings *, const struct known_types *,
				       const struct known_graphs *);

/* Returns false if the configuration was refused.  Why is in the log, as is what was done, and in
 * the engine's status.  Thread: the main one. */
bool reload_run(struct reload *);
