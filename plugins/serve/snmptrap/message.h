/* SPDX-License-Identifier: MIT */
/* Messages of SNMP as they are on the wire, around the PDU: version 1 (RFC
 * 1157), 2c (RFC 1901) and 3 (RFC 3412, RFC 3414).
 *
 * net-snmp does the PDU, and the cryptography.  Its functions for the rest keep
 * users and engines in variables of the process, without a lock, which the
 * thread of another plugin uses, too.
 *
 * Pure functions.  What is read points into the bytes. */
#ifndef SNMPTRAP_MESSAGE_H
#define SNMPTRAP_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MESSAGE_SIZE 65535 /* No datagram is longer. */
#define MESSAGE_ENGINE_MAX 32
#define MESSAGE_USER_MAX 32
#define MESSAGE_AUTH_MAX 48 /* Bytes of a digest: SHA-512. */
#define MESSAGE_SALT_SIZE 8

enum message_version { MESSAGE_V1 = 0, MESSAGE_V2C = 1, MESSAGE_V3 = 3 };

enum message_flags { /* msgFlags. */
		     MESSAGE_AUTH = 1,
		     MESSAGE_PRIV = 2,
		     MESSAGE_REPORTABLE = 4,
};

enum message_pdu { /* Tags. */
		   MESSAGE_GET = 0xa0,
		   MESSAGE_RESPONSE = 0xa2,
		   MESSAGE_V1_TRAP = 0xa4,
		   MESSAGE_INFORM = 0xa6,
		   MESSAGE_TRAP = 0xa7,
		   MESSAGE_REPORT = 0xa8,
};

struct message_bytes {
	uint8_t *at;
	size_t size;
};

struct message {
	enum message_version version;
	struct message_bytes community; /* Versions 1 and 2c. */

	/* Version 3. */
	uint32_t id, max_size;
	unsigned flags;
	struct message_bytes engine, user, digest, salt;
	uint32_t boots, time;                /* Of the engine. */
	struct message_bytes context_engine; /* Of what is not encrypted. */
	struct message_bytes context;

	/* The PDU with its tag; if MESSAGE_PRIV is set, what is encrypted. */
	struct message_bytes pdu;
};

/* False: it is none, or is cut. */
bool message_read(uint8_t *bytes, size_t size, struct message *);

/* Reads contexts and PDU out of what was encrypted. */
bool message_read_scoped(uint8_t *bytes, size_t size, struct message *);

/* Writes contexts and PDU, for encryption; where they begin in 'out', or NULL:
 * there is no room. */
uint8_t *message_write_scoped(const struct message *, uint8_t *out,
			      size_t out_size);

/* Writes a message of version 3 so that it ends at 'out' + 'out_size'; where it
 * begins, and in 'digest' where its digest is to go, which is zero; or NULL:
 * there is no room. */
uint8_t *message_write(const struct message *, uint8_t *out, size_t out_size,
		       uint8_t **digest);

/* --- PDUs ----------------------------------------------------------------- */

/* A report of one counter of RFC 3414, 5: usmStats.'counter'.0.  Written as by
 * message_write(). */
uint8_t *message_write_report(uint32_t request, unsigned counter,
			      uint32_t value, uint8_t *out, size_t out_size);

/* The request-id of a PDU, 0 if it has none. */
uint32_t message_request(const struct message_bytes *pdu);

#endif
