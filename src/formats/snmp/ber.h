/* SPDX-License-Identifier: MIT */
/* The basic encoding rules (X.690) as far as SNMP uses
 * them: tags of one byte, and lengths that are given.
 *
 * Pure functions.  Results point into the bytes.  Elements are written from their end on, as a
 * length stands before what it is of. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum mc_ber_tag {
	MC_BER_INTEGER = 0x02,
	MC_BER_OCTETS = 0x04,
	MC_BER_NULL = 0x05,
	MC_BER_OBJECT_ID = 0x06,
	MC_BER_SEQUENCE = 0x30,
	/* Types of SNMP (RFC 2578, RFC 3416). */
	MC_BER_COUNTER = 0x41,
	MC_BER_GAUGE = 0x42,
	MC_BER_TICKS = 0x43,
	MC_BER_COUNTER64 = 0x46,
	MC_BER_NO_OBJECT = 0x80,
	MC_BER_NO_INSTANCE = 0x81,
	MC_BER_END_OF_VIEW = 0x82,
};

struct mc_ber {
	uint8_t *at;
	size_t size;
};

/* Takes an element with that tag from the front of 'from': its content.  'whole', which may be
 * NULL, has its tag and length, too.  False: another tag, or it is cut. */
bool mc_ber_take(struct mc_ber *from, unsigned tag, struct mc_ber *out, struct mc_ber *whole);

/* Takes an INTEGER that is not negative, and below 2^31. */
bool mc_ber_take_number(struct mc_ber *from, uint32_t *number);

struct mc_ber_writer {
	uint8_t *start, *at; /* 'at' is NULL: there was no room. */
};

/* Puts bytes as they are. */
void mc_ber_put(struct mc_ber_writer *, const void *bytes, size_t size);

/* Puts tag and length of the 'size' bytes that were put last. */
void mc_ber_put_head(struct mc_ber_writer *, unsigned tag, size_t size);

/* The same, for an element that began at 'end', which is after it. */
void mc_ber_close(struct mc_ber_writer *, unsigned tag, const uint8_t *end);

/* Puts an element. */
void mc_ber_put_number(struct mc_ber_writer *, unsigned tag, uint64_t number);
void mc_ber_put_octets(struct mc_ber_writer *, unsigned tag, const void *bytes, size_t size);
