/* SPDX-License-Identifier: MIT */
/* The glob of some series of a host: what their names have in common.  Pure functions. */
#pragma once

#include <collector/plugin.h>

#include "base/arena.h"

struct graph_glob {                     /* All zero: of no series. */
	const struct mc_series *series; /* The first. */
	unsigned differing;             /* enum mc_part: those of another one are others. */
	unsigned lacking;               /* An instance that some, but not all, lack. */
	bool many;
};

void graph_glob_add(struct graph_glob *, const struct mc_series *);

/* Matches all series that were added, of which there is one at least.  In the arena. */
const char *graph_glob_text(const struct graph_glob *, struct arena *);
