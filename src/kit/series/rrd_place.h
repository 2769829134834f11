/* SPDX-License-Identifier: MIT */
/* The RRD file of a series: its path by a template, or its place in a file of several series that
 * PNP4Nagios has begun.  For writers of RRD files, with their options. */
#pragma once

#include "formats/rrd/pnp_single.h"

/* --- Paths ---------------------------------------------------------------- */

/* The path of the series of that name, by what the collector knows of it; a template that is NULL
 * means the name itself.  Thread: any. */
bool mc_path_template_find(struct mc_ctx *, const char *text, const char *name,
			   char out[static MC_PATH_TEMPLATE_SIZE],
			   char why[static MC_PATH_TEMPLATE_WHY]);

/* For the check() of a plugin with these options: the template, and the names
 * of data sources, which may be given without a template. */
void mc_path_template_check(struct mc_ctx *, const char *const *text,
			    const struct mc_strings *source_names);

/* The rows of an option table for them. */
#define MC_PATH_TEMPLATE_OPTIONS(self, text, source_names)                                         \
	{ "PathTemplate", MC_OPT_STRING(self, text),                                               \
	  .help = "Path of a file below DataDir, without \".rrd\": "                               \
		  "\"%{host}_%{type_instance}\"; for trees that another "                          \
		  "program has begun; not in collectd." },                                         \
	{                                                                                          \
		"SourceNames", MC_OPT_STRINGS(self, source_names),                                 \
			.help = "Names of the data sources in the files, "                         \
				"instead of those "                                                \
				"of the type; not in collectd."                                    \
	}

/* --- Places --------------------------------------------------------------- */

struct mc_pnp_options {
	const char *folder; /* Of the files, on this machine. */
	/* Templates of files of one series, and of files of several, or NULL. */
	const char *path_template, *single_template;
};

/* The file of a series: its own, or a source of one of several series. */
struct mc_pnp_place {
	char own[MC_PATH_TEMPLATE_SIZE]; /* Below the folder, no ".rrd". */
	char path[MC_PATH_TEMPLATE_SIZE];
	bool is_single; /* 'path' is of several series, and: */
	unsigned source;
	char source_name[12]; /* "1" */
	struct mc_pnp_single file;
	/* Else why not, though there is such a file; "": no reason. */
	char refused[MC_PNP_SINGLE_WHY];
};

/* As mc_path_template_find().  With a template for files of several series it looks on the disk.
 * Thread: any. */
bool mc_pnp_place_find(struct mc_ctx *ctx, const struct mc_pnp_options *, const char *name,
		       struct mc_pnp_place *, char why[static MC_PATH_TEMPLATE_WHY]);

/* For the check() of a plugin with these options. */
void mc_pnp_check(struct mc_ctx *ctx, const char *const *path_template,
		  const char *const *single_template);

/* The row of the option table for it. */
#define MC_PNP_SINGLE_OPTION(self, field)                                                          \
	{                                                                                          \
		"SinglePathTemplate", MC_OPT_STRING(self, field),                                  \
			.help = "Path of files of PNP4Nagios that have all "                       \
				"labels of a service, below DataDir: those "                       \
				"that exist are carried on; not in collectd."                      \
	}
