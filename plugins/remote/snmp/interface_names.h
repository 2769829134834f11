/* SPDX-License-Identifier: MIT */
/* Names the interfaces of a device: by ifName, else by ifDescr, else by ifIndex, each by a name
 * that no other one has.  Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct interface_names {                /* Of one interface; "": it has none. */
	const char *name, *description; /* ifName, ifDescr. */
	const char *index;              /* ifIndex, which no other one has. */
};

struct interface_choice {
	const char *prefix,
		*name; /* Candidates for its name, in sequence.  The name is one of the three. */
	bool shared;   /* It has an ifName, or an ifDescr and no ifName, which is
			* not this: another interface has it, too. */
};

/* Chooses for each of 'len' interfaces.  The choice depends on nothing else, nor on their order.
 * Names that are equal in a series count as one name. */
void interface_names_choose(const struct interface_names *interfaces, size_t len,
			    struct interface_choice *out);
