/* SPDX-License-Identifier: MIT */
/* A graph of several series as a picture: the values of its lines, as its rule draws them. */
#pragma once

#include <collector/graphs.h>
#include <collector/history.h>

#define WHOLE_LINES_MAX 8 /* In a picture; of more, the largest. */

struct whole_values { /* Of the lines of a graph. */
	struct mc_type *type;
	struct mc_history *history; /* NULL: no values. */
	struct mc_drawing_line lines[WHOLE_LINES_MAX];
	char why[MC_HISTORY_WHY]; /* The failure of the last one, or "". */
};

/* Reads them, in whole seconds.  May wait for a disk or another program. */
void whole_read(struct whole_values *, struct mc_ctx *, const struct mc_drawing *,
		struct mc_span span);
void whole_done(struct whole_values *);

/* The glob of all series of the host that is 'size' bytes of the name; to be freed. */
char *whole_glob(const char *name, size_t size);

/* Calls 'show' with the graph of that name, HOST/ID; false if it does not exist. */
bool whole_find(struct mc_ctx *, const char *name,
		void (*show)(void *argument, const struct mc_drawing *drawing), void *argument);
