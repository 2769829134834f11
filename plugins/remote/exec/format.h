/* SPDX-License-Identifier: MIT */
/* Handles the output of a program, by its Format.  Only run(). */
#pragma once

#include <collector/kit/spawn.h>
#include <collector/metadata.h>
#include <collector/metric.h>
#include <collector/plugin.h>

struct program;

struct format {
	const char *plugin;     /* In the names of series, by default. */
	const char *const *env; /* Variables that programs have besides. */
	int status_max;         /* Exit statuses up to it are well. */
	size_t line_max;        /* 0: that of kit/spawn.h. */
	unsigned sources_max;   /* Of a Type; 0: one. */

	/* Each may be NULL.  A run begins; a line on standard output; the run
	 * has ended; the program is given up. */
	void (*begin)(struct program *);
	void (*line)(struct program *, const struct mc_child_line *);
	void (*end)(struct program *, const struct mc_child_end *);
	void (*done)(struct program *);
};

extern const struct format format_collectd, format_influx, format_json, format_metrics, format_mrtg,
	format_munin, format_nagios;

/* Whether a run has ended so that what it has printed counts. */
static inline bool format_ended_well(const struct mc_child_end *end)
{
	return end->errnum == 0 && end->signal == 0 && end->status == 0 && !end->timed_out &&
	       !end->flooded;
}

/* --- Values --------------------------------------------------------------- */

struct format_number {
	double number;      /* NaN: unknown. */
	const char *digits; /* The same, if they are known: of a whole number
			     * all count. */
};

struct format_value {
	const char *host;     /* NULL: this one. */
	const char *instance; /* Of the plugin; NULL: the name of the block. */
	const char *type;     /* Where there is no option Type. */
	const char *label;    /* The type instance; NULL: none. */
	struct format_number number;
	const struct format_number *second; /* Of a type with two sources. */
	mc_time time;                       /* 0: now. */
	mc_time interval;                   /* 0: that of the program. */
	const struct mc_metadata *metadata; /* Of its source; NULL: no news. */
	const struct mc_metric *metric;     /* Its labels, and its name; NULL: no news. */
};

/* Whether a time that a program prints cannot be that of a value; and its error text. */
bool format_is_ahead(const struct program *, mc_time);
#define FORMAT_AHEAD "prints a time that is more than a day ahead"

/* The batch of this round, charged to the program. */
struct mc_batch *format_batch(struct program *);

/* Puts a value into the batch of this round.  False: it cannot be one of its type. */
bool format_put(struct program *, const struct format_value *);

/* The kind of its option Type; a gauge without one. */
enum mc_kind format_kind(const struct program *);

/* Whether the series of that instance are the program's, from now on, if no
 * other one has them.  All but those of its name may be given back. */
bool format_claim(struct program *, const char *instance);
void format_unclaim(struct program *);
