/* SPDX-License-Identifier: MIT */
/* Types like "gauge" are in any unit; what a sender says of the unit of a series makes a type of
 * its own of it, of the same name.  Such a type lives as long as the engine. */
#pragma once

#include <collector/plugin.h>

struct units;

struct units *unit_new(void);
void unit_free(struct units *);

/* The type in that unit; the type itself if it has one, if 'unit' is NULL or "", and when there
 * are too many.  Thread: any. */
const struct mc_type *unit_type(struct units *, const struct mc_type *type, const char *unit);
