/* SPDX-License-Identifier: MIT */
/* The names of objects that configurations use, without MIB files. */
#pragma once

#include <stdbool.h>

#include "formats/snmp/object_id.h"

/* Reads an object identifier in numbers, or by a name: "IF-MIB::ifDescr", "ifDescr.3",
 * "SNMPv2-SMI::enterprises.6050".  '*id' is then to be freed with mc_object_id_done().  False if
 * it is unknown here or invalid.  Pure. */
bool mc_snmp_find_name(const char *text, struct mc_object_id *id);

/* Writes the name of the longest start of 'id' that has one, and the rest in numbers, "ifDescr.3",
 * cut; returns 'out'.  It looks through all names: keep what it says.  Pure. */
const char *mc_snmp_name_of(const struct mc_object_id *id, char *out, size_t size);
