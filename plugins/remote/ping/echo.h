/* SPDX-License-Identifier: MIT */
/* ICMP echo requests and replies.  Facts: RFC 792, RFC 4443 section 4, RFC 1071 (checksum), RFC 791
 * (the header before it on raw sockets), icmp(7), raw(7).  Pure functions. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ECHO_HEADER_SIZE 8
#define ECHO_DATA_MAX 65487 /* Bytes of data: an IPv6 packet of 65,535. */

struct echo {
	bool v6;
	uint16_t id, sequence;
	uint64_t token; /* The data begin with it, as far as they have room. */
	size_t data_size;
};

/* Writes a request to 'out', which has room for its header and its data;
 * returns its size.  Of IPv6 the kernel adds the checksum. */
size_t echo_write(const struct echo *, unsigned char *out);

/* Whether the bytes are an undamaged reply to one of our requests, with data
 * that begin as those of 'sent' do; 'sequence' is then which.  'with_ip': a
 * header of IPv4 is before it.  'any_id': the kernel has looked at the id. */
struct echo_how {
	bool with_ip, any_id;
};
bool echo_read(const unsigned char *bytes, size_t size, struct echo_how how,
	       const struct echo *sent, uint16_t *sequence);
