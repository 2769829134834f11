/* SPDX-License-Identifier: MIT */
/* Facts about devices kept over a stop: engines, and indexes of tables.  One that holds saves a
 * round trip or more at the start; one that does not is replaced by what the device says.
 *
 * A line of the file is "engine", a name of a host, and hexadecimal digits; or "rows", a name, the
 * first column of a table, and indexes; tabulators stand between them.  Invalid lines are
 * skipped. */
#pragma once

#include "device.h"

/* Both log what fails.  For the thread of the devices, or after its end. */
void hints_load(struct mc_ctx *, const char *path, struct device *devices, size_t len);
void hints_save(struct mc_ctx *, const char *path, const struct device *devices, size_t len);

/* Takes a line, which is changed. */
void hints_take(struct device *devices, size_t len, char *line);
