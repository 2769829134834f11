/* SPDX-License-Identifier: MIT */
/* Histories of many series, made into those of a few groups: "all CPUs of this
 * host by state" costs a viewer one line per state.  Pure. */
#pragma once

#include <collector/history.h>
#include <collector/writer.h>

enum combine_function { /* Of the values that the members have of one time. */
			COMBINE_SUM,
			COMBINE_AVERAGE,
			COMBINE_MINIMUM,
			COMBINE_MAXIMUM,
			COMBINE_FUNCTIONS,
};

enum combine_part { /* Bits: parts of names that a group has in common. */
		    COMBINE_HOST = 1,
		    COMBINE_PLUGIN = 2,
		    COMBINE_PLUGIN_INSTANCE = 4,
		    COMBINE_TYPE = 8,
		    COMBINE_TYPE_INSTANCE = 16,
};

struct combine_point { /* The values of one time. */
	double average, maximum, minimum;
	unsigned members;
};

enum combine_kind { COMBINE_AVERAGES, COMBINE_MAXIMA, COMBINE_MINIMA, COMBINE_KINDS };
extern const char *const combine_kinds[COMBINE_KINDS]; /* "average" and so on. */

static inline double combine_value(const struct combine_point *point, enum combine_kind kind)
{
	return kind == COMBINE_AVERAGES ? point->average
	       : kind == COMBINE_MAXIMA ? point->maximum
					: point->minimum;
}

struct combine_group {
	struct combine_group *next;
	char *name;                 /* Of the parts, with '/' between them; or of its member. */
	const struct mc_type *type; /* Of the first member. */
	const char *provider;       /* Of the first member. */
	const char *host;           /* The same; its series has it. */
	mc_time start, step, coarsest;
	unsigned members;
	bool ranges; /* Somewhere an extreme is not the average. */
	unsigned points_len;
	struct combine_point points[]; /* Those of each source in a row. */
};

struct combine {
	unsigned parts; /* enum combine_part; 0: each series is a group. */
	enum combine_function function;
	struct combine_group *first, **end; /* In the order of first members. */
	unsigned left_out;                  /* Of another type or step than their group. */
	size_t points;                      /* Of all groups and sources. */
};

void combine_init(struct combine *, unsigned parts, enum combine_function);
void combine_done(struct combine *);

/* "host,type_instance": the parts; false if one is unknown. */
bool combine_parts(const char *text, unsigned *parts);

/* "sum"; false if there is no such function. */
bool combine_function(const char *text, enum combine_function *);

void combine_add(struct combine *, const struct mc_series *, struct mc_history *);

/* All have been added: averages are made. */
void combine_finish(struct combine *);
