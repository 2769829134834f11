/* SPDX-License-Identifier: MIT */
/* Facts: RFC 3414 (MD5, SHA, DES), RFC 3826 (AES), RFC 7860 (SHA-2); AES-192 and AES-256 are
 * drafts, in two ways to make the key: Blumenthal's and Cisco's. */
#include "formats/snmp/protocol.h"

#include <string.h>
#include <strings.h>

#include <net-snmp/net-snmp-includes.h>

static const struct mc_snmp_protocol auth_protocols[] = {
	{ "MD5", usmHMACMD5AuthProtocol, OID_LENGTH(usmHMACMD5AuthProtocol) },
	{ "SHA", usmHMACSHA1AuthProtocol, OID_LENGTH(usmHMACSHA1AuthProtocol) },
	{ "SHA-1", usmHMACSHA1AuthProtocol, OID_LENGTH(usmHMACSHA1AuthProtocol) },
	{ "SHA-224", usmHMAC128SHA224AuthProtocol, OID_LENGTH(usmHMAC128SHA224AuthProtocol) },
	{ "SHA-256", usmHMAC192SHA256AuthProtocol, OID_LENGTH(usmHMAC192SHA256AuthProtocol) },
	{ "SHA-384", usmHMAC256SHA384AuthProtocol, OID_LENGTH(usmHMAC256SHA384AuthProtocol) },
	{ "SHA-512", usmHMAC384SHA512AuthProtocol, OID_LENGTH(usmHMAC384SHA512AuthProtocol) },
};

static const struct mc_snmp_protocol privacy_protocols[] = {
	{ "DES", usmDESPrivProtocol, OID_LENGTH(usmDESPrivProtocol) },
	{ "AES", usmAESPrivProtocol, OID_LENGTH(usmAESPrivProtocol) },
	{ "AES-128", usmAESPrivProtocol, OID_LENGTH(usmAESPrivProtocol) },
	{ "AES-192", usmAES192PrivProtocol, OID_LENGTH(usmAES192PrivProtocol) },
	{ "AES-256", usmAES256PrivProtocol, OID_LENGTH(usmAES256PrivProtocol) },
	{ "AES-192-C", usmAES192CiscoPrivProtocol, OID_LENGTH(usmAES192CiscoPrivProtocol) },
	{ "AES-256-C", usmAES256CiscoPrivProtocol, OID_LENGTH(usmAES256CiscoPrivProtocol) },
};

/* "SHA256" and "SHA-256" are the same. */
static bool is_name(const char *text, const char *name)
{
	while (*text != '\0' || *name != '\0') {
		if (*text == '-') {
			text++;
			continue;
		}
		if (*name == '-') {
			name++;
			continue;
		}
		if (strncasecmp(text, name, 1) != 0)
			return false;
		text++;
		name++;
	}
	return true;
}

static const struct mc_snmp_protocol *find(const struct mc_snmp_protocol *all, size_t len,
					   const char *name)
{
	for (size_t i = 0; i < len; i++)
		if (is_name(name, all[i].name))
			return &all[i];
	return NULL;
}

const struct mc_snmp_protocol *mc_snmp_auth(const char *name)
{
	return find(auth_protocols, sizeof(auth_protocols) / sizeof(*auth_protocols), name);
}

const struct mc_snmp_protocol *mc_snmp_privacy(const char *name)
{
	return find(privacy_protocols, sizeof(privacy_protocols) / sizeof(*privacy_protocols),
		    name);
}
