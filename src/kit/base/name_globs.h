/* SPDX-License-Identifier: MIT */
/* kit/base/name_globs.h - series that a user selects by globs of their
 * names, as "collectorctl list" takes them, in libkit:
 *
 *   { "Match", MC_OPT_STRINGS(struct sink, globs),
 *     .sample = "web1/df-root/percent_bytes-used", .help = "..." }
 *
 * Pure functions. */
#pragma once

#include <stdbool.h>

#include <collector/plugin.h>

#define MC_NAME_GLOBS_SIZE 1024 /* Five parts. */

/* Writes HOST/PLUGIN-INSTANCE/TYPE-INSTANCE, without what is missing; 'host' is that of an id
 * without. */
void mc_name_globs_name(const struct mc_id *id, const char *host, char name[MC_NAME_GLOBS_SIZE]);

/* Whether one of the globs (fnmatch(3), where "*" also stands for a "/") matches
 * HOST/PLUGIN-INSTANCE/TYPE-INSTANCE, without what is missing; 'host' is that of an id without. */
bool mc_name_globs_match(const struct mc_strings *globs, const struct mc_id *id, const char *host);
