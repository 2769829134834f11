/* SPDX-License-Identifier: MIT */
/* The columns and values that are known by name. */
#ifndef COLLECTOR_KIT_SNMP_NAMES_TABLE_H
#define COLLECTOR_KIT_SNMP_NAMES_TABLE_H

struct names_group {
	const char *module, *parent;
	const char *children; /* "1 ifIndex 2 ifDescr": below the parent. */
};

extern const struct names_group names_table[]; /* Ends with {0}. */

#endif
