/* SPDX-License-Identifier: MIT */
/* Lists of curves in an order.  Pure. */
#pragma once

#include "curve.h"

/* By what a function makes of the values; unknown ones are least.  Equal ones keep their order. */
struct curve *order_by_value(struct curve *, enum aggregate, bool reverse);

/* By names; naturally, 2 is before 10. */
struct curve *order_by_name(struct curve *, bool naturally, bool reverse);

/* The first ones, at most 'len', or without the last '-len'; frees the others. */
struct curve *order_limit(struct curve *, double len);
