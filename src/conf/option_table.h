/* SPDX-License-Identifier: MIT */
/* Looks up options in their table.  Pure functions. */
#pragma once

#include <collector/plugin.h>

/* The option of that name, or with that alias, whatever the case; NULL without one. */
const struct mc_option *option_table_find(const struct mc_option *, const char *name);

/* The option "" that the argument with this index is for: one that takes a single value takes one,
 * a list takes all that are left.  NULL without one. */
const struct mc_option *option_table_argument(const struct mc_option *, size_t index);

/* The name of the block of this table that has an option of that name, or NULL. */
const char *option_table_home(const struct mc_option *, const char *name);
