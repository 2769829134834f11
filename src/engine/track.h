/* SPDX-License-Identifier: MIT */
/* A part of what a late writer takes, which may fall behind alone: mc_track().
 * It has a cursor and a reader of its own. */
#ifndef COLLECTOR_ENGINE_TRACK_H
#define COLLECTOR_ENGINE_TRACK_H

#include <collector/plugin.h>

struct mc_track;

/* Frees it and those that were made before it; NULL is fine. */
void track_free(struct mc_track *);

/* The same of what is kept for them: nothing any more. */
void track_let_go(struct mc_track *);

#endif
