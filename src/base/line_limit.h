/* SPDX-License-Identifier: MIT */
/* How often lines of one class may be logged.  Two lines are of one class if they differ only in
 * numbers and in what stands in 'quotes'.  Thread: one at a time. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <collector/plugin.h>

#define LINE_LIMIT_BURST 20               /* Lines of a class at once, ... */
#define LINE_LIMIT_PER_SECOND 5           /* ... and in the long run. */
#define LINE_LIMIT_PAUSE (10 * MC_SECOND) /* Until the number of further lines is logged. */

#define LINE_LIMIT_CLASSES 64
#define LINE_LIMIT_TEXT 160

struct line_limit { /* All zero at first. */
	struct line_class {
		uint64_t key;
		double used;       /* Lines in the burst. */
		mc_time time;      /* When that was so. */
		uint64_t left_out; /* Suppressed lines without a report so far, ... */
		mc_time since;     /* ... from then on. */
		enum mc_level level;
		char last[LINE_LIMIT_TEXT]; /* The last of them, cut. */
	} classes[LINE_LIMIT_CLASSES];
};

/* Whether a line may be logged now; if not, it is counted. */
bool line_limit_pass(struct line_limit *, enum mc_level, const char *line, mc_time now);

/* Puts in 'out' how many lines of a class were left out, if that is due; false if nothing is.  To
 * be called until then, before each line and now and then. */
bool line_limit_told(struct line_limit *, mc_time now, enum mc_level *, char *out, size_t size);
