/* SPDX-License-Identifier: MIT */
/* Protocols of SNMPv3's users, by the names that configurations have.  Pure functions. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <net-snmp/net-snmp-config.h>

#include <net-snmp/types.h>

struct mc_snmp_protocol {
	const char *name;
	oid *id; /* The library's. */
	size_t len;
};

/* The protocol of that name, as in AuthProtocol or PrivacyProtocol; NULL if it is unknown. */
const struct mc_snmp_protocol *mc_snmp_auth(const char *name);
const struct mc_snmp_protocol *mc_snmp_privacy(const char *name);
static inline bool mc_snmp_knows_auth(const char *name)
{
	return name != NULL && mc_snmp_auth(name) != NULL;
}
static inline bool mc_snmp_knows_privacy(const char *name)
{
	return name != NULL && mc_snmp_privacy(name) != NULL;
}
