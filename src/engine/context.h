/* SPDX-License-Identifier: MIT */
/* The inside of an instance's mc_ctx.  A plugin calls the core with its ctx; the floor that has
 * the function finds its own part of the instance here, without the parts of the other floors.
 * Only change/, the top, knows the whole: struct instance, of which this is the first part. */
#pragma once

#include <stdatomic.h>

#include <collector/plugin.h>

#include "engine/log_once.h"

struct registry;
struct check;
struct judges;
struct mc_answer;
struct mc_writer;
struct reading;
struct writer;

struct context {
	struct mc_ctx ctx; /* First: a context is found by its ctx. */
	const struct mc_plugin *plugin;
	const struct mc_writer *callbacks; /* Callbacks of the plugin; never NULL. */
	uint64_t number;                   /* Number of instances made before this one. */
	struct log_once log_once;          /* Failures of start(), read() and run(). */
	struct log_once refusals;          /* Complaints about invalid series. */

	/* Set before the instance starts, each of its own floor. */
	struct registry *registry; /* store/: the engine's. */
	struct reading *reading;   /* read/ */
	const struct check *check; /* check/: while check() runs. */
	struct writer *writer;     /* write/: NULL: it takes nothing. */
	struct judges *judges;     /* judge/: the engine's. */

	/* judge/: set by mc_explain_with(), or NULL. */
	void (*_Atomic explain)(struct mc_ctx *ctx, const struct mc_series *series,
				struct mc_answer *answer);

	/* Where mc_fail() takes a reason down that the calling thread gives;
	 * NULL: in 'log_once'. */
	struct log_once *(*find_log_once)(struct writer *);
};

static inline struct context *context_of(const struct mc_ctx *ctx)
{
	return (struct context *)ctx;
}
