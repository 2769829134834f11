/* SPDX-License-Identifier: MIT */
/* How much is left out while asking the guests costs more CPU time than the option Budget allows.
 * Pure.
 *
 * Nothing is left out that may have changed as far as the kernel shows it: only guests that do
 * nothing are asked less often. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <collector/plugin.h>

/* Steps in which more is left out. */
#define BUDGET_LEVEL_MAX 5

/* Reads that go by before a further step; those before the way back, at least and at most. */
#define BUDGET_READS_UP 5
#define BUDGET_READS_DOWN 30
#define BUDGET_READS_DOWN_MAX 960

struct budget_cost { /* CPU time (ns) of one read: */
	/* of the collector itself, of libvirt's daemon, and of the QEMUs of all guests. */
	mc_time collector, daemon, guests;
};

struct budget {
	double share;      /* Budget, as a share of one core; 0: no limit. */
	double used;       /* Share that reads have used lately. */
	unsigned reads;    /* Since the last step. */
	unsigned patience; /* Reads before the way back; 0: BUDGET_READS_DOWN. */
	unsigned level;    /* Steps that were taken. */
	bool back;         /* The last one was back. */
};

struct budget_plan {     /* Reads in which a guest that does nothing is asked once: */
	unsigned check;  /* for its disks, to check that it does nothing, */
	unsigned unseen; /* for its disks, if only its answers show that, */
	unsigned groups; /* for all groups but disks that cost its QEMU commands. */
};

enum budget_event {
	BUDGET_NOTHING,
	BUDGET_BEGINS,    /* Something is left out from now on. */
	BUDGET_ENDS,      /* Nothing is left out any more. */
	BUDGET_EXHAUSTED, /* It costs more, although all is left out that can be. */
};

/* Reads a percentage of one core: "0.5 %", "0.5%", or "0.5", which may come in two words. */
bool budget_parse(struct mc_strings words, double *share);

/* Takes the cost of a read. */
enum budget_event budget_take(struct budget *budget, const struct budget_cost *cost,
			      mc_time interval);

struct budget_plan budget_plan(const struct budget *budget);
