/* SPDX-License-Identifier: MIT */
/* Ways to show STATUS. */
#pragma once

#include <stdio.h>

#include "ctl/answer/overview.h"

struct ctl;

/* Head, plugins, writers, problems, for a person. */
void status_print(const struct ctl *, FILE *, const struct overview *);

/* A line for everything that fails now or is stuck.  Returns their number. */
size_t status_problems(const struct ctl *, FILE *, const struct overview *);

/* Samples that a writer dropped, by reason: "0", "12 queue full, 3 refused". */
struct status_drops {
	double total;
	char text[96];
};
struct status_drops status_drops(const struct record *writer);
