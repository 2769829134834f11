/* SPDX-License-Identifier: MIT */
/* Means in the state file, and those of it that wait for their series. */
#pragma once

#include "outlier.h"

/* Reads the file.  Thread: start()'s. */
void means_load(struct mc_ctx *);

/* Gives the sources of a series that begins what the file has of them, if its interval is the
 * same. */
void means_restore(struct outlier *self, struct member *) MC_REQUIRES(self->lock);

/* Writes all means, without the lock in between.  Thread: read()'s, or stop()'s. */
void means_save(struct mc_ctx *);

/* The same if it was long ago. */
void means_save_in_turn(struct mc_ctx *);

/* Frees those that wait. */
void means_drop(struct outlier *self) MC_REQUIRES(self->lock);
