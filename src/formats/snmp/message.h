/* SPDX-License-Identifier: MIT */
/* Messages of SNMP as they are on the wire, around the PDU: version 1 (RFC 1157), 2c (RFC 1901) and
 * 3 (RFC 3412, RFC 3414).
 *
 * net-snmp does the PDU, and the cryptography.  Its functions for the rest keep users and engines
 * in variables of the process, without a lock, which threads of several plugins would use.
 *
 * Pure functions.  Results point into the bytes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/snmp/ber.h"

#define MC_SNMP_MESSAGE_SIZE 65535 /* No datagram is longer. */
#define MC_SNMP_ENGINE_MAX 32
#define MC_SNMP_USER_MAX 32
#define MC_SNMP_AUTH_MAX 48 /* Bytes of a digest: SHA-512. */
#define MC_SNMP_SALT_SIZE 8

enum mc_snmp_version { MC_SNMP_V1 = 0, MC_SNMP_V2C = 1, MC_SNMP_V3 = 3 };

enum mc_snmp_flags { /* msgFlags. */
		     MC_SNMP_AUTH = 1,
		     MC_SNMP_PRIV = 2,
		     MC_SNMP_REPORTABLE = 4,
};

enum mc_snmp_pdu { /* Tags. */
		   MC_SNMP_GET = 0xa0,
		   MC_SNMP_RESPONSE = 0xa2,
		   MC_SNMP_V1_TRAP = 0xa4,
		   MC_SNMP_INFORM = 0xa6,
		   MC_SNMP_TRAP = 0xa7,
		   MC_SNMP_REPORT = 0xa8,
};

struct mc_snmp_message {
	enum mc_snmp_version version;
	struct mc_ber community; /* Versions 1 and 2c. */

	/* Version 3. */
	uint32_t id, max_size;
	unsigned flags;
	struct mc_ber engine, user, digest, salt;
	uint32_t boots, time;         /* Of the engine. */
	struct mc_ber context_engine; /* Of a message that is not encrypted. */
	struct mc_ber context;

	/* The PDU with its tag; if MC_SNMP_PRIV is set, what is encrypted. */
	struct mc_ber pdu;
};

/* False if it is invalid or cut. */
bool mc_snmp_message_read(uint8_t *bytes, size_t size, struct mc_snmp_message *);

/* Reads contexts and PDU out of what was encrypted. */
bool mc_snmp_message_read_scoped(uint8_t *bytes, size_t size, struct mc_snmp_message *);

/* Writes contexts and PDU, for encryption; where they begin in 'out', or NULL:
 * there is no room. */
uint8_t *mc_snmp_message_write_scoped(const struct mc_snmp_message *, uint8_t *out,
				      size_t out_size);

/* Writes a message of version 3 so that it ends at 'out' + 'out_size'; where it
 * begins, and in 'digest' where its digest is to go, which is zero; or NULL:
 * there is no room. */
uint8_t *mc_snmp_message_write(const struct mc_snmp_message *, uint8_t *out, size_t out_size,
			       uint8_t **digest);

/* --- PDUs ----------------------------------------------------------------- */

/* A report of one counter of RFC 3414, 5: usmStats.'counter'.0.  Written as by
 * mc_snmp_message_write(). */
uint8_t *mc_snmp_message_write_report(uint32_t request, unsigned counter, uint32_t value,
				      uint8_t *out, size_t out_size);

/* The request-id of a PDU, 0 if it has none. */
uint32_t mc_snmp_message_request(const struct mc_ber *pdu);
