/* SPDX-License-Identifier: MIT */
/* Has every plugin that a configuration asks for judge its options. */
#pragma once

#include <stdbool.h>

#include "base/problem.h"
#include "base/timed_calls.h"
#include "daemon/instances.h"
#include "daemon/process/sandbox.h"
#include "model/type.h"

struct check_rules {
	bool host;                    /* Files, users and ports of this host are looked at. */
	bool apart;                   /* Problems that only such a look finds are marked. */
	int folder;                   /* Where relative names of configuration files start; all
				       * other relative paths start in the current folder. */
	const struct type_set *types; /* That are known. */
	struct sandbox *sandbox;      /* Of the unit; NULL: under none. */
	struct timed_calls *files;    /* By which files are tried. */
	bool starting;                /* This process is about to start with it. */
	bool beside;                  /* A conflict with another daemon is only a warning. */
};

/* A mistake is a problem with its position.  All plugins that the source can load are checked,
 * each as an instance of its own that is never started, so it may run at the same time.
 * instances_add() and instances_compare() report plugins that cannot be loaded, and options that
 * cannot be read.  False if this process must not start: another daemon has some of it, which
 * would cost values of both; then all problems are logged. */
bool check_plugins(const struct instances_source *, const struct check_rules *, struct problems *);
