/* SPDX-License-Identifier: MIT */
/* selection: which parts of which interfaces are reported (collectd.conf(5), "Plugin netlink"). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum selection_part {
	SELECTION_INTERFACE,
	SELECTION_DETAIL,
	SELECTION_QDISC,
	SELECTION_CLASS,
	SELECTION_FILTER,
};

struct selection_rule {
	enum selection_part part;
	char *text;             /* Of the interface and the instance. */
	const char *interface;  /* A name, in any case; NULL: any, or as 'regex' says. */
	struct mc_regex *regex; /* Or NULL. */
	const char *instance;   /* "htb-1:10"; NULL: any. */
};

struct selection { /* All zero: everything is reported. */
	struct selection_rule *rules;
	size_t len, size;
	bool ignore; /* Reports what no rule matches. */
};

/* Adds a rule.  An interface "All" is any; after a blank it may have the instance.  False, and none
 * is added, if a /regex/ is invalid. */
bool selection_add(struct selection *, enum selection_part part, const char *interface,
		   const char *instance);

void selection_done(struct selection *);

/* 'instance' NULL asks whether any of that part may be reported; a rule of one instance then counts
 * for all, as it does for collectd.  One thread at a time. */
bool selection_has(const struct selection *, enum selection_part part, const char *interface,
		   const char *instance);
