/* SPDX-License-Identifier: MIT */
/* Shows all that is wrong with a configuration. */
#pragma once

#include <stdio.h>

#include "base/problem.h"

/* One line each; those of a file together and in the order of its lines.  Problems that only a look
 * at this host has found come last, below a line that says so. */
void report_problems(const struct problems *, FILE *);

/* How many errors only a look at this host has found. */
unsigned report_errors_of_host(const struct problems *);

/* The same, to the log. */
void report_log(const struct problems *);
