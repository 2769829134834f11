/* SPDX-License-Identifier: MIT */
/* Packets of IP with a message of DNS in them. */
#pragma once

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct message {
	struct in6_addr source; /* Of IPv4 as ::ffff:a.b.c.d. */
	bool is_reply;
	unsigned opcode, rcode;
	uint16_t type; /* Of the first question. */
	size_t size;   /* Bytes of the message, without the heads of IP and UDP. */
};

/* Reads the packet, of which 'size' bytes were captured.  False: it is not a whole message in UDP
 * from or to port 53, or has no question. */
bool message_read(const uint8_t *packet, size_t size, struct message *message);
