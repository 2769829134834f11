/* SPDX-License-Identifier: MIT */
/* Reads a PDU: its trap, and its variables.  Pure functions; net-snmp decodes. */
#pragma once

#include "formats/snmp/object_id.h"

#include "formats/snmp/message.h"

struct trap {
	struct mc_object_id id;                 /* snmpTrapOID. */
	const netsnmp_variable_list *variables; /* After uptime and id. */
	bool has_agent;
	uint8_t agent[4]; /* Version 1: its agent. */

	/* trap.c's own. */
	netsnmp_pdu pdu;
	oid ids[MAX_OID_LEN + 2];
};

/* Decodes a trap or inform.  False: it is another PDU, or garbled.  In both
 * cases trap_done() is to be called; 'trap' must not move. */
bool trap_read(struct trap *trap, const struct mc_ber *pdu);
void trap_done(struct trap *trap);
