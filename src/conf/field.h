/* SPDX-License-Identifier: MIT */
/* One value of the configuration and the field of a struct that it is for. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <collector/plugin.h>

#include "base/arena.h"

/* Reads 'text' into 'field': of the option's type, or one item of it for MC_STRINGS and MC_INTS.
 * False if it is not what field_expected() says; the field is then untouched.  Strings are copied
 * to the arena.  Not for MC_SELECT, MC_BLOCKS and MC_CONFIGS. */
bool field_set(const struct mc_option *, const char *text, void *field, struct arena *);

/* "a whole number from 1 to 65535", "true or false": the accepted values, written to 'out', which
 * is returned. */
const char *field_expected(const struct mc_option *, char *out, size_t size);

/* "from 1 to 65535", "0 or more", or "" without bounds; memory as above. */
const char *field_range(const struct mc_option *, char *out, size_t size);

/* The preset as written in a file, or NULL without one, or if a file cannot express it. */
const char *field_preset(const struct mc_option *);

/* Whether the type takes one value: given twice, the last one counts. */
bool field_is_scalar(enum mc_option_type);

/* The text of a value; for a boolean of 0 or 1 "false" or "true".  collectd goes on without an
 * option that has such a value. */
const char *field_meant(const struct mc_option *, const char *text);

/* Words about the value that is used instead of a wrong one, written to 'out', which is returned:
 * "; it stays '10'", or "" if a wrong value is an error.  'last' is the value that the option has
 * from the file, or NULL. */
const char *field_instead(const struct mc_option *, const char *last, char *out, size_t size);
