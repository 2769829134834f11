/* SPDX-License-Identifier: MIT */
/* Facts: RFC 791, 8200 (IP), 768 (UDP), 1035 section 4 (DNS). */
#include "message.h"

#include <string.h>

#define PORT 53
#define UDP_HEAD 8
#define DNS_HEAD 12

struct part { /* The rest of a packet. */
	const uint8_t *at;
	size_t size;
};

static unsigned number_at(const uint8_t *at)
{
	return (unsigned)at[0] << 8 | at[1];
}

static void skip(struct part *part, size_t size)
{
	part->at += size;
	part->size -= size;
}

/* The head of IPv4; fragments have no whole message. */
static bool take_ipv4(struct part *part, struct message *message)
{
	size_t head = part->size >= 20 ? (size_t)(part->at[0] & 15) * 4 : 0;

	if (head < 20 || part->size < head || part->at[9] != IPPROTO_UDP ||
	    (number_at(part->at + 6) & 0x3fff) != 0)
		return false;
	memset(&message->source, 0, sizeof(message->source));
	message->source.s6_addr[10] = message->source.s6_addr[11] = 0xff;
	memcpy(message->source.s6_addr + 12, part->at + 12, 4);
	skip(part, head);
	return true;
}

static bool take_ipv6(struct part *part, struct message *message)
{
	if (part->size < 40 || part->at[6] != IPPROTO_UDP)
		return false;
	memcpy(&message->source, part->at + 8, sizeof(message->source));
	skip(part, 40);
	return true;
}

static bool take_udp(struct part *part)
{
	size_t size;

	if (part->size < UDP_HEAD ||
	    (number_at(part->at) != PORT && number_at(part->at + 2) != PORT))
		return false;
	size = number_at(part->at + 4);
	if (size < UDP_HEAD || size > part->size)
		return false;
	part->size = size; /* Padding of the link follows. */
	skip(part, UDP_HEAD);
	return true;
}

/* A name: labels, and an empty one or a pointer. */
static bool take_name(struct part *part)
{
	size_t total = 0;

	while (part->size > 0) {
		size_t label = part->at[0];
		bool is_pointer = label >= 0xc0;
		size_t size = is_pointer ? 2 : label + 1;

		total += size;
		if ((label > 63 && !is_pointer) || size > part->size || total > 255)
			return false;
		skip(part, size);
		if (label == 0 || is_pointer)
			return true;
	}
	return false;
}

bool message_read(const uint8_t *packet, size_t size, struct message *out)
{
	struct part part = { packet, size };
	struct message message = { 0 };
	unsigned flags;

	if (size == 0)
		return false;
	if (packet[0] >> 4 == 4 ? !take_ipv4(&part, &message)
				: packet[0] >> 4 != 6 || !take_ipv6(&part, &message))
		return false;
	if (!take_udp(&part) || part.size < DNS_HEAD)
		return false;
	message.size = part.size;
	flags = number_at(part.at + 2);
	message.is_reply = flags >> 15;
	message.opcode = flags >> 11 & 15;
	message.rcode = flags & 15;
	skip(&part, DNS_HEAD);
	if (!take_name(&part) || part.size < 4)
		return false;
	message.type = (uint16_t)number_at(part.at);
	*out = message;
	return true;
}
