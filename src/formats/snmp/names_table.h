/* SPDX-License-Identifier: MIT */
/* The columns and values that are known by name. */
#pragma once

struct names_group {
	const char *module, *parent;
	const char *children; /* "1 ifIndex 2 ifDescr": below the parent. */
};

extern const struct names_group names_table[]; /* Ends with {0}. */
