/* SPDX-License-Identifier: MIT */
/* asPercent() of Graphite.  Pure. */
#pragma once

#include "evaluation.h"

struct curve *percent_of(struct call *);
