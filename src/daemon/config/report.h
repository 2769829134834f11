/* SPDX-License-Identifier: MIT */
/* Shows all that is wrong with a configuration. */
#pragma once

#include <stdio.h>

#include "base/problem.h"

/* One line each; those of a file together and in the order of its lines. */
void report_problems(const struct problems *, FILE *);

/* The same, to the log. */
void report_log(const struct problems *);
