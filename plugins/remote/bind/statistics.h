/* SPDX-License-Identifier: MIT */
/* The page of the statistics channel of named, version 3 of its XML, which BIND has since 9.10.
 * Pure functions. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define STATISTICS_NAME_SIZE 256

enum statistics_group { /* Where a value stands. */
			STATISTICS_OPCODES,
			STATISTICS_QTYPES,
			STATISTICS_SERVER,
			STATISTICS_ZONE_MAINTENANCE,
			STATISTICS_RESOLVER,
			STATISTICS_MEMORY,
			STATISTICS_VIEW_QTYPES,
			STATISTICS_VIEW_RESOLVER,
			STATISTICS_VIEW_CACHE,
			STATISTICS_ZONE_QTYPES,
			STATISTICS_ZONE_SERVER,
			STATISTICS_GROUPS, /* Their number: anything else. */
};

struct statistics_value {
	enum statistics_group group;
	const char *view, *zone; /* "" without one; a zone is "example.org/IN". */
	const char *name, *number;
	const char *time; /* "2026-11-29T01:04:39.676Z"; "": not given. */
};

typedef void statistics_visit(void *argument, const struct statistics_value *);

/* Calls visit() for each value.  NULL, or what is wrong with the page, after any of them. */
const char *statistics_read(const char *page, size_t size, statistics_visit *visit, void *argument);
