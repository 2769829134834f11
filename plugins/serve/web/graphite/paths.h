/* SPDX-License-Identifier: MIT */
/* The series that there are, by the paths that write_graphite gives them by default. */
#pragma once

#include <stdbool.h>

#include <collector/plugin.h>

/* Calls visit() for each path that may match the pattern, as its first
 * component does, until it returns false. */
struct paths_one {
	const char *path;
	const char *series; /* Its name. */
	const struct mc_type *type;
	unsigned source;
};
void paths_each(struct mc_ctx *, const char *pattern,
		bool (*visit)(void *argument, const struct paths_one *), void *argument);
