/* SPDX-License-Identifier: MIT */
/* The parts of the file system, and the powers of root, that the unit of systemd leaves to the
 * collector. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "engine/check/check.h"

struct sandbox;

/* Reads a unit and its drop-ins, those of UNIT.d; NULL: the one that is installed.  Relative paths
 * are judged below 'base_dir'; 'drop_ins' is the folder with drop-ins named after the plugins that
 * need them, and must stay.  NULL, and errno is set, if the unit cannot be read. */
struct sandbox *sandbox_read(const char *unit, const char *base_dir, const char *drop_ins);
void sandbox_free(struct sandbox *); /* NULL is fine. */

/* NULL, or why the path cannot be used under the unit in that way, there or by its user: a text to
 * be freed.  It names the drop-in of 'plugin', which may be NULL, if that helps.  The settings
 * that would change it are noted. */
char *sandbox_hides(struct sandbox *, const char *plugin, const char *path, enum check_use);

/* NULL, or which of the capabilities, "CAP_SETUID CAP_KILL", the plugin does
 * not have under the unit; else as sandbox_hides(). */
char *sandbox_lacks(struct sandbox *, const char *plugin, const char *capabilities);

/* NULL, or a text if the user of the unit is not a member of a group of this host; else as
 * sandbox_hides(). */
char *sandbox_is_outside(struct sandbox *, const char *plugin, const char *group);

/* Prints the drop-in that makes room for all that was hidden, and gives all
 * that was lacking, so far; nothing if nothing was. */
void sandbox_print(const struct sandbox *, FILE *);
