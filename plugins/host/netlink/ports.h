/* SPDX-License-Identifier: MIT */
/* ports: the network interfaces that were met, what is kept of each, and the values of a link. */
#pragma once

#include <collector/plugin.h>

#include <net/if.h>

#include "link.h"
#include "selection.h"

#define PORTS_REPORTS_MAX 24

struct port { /* A network interface of the machine. */
	int index;
	char name[IFNAMSIZ];
	bool selected[SELECTION_FILTER + 1];       /* Some of that part may be reported. */
	bool is_classful;                          /* By what disciplines it has in this read. */
	struct mc_series *held[PORTS_REPORTS_MAX]; /* NULL: not asked for yet. */
};

struct ports {
	struct port *items; /* In the order of the last answer. */
	size_t len, size;
	size_t hint; /* Where ports_find() found the last one. */
};

/* The interface of this link, which is moved to 'position', or added there: those before it have
 * been met in this read. */
struct port *ports_place(struct ports *, size_t position, const struct link *link,
			 const struct selection *selection);

/* Forgets those from 'len' on, and gives their series back. */
void ports_cut(struct ports *, size_t len);

/* NULL: no such interface. */
struct port *ports_find(struct ports *, int index);

void ports_done(struct ports *);

/* Puts the values of a link: counters and details as selected. */
void ports_report(struct port *, const struct link *link, struct mc_batch *out);

/* Puts the values of its virtual functions. */
void ports_report_functions(const struct port *, const struct link *link, struct mc_batch *out);
