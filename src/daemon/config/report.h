/* SPDX-License-Identifier: MIT */
/* Shows all that is wrong with a configuration. */
#ifndef COLLECTOR_DAEMON_CONFIG_REPORT_H
#define COLLECTOR_DAEMON_CONFIG_REPORT_H

#include <stdio.h>

#include "base/problem.h"

/* One line each; those of a file together and in the order of its lines. */
void report_problems(const struct problems *, FILE *);

/* The same, to the log. */
void report_log(const struct problems *);

#endif
