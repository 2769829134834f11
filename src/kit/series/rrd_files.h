/* SPDX-License-Identifier: MIT */
/* Shared parts of writers of RRD files: their options, the owner of a file, and the rows
 * that a fetch finds.
 *
 * Facts: collectd.conf(5), "Plugin rrdtool" and "Plugin rrdcached". */
#pragma once

#include <collector/history.h>

#include "formats/rrd/rrd.h"

#include "kit/series/rrd_choice.h"
#include "kit/series/rrd_place.h"

/* --- Options ------------------------------------------------------------- */

struct mc_rrd_options {
	int64_t step, heartbeat, rows;
	double xff;
	struct mc_strings timespans;
	const char *path_template, *single_template;
	struct mc_strings source_names;
	int layout; /* enum mc_rrd_program */
	struct mc_blocks archives, matches;
};

/* The rows of an option table for the layout of new files. */
#define MC_RRD_CHOICE_OPTIONS(self, layout, archives)                                              \
	{ "Layout", MC_OPT_WORD(self, layout), .default_value = "collectd",                        \
	  .words = mc_rrd_choice_words,                                                            \
	  .help = "Archives, step and heartbeat of new files: those of this program, or compact; " \
		  "not in collectd." },                                                            \
	{                                                                                          \
		"Archive", MC_OPT_BLOCKS(self, archives),                                          \
			.block = &mc_rrd_choice_archive,                                           \
			.help = "An archive of new files, instead of those of Layout; not in "     \
				"collectd."                                                        \
	}

/* The rows of an option table for new files.  A number out of its bounds is a warning, as
 * collectd goes on with its default. */
#define MC_RRD_OPTIONS(self, field)                                                                \
	{                                                                                          \
		"StepSize",                                                                        \
		MC_OPT_INT(self, field.step),                                                      \
		.lenient = true,                                                                   \
		.default_value = "0",                                                              \
		.max = 31622400,                                                                   \
		.help = "Step of new files in seconds; 0: the interval of the series."             \
	},                                                                                         \
		{ "HeartBeat",                                                                     \
		  MC_OPT_INT(self, field.heartbeat),                                               \
		  .lenient = true,                                                                 \
		  .default_value = "0",                                                            \
		  .max = 316224000,                                                                \
		  .help = "Heartbeat of new files in seconds; 0: two steps, or 2.5 intervals if "  \
			  "the interval is longer than StepSize." },                               \
		{ "RRARows",                                                                       \
		  MC_OPT_INT(self, field.rows),                                                    \
		  .lenient = true,                                                                 \
		  .default_value = "1200",                                                         \
		  .min = 1,                                                                        \
		  .max = 10000000,                                                                 \
		  .help = "Smallest number of rows of an archive: the width of graphs." },         \
		{ "RRATimespan", MC_OPT_STRINGS(self, field.timespans),                            \
		  .default_value = "3600 86400 604800 2678400 31622400",                           \
		  .help = "Seconds that an archive covers: an hour, a day, a week and so on." },   \
		{ "XFF",           MC_OPT_NUMBER(self, field.xff),                                 \
		  .lenient = true, .default_value = "0.1",                                         \
		  .max = 0.999999, .help = "Share of a row's values that may be unknown." },       \
		MC_RRD_CHOICE_OPTIONS(self, field.layout, field.archives),                         \
	{                                                                                          \
		"Match", MC_OPT_BLOCKS(self, field.matches),                                       \
			.block = &mc_rrd_choice_match,                                             \
			.help = "Another layout for new files of some series; the first block "    \
				"that matches counts; not in collectd."                            \
	}

/* The rows for paths of files. */
#define MC_RRD_PATH_OPTIONS(self, field)                                                           \
	MC_PATH_TEMPLATE_OPTIONS(self, field.path_template, field.source_names),                   \
		MC_PNP_SINGLE_OPTION(self, field.single_template)

/* Checks them for the check() of a plugin; 'rules' has the members that the options do not
 * set.  Thread: check()'s. */
void mc_rrd_options_check(struct mc_ctx *, const struct mc_rrd_options *,
			  struct mc_rrd_rules rules);

/* --- Whose a file is ------------------------------------------------------- */

/* A file whose path comes of a template may be asked for by two series. */
struct mc_rrd_owner { /* All zero: nobody has it. */
	char *series;
};

/* False: the file is that of another series, or one of several series. */
bool mc_rrd_may_have(const struct mc_rrd_owner *, const struct mc_pnp_row *, const char *series);

/* Makes it the file of that series; false as of mc_rrd_may_have(). */
bool mc_rrd_claim(struct mc_rrd_owner *, const struct mc_pnp_row *, const char *series);

/* Writes to 'why', of MC_HISTORY_WHY bytes, that the file stays: with -ENOTSUP because of other
 * series in it, with -EBUSY because updates wait for it.  Returns 'rc'.  Thread: any. */
int mc_rrd_unremoved(const char *path, int rc, char *why);

/* --- Fetched rows -------------------------------------------------------- */

/* Rows of one consolidation function, of a time each. */
struct mc_rrd_rows {
	int64_t start, step; /* Seconds; row i begins at start + i * step. */
	size_t len, columns_len;
	const double *values; /* NULL: none. */
};

struct mc_rrd_fetched {
	struct mc_rrd_rows averages, maxima, minima;
};

/* Adds a column of averages to the history of a source, with the maxima and minima where those are
 * of the same times.  Thread: any. */
void mc_rrd_rows_add(struct mc_history *, unsigned source, size_t column,
		     const struct mc_rrd_fetched *);
