/* SPDX-License-Identifier: MIT */
/* Values of series whose names are paths, as senders of Graphite's and InfluxDB's lines have them.
 *
 * The series of a path is found once, by the templates of formats/names/name_template.h,
 * and remembered under the path's bytes as long as values come.  A series of
 * which no template gives the interval has that of its first two values.
 *
 * The caller locks, where several threads use a struct mc_paths. */
#pragma once

#include <collector/serve.h>

#include "formats/names/name_template.h"
#include "formats/names/point.h"

/* --- Options -------------------------------------------------------------- */

struct mc_paths_options { /* Part of the plugin's state. */
	struct mc_strings templates;
	const char *plugin;   /* Of names without one; NULL: the instance's. */
	const char *fallback; /* A template for what no other is for; NULL: that
			       * of formats/names/name_template.h. */
	mc_time interval;     /* Until it is known. */
	int64_t limit;        /* Of paths that are remembered. */
};

/* Their rows of an option table, for 'field' within 'self'. */
#define MC_PATHS_OPTIONS(self, field)                                                              \
	{ "Template", MC_OPT_STRINGS(self, field.templates),                                       \
	  .help = "What paths become: a filter, the words for their "                              \
		  "components, and parts that are set; or collectd, icinga2 "                      \
		  "or icinga2_influxdb.",                                                          \
	  .sample = "servers.*.** skip.host.plugin.type_instance*" },                              \
		{ "Plugin", MC_OPT_STRING(self, field.plugin),                                     \
		  .help = "Name of the plugin in series whose template does "                      \
			  "not make one; by default that of this plugin.",                         \
		  .sample = "graphite" },                                                          \
		{ "Interval",                                                                      \
		  MC_OPT_TIME(self, field.interval),                                               \
		  .default_value = "60",                                                           \
		  .help = "Interval in seconds of a series of which one "                          \
			  "value has come; with the second it is known.",                          \
		  .min = 0.001,                                                                    \
		  .max = 86400 },                                                                  \
	{                                                                                          \
		"PathLimit", MC_OPT_INT(self, field.limit),                                        \
			.default_value = "1000000",                                                \
			.help = "Largest number of paths whose series are "                        \
				"remembered, if they have 256 bytes on "                           \
				"average; of others they are looked up.",                          \
			.min = 1, .max = 1e8                                                       \
	}

/* Says what is wrong with them; for check(). */
void mc_paths_check(struct mc_ctx *, const struct mc_paths_options *);

/* --- Values --------------------------------------------------------------- */

struct mc_paths;

/* NULL, and what mc_fail() returned in '*rc', if a template is wrong. */
struct mc_paths *mc_paths_new(struct mc_ctx *, const struct mc_paths_options *, int *rc);
void mc_paths_free(struct mc_paths *); /* NULL is fine. */

/* Values put from now on go into 'batch', with the present time. */
void mc_paths_begin(struct mc_paths *, struct mc_batch *batch);

enum mc_point_result {
	MC_POINT_TAKEN,
	MC_POINT_UNKNOWN, /* The value is NaN or infinite. */
	MC_POINT_NAME,    /* The path makes no name. */
	MC_POINT_SERIES,  /* No series may be made: a limit, a wrong name. */
	MC_POINT_KIND,    /* A counter was whole before, and is not. */
	MC_POINT_FUTURE,  /* Its time is beyond MC_AHEAD_MAX. */
};

enum mc_point_result mc_paths_put(struct mc_paths *, const struct mc_point *);

/* The series of the point that was put last if its path was not remembered before, to be described;
 * else NULL. */
struct mc_series *mc_paths_found(const struct mc_paths *);

/* Forgets paths of which nothing has come for Timeout intervals, so that their
 * series may end; for ten intervals, while theirs is not known. */
void mc_paths_sweep(struct mc_paths *);

size_t mc_paths_len(const struct mc_paths *);

/* Size in bytes of the paths that are remembered. */
size_t mc_paths_size(const struct mc_paths *);
