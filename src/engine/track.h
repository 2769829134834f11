/* SPDX-License-Identifier: MIT */
/* A part of what a late writer takes, which may fall behind alone: mc_track().
 * It has a cursor and a reader of its own. */
#ifndef COLLECTOR_ENGINE_TRACK_H
#define COLLECTOR_ENGINE_TRACK_H

#include <collector/plugin.h>

struct mc_track;

/* Frees it and those that were made before it; NULL is fine. */
void track_free(struct mc_track *);

/* Nothing is kept any more for those whose names the tracks of an heir do not
 * have. */
void track_leave(struct mc_track *, const struct mc_track *heirs);

/* The same of what is kept for them: nothing any more. */
void track_let_go(struct mc_track *);

#endif
