/* SPDX-License-Identifier: MIT */
/* Guests that wait for memory, and those that grew (Documentation/accounting/psi.rst,
 * Documentation/admin-guide/cgroup-v2.rst).  Each read looks at the pressure of the host, each scan
 * at the sizes; guests are looked at one by one only where somebody waits. */
#pragma once

#include "groups.h"
#include "guests.h"
#include "look.h"
#include "report.h"

#include <collector/kit/once.h>

struct memory {
	struct report *report;
	struct guests *guests;
	struct groups *groups;
	int pressure; /* Descriptor of /proc/pressure/memory, or -1. */
	bool has_before;
	uint64_t stalled; /* us, at the last read. */
	struct look look;
	unsigned steps_len;          /* So far. */
	mc_time steps[GROWTH_STEPS]; /* When sizes were read, the newest first. */
	struct mc_once no_pressure;
};

/* Freed by memory_done(), which copes with zero.  The report, the guests and the groups are the
 * caller's, and live as long. */
void memory_init(struct memory *, struct report *report, struct guests *guests,
		 struct groups *groups);
void memory_done(struct memory *);

/* Takes the waits of an interval of 'time' ns; 'anew': guests were looked for in this read. */
void memory_read(struct memory *, double time, bool anew, struct mc_batch *out);
