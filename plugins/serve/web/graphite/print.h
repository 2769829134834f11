/* SPDX-License-Identifier: MIT */
/* Curves as Graphite's render API answers them.  Pure. */
#pragma once

#include <collector/kit/buffer.h>
#include <collector/kit/json.h>

#include "curve.h"

struct print_options {
	unsigned points_max;  /* Of each curve, in JSON; 0: all. */
	bool without_unknown; /* In JSON. */
};

/* Changes the curves: several values become one if there are too many. */
void print_json(struct mc_json *, struct curve *, const struct print_options *);

/* "NAME,DATE,VALUE" lines; "NAME,START,END,STEP|VALUES" lines; and what the library Dygraph
 * reads. */
void print_csv(struct mc_buffer *, const struct curve *);
void print_raw(struct mc_buffer *, const struct curve *);
void print_dygraph(struct mc_json *, const struct curve *);
