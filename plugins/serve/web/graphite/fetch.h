/* SPDX-License-Identifier: MIT */
/* The series of this collector as curves. */
#pragma once

#include <collector/plugin.h>

#include "evaluation.h"

struct fetch { /* Of one request. */
	struct mc_ctx *ctx;
	int64_t span;    /* Seconds from the begin to the end of the graph. */
	unsigned wanted; /* Points that the graph needs. */
	unsigned points; /* Most points of such a span: fewer after a pattern with many series. */
	unsigned curves; /* So far. */
	mc_time end;     /* Monotonic: then it takes too long. */
	bool is_late;    /* It took too long. */
};

/* Sets the functions of an evaluation; 'fetch' stays the caller's. */
void fetch_init(struct fetch *, struct evaluation *);
