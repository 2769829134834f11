/* SPDX-License-Identifier: MIT */
/* Protocols and keys of SNMPv3's users.  A key costs a megabyte of hashing
 * (RFC 3414, A.2): there is one for all devices that have a passphrase in
 * common.  One thread. */
#ifndef SNMP_KEYS_H
#define SNMP_KEYS_H

#include <stdbool.h>
#include <stddef.h>

#include <net-snmp/net-snmp-config.h>

#include <net-snmp/types.h>

#define KEYS_PASSPHRASE_MIN 8 /* RFC 3414, 11.2. */

struct keys_protocol {
	const char *name;
	oid *id; /* The library's. */
	size_t len;
};

struct key {
	const struct keys_protocol *protocol; /* Of authentication. */
	const char *passphrase;               /* The configuration's. */
	unsigned char bytes[USM_AUTH_KU_LEN];
	size_t size;
};

struct keys { /* All zero: none. */
	struct key *items;
	size_t len;
};

/* The protocol of that name, as AuthProtocol or PrivacyProtocol have it; NULL:
 * there is none. */
const struct keys_protocol *keys_find_auth(const char *name);
const struct keys_protocol *keys_find_privacy(const char *name);
static inline bool keys_know_auth(const char *name)
{
	return name != NULL && keys_find_auth(name) != NULL;
}
static inline bool keys_know_privacy(const char *name)
{
	return name != NULL && keys_find_privacy(name) != NULL;
}

/* The key, which is made if it is not there; valid until the next call.  NULL:
 * the library cannot. */
const struct key *keys_get(struct keys *, const struct keys_protocol *,
			   const char *passphrase);
void keys_done(struct keys *);

#endif
