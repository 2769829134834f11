/* SPDX-License-Identifier: MIT */
/* Layout of a new RRD file: its data sources and archives, as arguments of rrdcreate(1), and
 * updates as arguments of rrdupdate(1).  Pure functions; librrd is not needed.
 *
 * Without another layout files must be those that collectd 5.12 would have made, so that a site can
 * change over and keep its graphs; the rules were taken from its manual and confirmed by comparing
 * `rrdtool info`.
 */
#pragma once

#include <collector/plugin.h>

#include "formats/rrd/rrd_archives.h"

struct mc_rrd_rules {
	enum mc_rrd_program program; /* Whose archives, step and heartbeat a file has. */
	unsigned number; /* Of the rules, where files of one list have different ones. */
	const struct mc_rrd_span *spans; /* Of MC_RRD_OWN. */
	size_t spans_len;

	/* Seconds; 0: those of the program, else from the interval.  A heartbeat that is not given
	 * is the program's, or two steps; or 2.5 intervals if these are more and the interval is
	 * longer than the step. */
	int64_t step, heartbeat;
	double xff;         /* Of collectd's archives, compact ones and own ones. */
	bool single;        /* Only AVERAGE, no MIN and MAX. */
	int64_t rows;       /* Of MC_RRD_COLLECTD, as are the timespans. */
	bool as_given;      /* Timespans stay in order; else they are sorted. */
	int64_t *timespans; /* Seconds; the first in full resolution.  NULL:
			     * collectd's five. */
	size_t timespans_len;
	bool partial; /* Some sources of an update may be missing. */
	/* Names of data sources, instead of the type's; as many as it has. */
	const char *const *source_names;
	size_t source_names_len; /* 0: the type's. */
};

/* The name of a data source in files by those rules; NULL: the type's. */
static inline const char *mc_rrd_source_name(const struct mc_rrd_rules *rules,
					     const struct mc_type *type, unsigned source)
{
	return rules != NULL && source < rules->source_names_len ? rules->source_names[source]
								 : type->sources[source].name;
}

/* Adds the timespans in a text such as "3600, 86400"; false if part of it is
 * not a number from 1 to 10^10 (the rest is added).  Freed by the caller. */
bool mc_rrd_add_timespans(struct mc_rrd_rules *, const char *text);

/* Bytes that a file by those rules takes for each data source. */
double mc_rrd_size(const struct mc_rrd_rules *, mc_time interval);

/* Layout of files of one type at one step. */
struct mc_rrd_layout {
	struct mc_rrd_layout *next;
	char *type;
	unsigned number;    /* That of the rules. */
	unsigned long step; /* Seconds. */
	int64_t heartbeat;  /* In seconds, too. */
	uint64_t rows;      /* Of all archives. */
	bool chosen;        /* The archives are not those of collectd. */
	int argc;           /* The first sources_len are "DS:…". */
	char **argv;
	unsigned sources_len;
	bool partial;
	struct {
		char name[20];
		enum mc_kind kind;
	} sources[];
};

/* The layout for rules, a type and an interval, made if it is new.  When the list has
 * MC_RRD_LAYOUTS of them, more than a site needs, a new interval is rounded up to a power of two of
 * seconds. */
#define MC_RRD_LAYOUTS 512
const struct mc_rrd_layout *mc_rrd_layout(struct mc_rrd_layout **list, const struct mc_rrd_rules *,
					  const struct mc_type *, mc_time interval);

/* Frees the whole list. */
void mc_rrd_layouts_free(struct mc_rrd_layout *list);

/* False: a file of that heartbeat, in seconds, holds nothing of what comes once
 * in 'interval': each value is unknown. */
static inline bool mc_rrd_holds(int64_t heartbeat, mc_time interval)
{
	return heartbeat >= (interval - 1) / MC_SECOND + 1;
}

/* Whether that is so of a file; then 'out' says it, and what mends it. */
bool mc_rrd_unheld(const char *path, int64_t heartbeat, mc_time interval, char *out, size_t size);

/* Whether a file that is there, of that number of rows, has other archives than were chosen for new
 * files; then 'out' says that it keeps them. */
bool mc_rrd_keeps(const struct mc_rrd_layout *, const char *path, uint64_t rows, char *out,
		  size_t size);

/* RRD files know whole seconds; collectd rounds to the nearest. */
int64_t mc_rrd_second(mc_time);

/* Largest size of an update of that many sources, with '\0'. */
#define MC_RRD_UPDATE_SIZE(sources_len) (24 + (size_t)(sources_len)*26)

/* The value of a counter that is missing in an update by a layout that is
 * 'partial'.  That of a gauge is NaN. */
#define MC_RRD_MISSING INT64_MIN

/* Writes "1234567890:1:U" to 'out'; returns the size with the '\0'. */
size_t mc_rrd_update(const struct mc_rrd_layout *, int64_t second, const union mc_value *values,
		     char *out);
