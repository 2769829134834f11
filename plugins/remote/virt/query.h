/* SPDX-License-Identifier: MIT */
/* Calls for statistics, over as many connections as it takes. */
#pragma once

#include "calls.h"
#include "virt.h"

/* Asks for groups of all guests or, with 'like', of those that it names, but not of those that are
 * held; if the call hangs, once more over another connection, when it is known which are.  The
 * reply, to be freed, or NULL; then self->away says why. */
struct calls_bulk *query_bulk(struct mc_ctx *ctx, unsigned groups, const struct calls_bulk *like);

/* The same for guests that a reply without waiting passed over: one short try,
 * which fails without a word. */
struct calls_bulk *query_again(struct mc_ctx *ctx, unsigned groups, const struct calls_bulk *like);
