/* SPDX-License-Identifier: MIT */
#include "echo.h"

#include <string.h>

#define V4_REPLY 0
#define V4_REQUEST 8
#define V6_REQUEST 128
#define V6_REPLY 129
#define IP_HEADER_MIN 20

static uint16_t take16(const unsigned char *at)
{
	return (uint16_t)(at[0] << 8 | at[1]);
}

static void put16(unsigned char *at, uint16_t number)
{
	at[0] = (unsigned char)(number >> 8);
	at[1] = (unsigned char)number;
}

/* The checksum of bytes that hold their own is 0. */
static uint16_t checksum(const unsigned char *bytes, size_t size)
{
	uint64_t sum = 0;

	for (size_t i = 0; i + 1 < size; i += 2)
		sum += take16(bytes + i);
	if (size % 2 == 1)
		sum += (uint64_t)bytes[size - 1] << 8;
	while (sum >> 16 != 0)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

static size_t token_size(const struct echo *echo)
{
	return echo->data_size < sizeof(echo->token) ? echo->data_size : sizeof(echo->token);
}

size_t echo_write(const struct echo *echo, unsigned char *out)
{
	unsigned char *data = out + ECHO_HEADER_SIZE;
	size_t size = ECHO_HEADER_SIZE + echo->data_size;

	memset(out, 0, ECHO_HEADER_SIZE);
	out[0] = echo->v6 ? V6_REQUEST : V4_REQUEST;
	put16(out + 4, echo->id);
	put16(out + 6, echo->sequence);
	for (size_t i = 0; i < echo->data_size; i++)
		data[i] = (unsigned char)('0' + i % 64);
	memcpy(data, &echo->token, token_size(echo));
	if (!echo->v6)
		put16(out + 2, checksum(out, size));
	return size;
}

bool echo_read(const unsigned char *bytes, size_t size, struct echo_how how,
	       const struct echo *sent, uint16_t *sequence)
{
	if (how.with_ip) {
		size_t header = size > 0 ? (size_t)(bytes[0] & 15) * 4 : 0;

		if (header < IP_HEADER_MIN || header > size)
			return false;
		bytes += header;
		size -= header;
	}
	if (size != ECHO_HEADER_SIZE + sent->data_size || bytes[1] != 0 ||
	    bytes[0] != (sent->v6 ? V6_REPLY : V4_REPLY))
		return false;
	/* The kernel has checked that of IPv6, which covers addresses. */
	if (!sent->v6 && checksum(bytes, size) != 0)
		return false;
	if (!how.any_id && take16(bytes + 4) != sent->id)
		return false;
	if (memcmp(bytes + ECHO_HEADER_SIZE, &sent->token, token_size(sent)) != 0)
		return false;
	*sequence = take16(bytes + 6);
	return true;
}
