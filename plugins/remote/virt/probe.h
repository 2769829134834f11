/* SPDX-License-Identifier: MIT */
/* Which guests answer, when a call for all of them does not come back. */
#pragma once

#include <stdbool.h>

#include <collector/plugin.h>

struct virt;

/* Asks about each guest by itself, and holds those of which nothing is heard:
 * guest->held. */
void probe_all(struct mc_ctx *);

/* Asks again about those that are held and due.  At the begin of a read; costs
 * nothing if none is held. */
void probe_held(struct mc_ctx *);
