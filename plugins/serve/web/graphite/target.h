/* SPDX-License-Identifier: MIT */
/* Evaluates targets of Graphite's render API: checks arguments by the table of functions, and calls
 * these.  Pure, but for the source of the series. */
#pragma once

#include "evaluation.h"

/* The curves of a target.  NULL: no series matches, or 'why' of the
 * evaluation has the reason. */
struct curve *target_evaluate(struct evaluation *, const char *target);
