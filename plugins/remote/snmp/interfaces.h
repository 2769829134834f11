/* SPDX-License-Identifier: MIT */
/* Collect "interfaces": what IF-MIB (RFC 2863) says about network interfaces. */
#pragma once

#include "plan.h"

enum interfaces_column {
	INTERFACES_DESCR,
	INTERFACES_TYPE,
	INTERFACES_SPEED,
	INTERFACES_NAME,
	INTERFACES_HIGH_SPEED,
	INTERFACES_ALIAS,
	INTERFACES_STATE,
	/* Two each: in, out. */
	INTERFACES_OCTETS,
	INTERFACES_WIDE_OCTETS = INTERFACES_OCTETS + 2,
	INTERFACES_PACKETS = INTERFACES_WIDE_OCTETS + 2,
	INTERFACES_WIDE_PACKETS = INTERFACES_PACKETS + 2,
	INTERFACES_ERRORS = INTERFACES_WIDE_PACKETS + 2,
	INTERFACES_DISCARDS = INTERFACES_ERRORS + 2,
	INTERFACES_COLUMNS = INTERFACES_DISCARDS + 2,
};

struct device;
struct interface; /* State of a row beyond this pass. */
struct mc_batch;
struct table;

/* Fills the table. */
void interfaces_plan(struct plan_table *);

/* After a pass: columns that the device has not are not asked for again, nor
 * those of 32 bits where all interfaces have 64. */
void interfaces_choose(struct table *);

/* Puts samples of all rows of a pass. */
void interfaces_report(struct table *, struct device *, mc_time interval, struct mc_batch *);

void interfaces_row_free(struct interface *); /* NULL is fine. */
