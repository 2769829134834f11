/* SPDX-License-Identifier: MIT */
/* Output of check plugins of Nagios and Icinga:
 *
 *   OK - all is fine|load1=0.43;4;8;0 '/var log'=591MB;800;900;0;1000
 *
 *   struct mc_perfdata data;
 *   mc_perfdata_open(&data, "load1=0.43;4;8;0 ...");
 *   while ((found = mc_perfdata_next(&data, &item)) != MC_PERFDATA_END)
 *
 * Facts: Monitoring Plugins Development Guidelines, "Plugin Output for Nagios" and "Performance
 * data"; what Icinga 2.13 takes; the labels of check_multi.  Does not allocate; any thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <collector/metadata.h>
#include <collector/scan.h>

#include "formats/check_result.h"

/* --- The output of a check ------------------------------------------------ */

#define MC_CHECK_TEXT_SIZE 512

struct mc_check_output {               /* All zero before the first line. */
	char text[MC_CHECK_TEXT_SIZE]; /* The first line; cut. */
	bool begun;
	bool only_data; /* After the '|' of a later line. */
};

/* Takes a line.  The performance data in it, or NULL. */
const char *mc_check_output_line(struct mc_check_output *, const char *line);

/* --- Performance data ----------------------------------------------------- */

/* With '\0'.  A longer label keeps its beginning, and has a sum of all of it after that. */
#define MC_PERFDATA_LABEL_SIZE 128

enum mc_perfdata_found {
	MC_PERFDATA_END,
	MC_PERFDATA_ITEM,
	MC_PERFDATA_UNKNOWN, /* U: the check does not know the value. */
	/* Items that are invalid, and skipped: */
	MC_PERFDATA_NO_LABEL, /* None, or its quote is not closed. */
	MC_PERFDATA_NO_VALUE, /* A word without '=', or nothing after it. */
	MC_PERFDATA_NO_NUMBER,
	MC_PERFDATA_FIELDS, /* More than four after the value. */
};

struct mc_perfdata_item {
	char label[MC_PERFDATA_LABEL_SIZE]; /* "" without one. */
	size_t label_size;                  /* Without '\0'. */

	/* Of an item: */
	double value;        /* As it is printed. */
	double factor;       /* By which it is in its base unit. */
	const char *type;    /* "duration", "bytes", "percent", "derive" or
			      * "gauge" */
	const char *base;    /* "seconds"; "": as 'unit' says. */
	struct mc_word unit; /* As it stands: "ms". */
	uint64_t digits;     /* The value, if 'whole'. */
	bool whole;          /* It has digits only, and they fit. */
	bool tolerated;      /* Blanks or a decimal comma that do not belong. */

	/* As they stand; missing ones are empty. */
	struct mc_word warning, critical, min, max;
};

struct mc_perfdata { /* A text that is being read. */
	const char *at;
	/* That check_multi has put in front of labels: "host::check_load::" */
	const char *prefix;
	size_t prefix_size;
};

static inline void mc_perfdata_open(struct mc_perfdata *data, const char *text)
{
	*data = (struct mc_perfdata){ .at = text };
}

/* Takes the next item. */
enum mc_perfdata_found mc_perfdata_next(struct mc_perfdata *, struct mc_perfdata_item *);

/* A threshold: with "10" values below 0 and above 10 are bad, with "10:" those below 10, with
 * "~:10" those above 10.  With "@10:20" values from 10 to 20 are: 'inverted' then.  False if it is
 * invalid. */
bool mc_perfdata_range(struct mc_word, struct mc_bounds *, bool *inverted);

/* Whether a value is worse by the limits of its metadata than the state that the check itself has
 * come to: then they are not what it has judged by.  check_swap and others print limits of what is
 * free as if it were used, and "0;0" without any. */
bool mc_perfdata_contradicts(const struct mc_metadata *, double value, enum mc_severity state);

/* Removes the limits. */
void mc_perfdata_unlimit(struct mc_metadata *);

/* The metadata in an item: label, unit and limits, in its base unit or, if 'raw', as it is printed.
 * For a "derive", whose rates would be judged, only the label.  The unit is kept in 'unit'. */
struct mc_metadata mc_perfdata_describe(const struct mc_perfdata_item *, bool raw,
					char unit[MC_METADATA_LABEL_SIZE]);
