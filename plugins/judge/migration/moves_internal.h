/* SPDX-License-Identifier: MIT */
/* Shared by the parts of moves.h. */
#pragma once

#include "moves.h"

/* The guest of that name; a new one if it is unknown.  NULL: there are too many. */
struct moves_guest *moves_get(struct moves *, const char *host);

void moves_drop(struct moves *, struct moves_guest *);
