/* SPDX-License-Identifier: MIT */
/* legacy_table: a table of xtables as the kernel hands it out (linux/netfilter_ipv4/ip_tables.h,
 * linux/netfilter_ipv6/ip6_tables.h): entries, one after the other, that are rules or heads of
 * chains.  Pure; nothing beyond the entries is read. */
#pragma once

#include <stdbool.h>

#include "rule.h"

#define LEGACY_TABLE_HOOKS 5

struct legacy_table {
	bool is_v6;
	unsigned valid_hooks;                    /* A bit for each. */
	unsigned hook_entry[LEGACY_TABLE_HOOKS]; /* Where the chain of a hook begins, if valid. */
	const char *entries;
	size_t size;
};

struct legacy_table_visitor {
	void *argument;
	/* A chain begins: whether its rules are wanted.  'name' ends with '\0'. */
	bool (*chain)(void *argument, const char *name);
	/* The next rule of that chain, without its policy. */
	void (*rule)(void *argument, const struct rule *rule);
};

/* Visits the chains in the order of the table.  Returns 0, or -EBADMSG if the entries cannot be
 * understood: those before have been visited. */
int legacy_table_walk(const struct legacy_table *, const struct legacy_table_visitor *);
