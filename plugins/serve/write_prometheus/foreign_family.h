/* SPDX-License-Identifier: MIT */
/* Families of the metrics of others: what Prometheus has one type and one help for.  One thread. */
#pragma once

#include "point.h"

/* The text of that family's samples, to be added to.  If it is new, it gets 'type' and what is
 * known of 'point' (NULL: it is target_info); one that is there with another type becomes untyped.
 */
struct exposition_text *foreign_family_text(struct mc_map *families, const char *name,
					    enum exposition_type type, const struct point *point);

/* Adds those that have samples, by name. */
void foreign_family_print(const struct mc_map *families, enum exposition_format,
			  struct exposition_text *);

void foreign_family_done(struct mc_map *families);
