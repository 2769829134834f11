/* SPDX-License-Identifier: MIT */
/* The types that the collector knows: its own, and those of other files.  They
 * only grow: series point to their types for as long as the collector runs. */
#pragma once

#include <stddef.h>

#include <collector/plugin.h>

#include "base/problem.h"
#include "base/timed_calls.h"
#include "conf/parse.h"
#include "daemon/config/configure.h"
#include "daemon/config/plugin_dir.h"
#include "model/type.h"

struct known_types {
	struct type_set **sets; /* The last is in use, the others were. */
	size_t len;
};

struct known_types_source {
	const struct mc_strings *files; /* TypesDB. */
	const struct conf_node *root;   /* For the place of a warning. */
	const struct configure *configure;
	const struct plugin_dirs *directories;
	struct timed_calls *calls; /* By which they are tried. */
};

/* The collector's own types, those of loaded plugins, and those in the files, in this order: a
 * later row of types.db wins.  A missing file does not prevent a start: it was removed with
 * collectd, whose types are among our own.  One that does not answer is an error. */
struct type_set *known_types_load(const struct known_types_source *, struct problems *);

/* Takes over a set: the first, or what was read anew.  From that the new types are added; of those
 * that have changed the old ones stay, which is a warning. */
void known_types_take(struct known_types *, struct type_set *, struct problems *);

/* The types in use. */
const struct type_set *known_types_now(const struct known_types *);

/* After everything that points to them. */
void known_types_done(struct known_types *);
