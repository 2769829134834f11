/* SPDX-License-Identifier: MIT */
/* Functions of Graphite that change the time of series: longer intervals, another day.  Pure. */
#pragma once

#include "evaluation.h"

struct curve *summary_summarize(struct call *);
struct curve *summary_smart(struct call *);
struct curve *summary_hitcount(struct call *);
struct curve *summary_shift(struct call *);
struct curve *summary_stack(struct call *);
struct curve *summary_slice(struct call *);
