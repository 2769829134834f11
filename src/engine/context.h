/* SPDX-License-Identifier: MIT */
/* What stands behind the mc_ctx of an instance.  A plugin calls the core with
 * its ctx; the floor that has the function finds here what it keeps of the
 * instance, and sees nothing of what the other floors keep.  Only change/, the
 * top, knows the whole: struct instance, of which this is the first part. */
#pragma once

#include <collector/plugin.h>

#include "engine/log_once.h"

struct catalog;
struct check;
struct judges;
struct mc_writer;
struct reading;
struct writer;

struct context {
	struct mc_ctx ctx; /* First: a context is found by its ctx. */
	const struct mc_plugin *plugin;
	const struct mc_writer *callbacks; /* Of the plugin; never NULL. */
	uint64_t number;                   /* Of instances made before this one. */
	struct log_once log_once;          /* Of start(), read() and run(). */
	struct log_once refusals;          /* Of series that cannot be. */

	/* Set before the instance starts, each of its own floor. */
	struct catalog *catalog;   /* store/: the engine's. */
	struct reading *reading;   /* read/ */
	const struct check *check; /* check/: while check() runs. */
	struct writer *writer;     /* write/: NULL: it takes nothing. */
	struct judges *judges;     /* judge/: the engine's. */

	/* Where mc_fail() takes a reason down that the calling thread gives;
	 * NULL: in 'log_once'. */
	struct log_once *(*find_log_once)(struct writer *);
};

static inline struct context *context_of(const struct mc_ctx *ctx)
{
	return (struct context *)ctx;
}
