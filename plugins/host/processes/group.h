/* SPDX-License-Identifier: MIT */
/* A group of processes: those that one Process or ProcessMatch selects, what they have now, and
 * what they have used since the start of the collector or longer.  The share of a process stays in
 * the sum when it ends. */
#pragma once

#include <collector/kit/regex.h>
#include <collector/plugin.h>

#include "parse.h"

enum group_counter { /* Only grow. */
		     GROUP_USER_TICKS,
		     GROUP_SYSTEM_TICKS,
		     GROUP_MINOR_FAULTS,
		     GROUP_MAJOR_FAULTS,
		     GROUP_BYTES_READ,
		     GROUP_BYTES_WRITTEN,
		     GROUP_READS,
		     GROUP_WRITES,
		     GROUP_DISK_READ,
		     GROUP_DISK_WRITTEN,
		     GROUP_VOLUNTARY,
		     GROUP_INVOLUNTARY,
		     GROUP_DELAY_CPU, /* These are in nanoseconds. */
		     GROUP_DELAY_DISK,
		     GROUP_DELAY_SWAP,
		     GROUP_DELAY_MEMORY,
		     GROUP_COUNTERS_LEN
};

enum group_gauge { /* Sums over the processes of one read. */
		   GROUP_PROCESSES,
		   GROUP_THREADS,
		   GROUP_VM,
		   GROUP_RSS,
		   GROUP_DATA,
		   GROUP_CODE,
		   GROUP_STACK,
		   GROUP_FILES,
		   GROUP_MAPS,
		   GROUP_GAUGES_LEN
};

enum group_wants { /* Parts that cost more system calls. */
		   GROUP_WANTS_SWITCHES = 1,
		   GROUP_WANTS_FILES = 2,
		   GROUP_WANTS_MAPS = 4,
		   GROUP_WANTS_DELAYS = 8,
};

struct group_sample {       /* The share of a process. */
	unsigned known;     /* A bit for each counter that is. */
	unsigned gauges_of; /* And for each gauge. */
	uint64_t counters[GROUP_COUNTERS_LEN];
	double gauges[GROUP_GAUGES_LEN];
};

#define GROUP_SERIES_LEN 20

struct group {
	const char *name;
	struct mc_regex *regex; /* NULL: processes have the group's name. */
	unsigned wants;
	unsigned spoilt; /* Gauges that a process did not show. */
	struct group_sample sum;
	uint64_t before[GROUP_COUNTERS_LEN]; /* At the last report. */
	mc_time reported;                    /* When that was; 0: never. */
	struct mc_series *held[GROUP_SERIES_LEN];
};

/* Whether it selects a process with this name and command line. */
bool group_selects(const struct group *, struct mc_word name, struct mc_word command);

/* For each read: the gauges are 0 again; every process adds its sample, in
 * which counters are what has been used since the read before. */
void group_begin(struct group *);
void group_add(struct group *, const struct group_sample *);

/* A process that belongs here did not show the gauges with these bits: what the
 * others have is not the sum, which is not reported. */
void group_spoil(struct group *, unsigned gauges);

/* Puts what the group has, 'now'. */
void group_report(struct group *, mc_time now, struct mc_batch *);

/* Gives back all that the group has. */
void group_done(struct group *);
