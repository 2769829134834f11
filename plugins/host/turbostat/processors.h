/* SPDX-License-Identifier: MIT */
/* processors: those that run, the cores and packages that they are in, and their registers. */
#pragma once

#include <collector/plugin.h>

#include "figures.h"

struct processor {
	unsigned number, package, core;
	bool is_first_of_core, is_first_of_package;
	size_t core_at; /* The first one of its core. */
	int fd;         /* Of its registers; -1: to be opened. */
	uint64_t lacks; /* Registers that it was asked for and does not have. */
	bool has_before;
	struct figures_snapshot before, now;
};

struct processors {
	struct processor *items; /* In the order of their numbers. */
	size_t len;
	unsigned packages; /* The highest number of one, plus one. */
	size_t open, open_max;
	char *online; /* The text that lists them. */
};

#define PROCESSORS_MAX 8192 /* As many as Linux can have. */

/* Looks which ones run, and keeps the registers of those that stay.  Returns 0, or the result of
 * mc_fail(). */
int processors_find(struct processors *, struct mc_ctx *ctx);

/* Reads 'numbers' of the registers, those that are not 0, of one processor into its 'now', whose
 * content becomes 'before'.  Returns 0 or a negative errno: -ENXIO if it has gone. */
int processors_read(struct processors *, struct mc_ctx *ctx, struct processor *processor,
		    const uint32_t numbers[MODEL_REGISTERS]);

void processors_done(struct processors *);
