/* SPDX-License-Identifier: MIT */
/* Shared by the parts of moves.h. */
#pragma once

#include "moves.h"

/* The guest of that name; a new one if it is unknown.  NULL: there are 'max' others. */
struct moves_guest *moves_get(struct moves *, const char *host, size_t max);

void moves_drop(struct moves *, struct moves_guest *);

/* The lines of the guest in a file are out of date. */
static inline void moves_mark(struct moves *moves, struct moves_guest *guest)
{
	guest->dirty = moves->dirty = true;
}
