/* SPDX-License-Identifier: MIT */
/* Archives of a new RRD file, as the program whose tree it is in would have made them, and its step
 * and heartbeat.
 *
 * Facts: collectd.conf(5), RRATimespan and RRARows; Munin 2.0, Master/UpdateWorker.pm,
 * _create_rrd_file(), graph_data_size "normal"; MRTG 2.17, mrtg, the calls of RRDs::create() for
 * LogFormat rrdtool; PNP4Nagios 0.6, rra.cfg and process_perfdata.cfg (RRA_STEP, RRD_HEARTBEAT).
 * Pure functions; librrd is not needed. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct mc_rrd_rules;

enum mc_rrd_program { /* In the order of the words of the option Layout. */
		      MC_RRD_COLLECTD,
		      MC_RRD_MUNIN,
		      MC_RRD_MRTG,
		      MC_RRD_PNP,
		      MC_RRD_COMPACT, /* Of none: averages and maxima of an hour to a year. */
		      MC_RRD_OWN,     /* That of the spans of the rules. */
};

enum mc_rrd_function { MC_RRD_AVERAGE, MC_RRD_MIN, MC_RRD_MAX, MC_RRD_FUNCTIONS };
extern const char *const mc_rrd_archives_functions[MC_RRD_FUNCTIONS];

struct mc_rrd_span {        /* Of MC_RRD_OWN, in seconds. */
	int64_t resolution; /* Of a row; 0: the step. */
	int64_t span;
	unsigned functions; /* Bits 1 << enum mc_rrd_function. */
};

struct mc_rrd_archive {
	enum mc_rrd_function function;
	int64_t steps_per_row, rows;
	double xff;
};

struct mc_rrd_archives {
	struct mc_rrd_archive *items; /* Freed by the caller. */
	size_t len;
};

/* Those of a file of that step, in the order in which the program makes them. */
void mc_rrd_archives_make(struct mc_rrd_archives *, const struct mc_rrd_rules *, int64_t step);

/* The step that files of the program have whatever the interval, in seconds; 0: the interval. */
int64_t mc_rrd_archives_step(enum mc_rrd_program);

/* The heartbeat that the program gives files of that step; 0: two steps. */
int64_t mc_rrd_archives_heartbeat(enum mc_rrd_program, int64_t step);
