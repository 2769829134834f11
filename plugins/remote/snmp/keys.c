/* SPDX-License-Identifier: MIT */
/* Facts: RFC 3414 (MD5, SHA, DES), RFC 3826 (AES), RFC 7860 (SHA-2); AES-192
 * and AES-256 are drafts, in two ways to make the key: Blumenthal's and
 * Cisco's. */
#include "keys.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <net-snmp/net-snmp-includes.h>

#include <collector/kit/alloc.h>

static const struct keys_protocol auth_protocols[] = {
	{ "MD5", usmHMACMD5AuthProtocol, OID_LENGTH(usmHMACMD5AuthProtocol) },
	{ "SHA", usmHMACSHA1AuthProtocol, OID_LENGTH(usmHMACSHA1AuthProtocol) },
	{ "SHA-1", usmHMACSHA1AuthProtocol,
	  OID_LENGTH(usmHMACSHA1AuthProtocol) },
	{ "SHA-224", usmHMAC128SHA224AuthProtocol,
	  OID_LENGTH(usmHMAC128SHA224AuthProtocol) },
	{ "SHA-256", usmHMAC192SHA256AuthProtocol,
	  OID_LENGTH(usmHMAC192SHA256AuthProtocol) },
	{ "SHA-384", usmHMAC256SHA384AuthProtocol,
	  OID_LENGTH(usmHMAC256SHA384AuthProtocol) },
	{ "SHA-512", usmHMAC384SHA512AuthProtocol,
	  OID_LENGTH(usmHMAC384SHA512AuthProtocol) },
};

static const struct keys_protocol privacy_protocols[] = {
	{ "DES", usmDESPrivProtocol, OID_LENGTH(usmDESPrivProtocol) },
	{ "AES", usmAESPrivProtocol, OID_LENGTH(usmAESPrivProtocol) },
	{ "AES-128", usmAESPrivProtocol, OID_LENGTH(usmAESPrivProtocol) },
	{ "AES-192", usmAES192PrivProtocol, OID_LENGTH(usmAES192PrivProtocol) },
	{ "AES-256", usmAES256PrivProtocol, OID_LENGTH(usmAES256PrivProtocol) },
	{ "AES-192-C", usmAES192CiscoPrivProtocol,
	  OID_LENGTH(usmAES192CiscoPrivProtocol) },
	{ "AES-256-C", usmAES256CiscoPrivProtocol,
	  OID_LENGTH(usmAES256CiscoPrivProtocol) },
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

static const struct keys_protocol *find(const struct keys_protocol *all,
					size_t len, const char *name)
{
	for (size_t i = 0; i < len; i++)
		if (is_name(name, all[i].name))
			return &all[i];
	return NULL;
}

const struct keys_protocol *keys_find_auth(const char *name)
{
	return find(auth_protocols,
		    sizeof(auth_protocols) / sizeof(*auth_protocols), name);
}

const struct keys_protocol *keys_find_privacy(const char *name)
{
	return find(privacy_protocols,
		    sizeof(privacy_protocols) / sizeof(*privacy_protocols),
		    name);
}

const struct key *keys_get(struct keys *keys,
			   const struct keys_protocol *protocol,
			   const char *passphrase)
{
	struct key key = { .protocol = protocol,
			   .passphrase = passphrase,
			   .size = sizeof(key.bytes) };

	for (size_t i = 0; i < keys->len; i++)
		if (keys->items[i].protocol == protocol &&
		    strcmp(keys->items[i].passphrase, passphrase) == 0)
			return &keys->items[i];
	if (generate_Ku(protocol->id, (u_int)protocol->len,
			(const u_char *)passphrase, strlen(passphrase),
			key.bytes, &key.size) != SNMPERR_SUCCESS)
		return NULL;
	keys->items = mc_alloc_resize(keys->items, keys->len + 1,
				      sizeof(*keys->items));
	keys->items[keys->len] = key;
	return &keys->items[keys->len++];
}

void keys_done(struct keys *keys)
{
	if (keys->items != NULL)
		explicit_bzero(keys->items, keys->len * sizeof(*keys->items));
	free(keys->items);
	*keys = (struct keys){ 0 };
}
