/* SPDX-License-Identifier: MIT */
/* The series that a value is a share of: those of the same host, plugin, plugin instance and type
 * that Of of a rule names by their type instances. */
#pragma once

#include <collector/control.h>

#include "verdict.h"

struct siblings; /* Those of the rules of a series. */

/* NULL if no rule is_share. */
struct siblings *siblings_new(const struct rules *);
void siblings_free(struct siblings *); /* NULL is fine. */

/* The wholes of each rule that is_share, as in struct verdict_means: the sums of their present
 * values, each at most two intervals old; NaN if one has none.  Lives until the next call. */
const double *siblings_wholes(struct siblings *, const struct rules *, struct mc_reading *,
			      const struct mc_sample *);

/* The present value of one, found by its name; NaN: it has none. */
double siblings_value(struct mc_reading *, const struct mc_id *, const char *type_instance);
