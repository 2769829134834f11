/* SPDX-License-Identifier: MIT */
/* The value of a variable, as net-snmp has decoded it: a number, and a text for
 * names.  By collectd-snmp(5), "Scale", and what collectd 5.12 does with each
 * type. Pure functions; whatever a device sends is given. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <collector/plugin.h>

#include <net-snmp/net-snmp-config.h>

#include <net-snmp/types.h>

struct mc_snmp_number {
	enum mc_snmp_number_kind {
		MC_SNMP_NONE,     /* It is not a number. */
		MC_SNMP_UNSIGNED, /* Counters, gauges, ticks. */
		MC_SNMP_SIGNED,   /* INTEGER, and strings of digits. */
		MC_SNMP_FLOAT,    /* Opaque floats, and strings of decimals. */
	} kind;
	bool from_text; /* Not scaled, as in collectd. */
	union {
		uint64_t positive;
		int64_t negative; /* MC_SNMP_SIGNED, of either sign. */
		double real;
	};
};

/* Whether the device has such a value: it is neither an exception (noSuchObject, noSuchInstance,
 * endOfMibView) nor NULL. */
bool mc_snmp_variable_exists(const netsnmp_variable_list *);

/* MC_SNMP_NONE: it exists and is something else. */
struct mc_snmp_number mc_snmp_variable_number(const netsnmp_variable_list *);

/* As a value of that kind; scale and shift are for gauges.  False: it cannot
 * be: no number, or for a counter one with decimals. */
bool mc_snmp_variable_value(const struct mc_snmp_number *, enum mc_kind, double scale, double shift,
			    union mc_value *);

#define MC_SNMP_TEXT_SIZE 128

/* As a part of a name: a string as it is, or as "0a:1b" if it has control
 * characters, cut; an address of IPv4; a number; an object identifier.  False:
 * it has none. */
bool mc_snmp_variable_text(const netsnmp_variable_list *, char out[MC_SNMP_TEXT_SIZE]);

/* How many bytes name and value take in a message. */
size_t mc_snmp_variable_size(const netsnmp_variable_list *);
