/* SPDX-License-Identifier: MIT */
/* The settings of a service of systemd: its unit and its drop-ins, in the order
 * and with the masking of systemd.unit(5).
 *
 * "systemctl show" and "cat" answer only where systemd runs, of what it has loaded.  This is for a
 * unit before it is loaded, in a file, a package or a container. */
#pragma once

#include <stdbool.h>

/* Called with each setting of the section [Service], in the order in which they
 * count; 'value' may be changed. */
typedef void unit_file_fn(void *argument, const char *name, char *value);

/* Reads the unit at 'path', and its drop-ins in PATH.d. */
int unit_file_read(const char *path, unit_file_fn *take, void *argument);

/* Reads the unit 'name', "collector.service", as it is installed: in the first
 * of the folders that has it, which end with NULL.  Its drop-ins, those of all
 * services among them, count by their names, whichever folder they are in; of
 * several with the same name that in the first folder counts.  An empty file,
 * or a link to /dev/null, masks. 'folders' may be NULL: those of the system. */
int unit_file_find(const char *const *folders, const char *name, unit_file_fn *take,
		   void *argument);

/* Both return 0, or a negative errno if there is no such unit or it cannot be read; -ESHUTDOWN: it
 * is masked.  A drop-in that cannot be read is left out. */

/* Whether the path is the folder, or below it.  Pure. */
bool unit_file_is_below(const char *path, const char *folder);
