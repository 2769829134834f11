/* SPDX-License-Identifier: MIT */
/* Lines that plugins of Munin, and nodes, print for "config" and "fetch".
 *
 * Facts: "Munin's protocol" and "Plugin reference" in Munin's guide, and what
 * Munin 2.0.73 prints and takes.  Does not allocate; any thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <collector/metadata.h>
#include <collector/plugin.h>

#define MC_MUNIN_UNKNOWN_LIMIT 3 /* Default of "unknown_limit". */

enum mc_munin_kind {
	MC_MUNIN_NOTHING,    /* Empty, or a comment. */
	MC_MUNIN_MULTIGRAPH, /* "multigraph SERVICE": the next lines are of it. */
	MC_MUNIN_GRAPH,      /* "KEY TEXT": of the graph. */
	MC_MUNIN_FIELD,      /* "FIELD.KEY TEXT": of the field. */
	MC_MUNIN_VALUE,      /* "FIELD.value [TIME:]NUMBER" */
	MC_MUNIN_BAD,        /* None of these. */
};

struct mc_munin { /* A line.  Its texts lie in it. */
	enum mc_munin_kind kind;
	const char *service; /* MULTIGRAPH */
	const char *field;   /* FIELD, VALUE: as Munin's master calls it. */
	const char *key, *text;
	double value;    /* VALUE; NaN: unknown. */
	mc_time time;    /* Since 1970; 0: now. */
	char digits[40]; /* The number as it came, without '+'; "": unknown. */
};

/* Reads a line, which it changes. */
void mc_munin_parse(struct mc_munin *, char *line);

/* Makes the name of a field, or of a plugin that is a service, one: letters,
 * digits and '_'; a field does not begin with a digit. */
void mc_munin_clean(char *name, bool field);

/* GAUGE, DERIVE, COUNTER or ABSOLUTE; false for any other text. */
bool mc_munin_type(const char *text, enum mc_kind *kind);

/* "10:20", ":20", "10:", "20": bounds; "": none.  Any other text means "0:0", as in
 * munin-limits. */
struct mc_bounds mc_munin_range(const char *text);
