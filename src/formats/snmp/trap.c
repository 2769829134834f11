/* SPDX-License-Identifier: MIT */
#include "formats/snmp/trap.h"

#include <stdlib.h>
#include <string.h>

#include <net-snmp/net-snmp-includes.h>

#include <net-snmp/library/snmp_api.h>

static const oid trap_oid[] = { 1, 3, 6, 1, 6, 3, 1, 1, 4, 1, 0 };
static const oid generic[] = { 1, 3, 6, 1, 6, 3, 1, 1, 5 };

#define GENERIC_LEN (sizeof(generic) / sizeof(*generic))
#define ENTERPRISE_SPECIFIC 6

/* The identifier that version 2 has for a trap of version 1 (RFC 3584, 3.1). */
static bool read_v1(struct trap *trap)
{
	const netsnmp_pdu *pdu = &trap->pdu;
	size_t len = pdu->enterprise_length;

	trap->has_agent = memcmp(pdu->agent_addr, "\0\0\0", 4) != 0;
	memcpy(trap->agent, pdu->agent_addr, sizeof(trap->agent));
	trap->variables = pdu->variables;
	trap->id.ids = trap->ids;
	if (pdu->trap_type >= 0 && pdu->trap_type < ENTERPRISE_SPECIFIC) {
		memcpy(trap->ids, generic, sizeof(generic));
		trap->ids[GENERIC_LEN] = (oid)pdu->trap_type + 1;
		trap->id.len = GENERIC_LEN + 1;
		return true;
	}
	if (pdu->trap_type != ENTERPRISE_SPECIFIC || pdu->enterprise == NULL || len > MAX_OID_LEN)
		return false;
	memcpy(trap->ids, pdu->enterprise, len * sizeof(oid));
	trap->ids[len] = 0;
	trap->ids[len + 1] = (oid)pdu->specific_type & UINT32_MAX;
	trap->id.len = len + 2;
	return true;
}

/* sysUpTime comes first, then snmpTrapOID (RFC 3416, 4.2.6). */
static bool read_v2(struct trap *trap)
{
	const netsnmp_variable_list *uptime = trap->pdu.variables, *id;

	if (uptime == NULL || uptime->type != ASN_TIMETICKS)
		return false;
	id = uptime->next_variable;
	if (id == NULL || id->type != ASN_OBJECT_ID ||
	    snmp_oid_compare(id->name, id->name_length, trap_oid, OID_LENGTH(trap_oid)) != 0)
		return false;
	trap->id = (struct mc_object_id){ id->val.objid, id->val_len / sizeof(oid) };
	trap->variables = id->next_variable;
	return trap->id.len > 0;
}

bool trap_read(struct trap *trap, const struct mc_ber *pdu)
{
	size_t left = pdu->size;

	*trap = (struct trap){ 0 };
	if (left == 0 || (pdu->at[0] != MC_SNMP_V1_TRAP && pdu->at[0] != MC_SNMP_TRAP &&
			  pdu->at[0] != MC_SNMP_INFORM))
		return false;
	if (snmp_pdu_parse(&trap->pdu, pdu->at, &left) != 0)
		return false;
	return trap->pdu.command == SNMP_MSG_TRAP ? read_v1(trap) : read_v2(trap);
}

void trap_done(struct trap *trap)
{
	snmp_free_varbind(trap->pdu.variables);
	free(trap->pdu.enterprise);
	trap->pdu.variables = NULL;
	trap->pdu.enterprise = NULL;
}
