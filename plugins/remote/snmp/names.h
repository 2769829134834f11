/* SPDX-License-Identifier: MIT */
/* The names of objects that configurations use, without MIB files. */
#ifndef SNMP_NAMES_H
#define SNMP_NAMES_H

#include <stdbool.h>

#include "object_id.h"

/* Reads an object identifier in numbers, or by a name: "IF-MIB::ifDescr",
 * "ifDescr.3", "SNMPv2-SMI::enterprises.6050".  '*id' is then to be freed with
 * object_id_done().  False: it is not known here, or is none.  Pure. */
bool names_find(const char *text, struct object_id *id);

#endif
