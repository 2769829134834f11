/* SPDX-License-Identifier: MIT */
/* Prints plugins for people: lists, descriptions, manual pages and the example configuration, all
 * made from descriptors. */
#pragma once

#include <stdio.h>

#include "daemon/arguments.h"

/* Prints what the arguments ask for.  Returns the exit status: EX_UNAVAILABLE
 * if there is no such plugin or directory, EX_NOINPUT if the words of a manual
 * cannot be read; the reason is then in the log. */
int describe_plugins(const struct arguments *, const char *directory, FILE *);
