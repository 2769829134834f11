/* SPDX-License-Identifier: MIT */
/* The series of a port or an interface, and the columns of Open vSwitch that they are made of
 * (ovs-vswitchd.conf.db(5), "Interface", "Statistics"). */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define COUNTERS_SERIES 28

struct counters_series {
	const char *type, *type_instance;
	const char *names[2]; /* One for each source of the type; the second NULL: it has one. */
};

extern const struct counters_series counters_series[COUNTERS_SERIES];

struct counters { /* -1: not there. */
	int64_t values[COUNTERS_SERIES][2];
};

void counters_clear(struct counters *);

/* Sets the counter of that name, if any series needs it. */
void counters_set(struct counters *, const char *name, size_t size, int64_t value);

/* Adds those that are there. */
void counters_add(struct counters *, const struct counters *);
