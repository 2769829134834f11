/* SPDX-License-Identifier: MIT */
/* The rate of a series as a person understands it, and which of two is more. */
#pragma once

#include "ctl/print/human.h"

struct amount {
	double number;    /* In 'unit'; may be NaN. */
	const char *unit; /* Where it stays as it is, that of the type. */
	double cores;     /* Number of busy processors; NaN for other units. */
};

/* For a rate in the unit of its type: times per second are shares of one ("percent"), or
 * processors ("cores").  'type_instance' may be NULL; idle time of a processor does not count. */
struct amount amount_of(double rate, const char *unit, const char *type_instance);

/* The number with as many digits as one can take in at a glance; bytes with their unit. */
struct human amount_text(const struct amount *);

/* As for qsort(): processors that work are first, then unit by unit, in each the largest first;
 * NaN is last. */
int amount_compare(const struct amount *, const struct amount *);
