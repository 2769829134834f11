/* SPDX-License-Identifier: MIT */
/* Protocols and keys of SNMPv3's users.  A key costs a megabyte of hashing (RFC 3414, A.2): there
 * is one for all devices that have a passphrase in common.  One thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <net-snmp/net-snmp-config.h>

#include <net-snmp/types.h>

#include "formats/snmp/protocol.h"

#define KEYS_PASSPHRASE_MIN 8 /* RFC 3414, 11.2. */

struct key {
	const struct mc_snmp_protocol *protocol; /* Of authentication. */
	const char *passphrase;                  /* The configuration's. */
	unsigned char bytes[USM_AUTH_KU_LEN];
	size_t size;
};

struct keys { /* All zero: none. */
	struct key *items;
	size_t len;
};

/* The key, which is made if it is not there; valid until the next call.  NULL:
 * the library cannot. */
const struct key *keys_get(struct keys *, const struct mc_snmp_protocol *, const char *passphrase);
void keys_done(struct keys *);
