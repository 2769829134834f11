/* SPDX-License-Identifier: MIT */
/* Properties of units, out of messages of D-Bus (org.freedesktop.systemd1(5)). */
#pragma once

#include <systemd/sd-bus.h>

#include "units.h"

/* The name of the property, and the interface of D-Bus that has it; NULL: units of this kind have
 * none. */
const char *property_name(enum unit_fact);
const char *property_interface(enum unit_fact, const char *unit);

/* Takes the value that comes next in the message, a variant.  0, or a negative errno: it has
 * another form. */
int property_take(struct unit *, enum unit_fact, sd_bus_message *);

/* Takes the values of a message PropertiesChanged.  Sets 'facts' to those that were in it.  0, or a
 * negative errno. */
int property_take_changes(struct unit *, sd_bus_message *, unsigned *facts);
