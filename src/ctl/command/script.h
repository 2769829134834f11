/* SPDX-License-Identifier: MIT */
/* Commands whose work is that of a script beside the daemon. */
#pragma once

#include <stddef.h>

#include "ctl/ctl.h"

/* Writes the options that these scripts share, at most five words; their number. */
size_t script_options(const struct ctl *ctl, const char **words);

/* Runs the script 'arguments' begins with, in place of this program; its exit status if that
 * fails. */
int script_run(const char *const *arguments);
