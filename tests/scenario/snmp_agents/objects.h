/* SPDX-License-Identifier: MIT */
/* What a simulated device has: its clock, and interfaces, as RFC 3418 and RFC 2863 have them.  A
 * counter of octets has its owner, and the time when it was read:
 *
 *   device << 44 | interface << 34 | out << 33 | milliseconds
 *
 * so that a test knows of each value where and when it comes from. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/snmp/ber.h"

#define OBJECTS_ID_MAX 13 /* Numbers of an identifier. */
#define OBJECTS_VALUE_MAX 64

struct object {
	uint32_t ids[OBJECTS_ID_MAX];
	uint8_t len, column;
	bool extended;      /* A column of ifXTable. */
	uint16_t interface; /* 0: a single value. */
};

struct objects { /* In the order of a walk. */
	struct object *items;
	size_t len;
};

struct objects_device {
	const struct objects *objects;
	unsigned number;
	uint64_t milliseconds; /* That its counters have counted. */
};

void objects_init(struct objects *, unsigned interfaces);
void objects_done(struct objects *);

/* The first object that is not before 'ids', or that is after it; its number, which is
 * objects->len at the end. */
size_t objects_find(const struct objects *, const uint32_t *ids, size_t len, bool behind);
bool objects_is(const struct objects *, size_t number, const uint32_t *ids, size_t len);

/* Puts its value. */
void objects_put(const struct objects_device *, const struct object *, struct mc_ber_writer *);
