/* SPDX-License-Identifier: MIT */
/* A request that was refused: sent again in parts, until each bad sample is alone, and that
 * dropped, counted and kept (division.h).  The writer's thread. */
#pragma once

#include "forward.h"

/* Sends parts of the request in self->division until nothing of it is left: 0, and self->sent is
 * its last sample; or -EAGAIN. */
int refused_go_on(struct mc_ctx *);
