/* SPDX-License-Identifier: MIT */
/* Facts: chronyd's packets of commands, which have been the same since its version 2.2, but for
 * additions. */
#include "packet.h"

#include <arpa/inet.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define PROTOCOL 6
#define QUESTION 1
#define REPLY 2

#define HEAD_SIZE 20       /* Of a question. */
#define REPLY_HEAD_SIZE 28 /* Of a reply. */
#define ADDRESS_SIZE 20

static const struct {
	uint16_t command, reply;
	size_t size; /* Of the reply, without its head. */
} topics[] = {
	[PACKET_COUNT] = { 14, 2, 4 },
	[PACKET_SOURCE] = { 15, 3, 48 },
	[PACKET_TRACKING] = { 33, 5, 76 },
	[PACKET_STATISTICS] = { 34, 6, 56 },
};

static void write_16(uint8_t *bytes, unsigned number)
{
	bytes[0] = (uint8_t)(number >> 8);
	bytes[1] = (uint8_t)number;
}

static void write_32(uint8_t *bytes, uint32_t number)
{
	write_16(bytes, number >> 16);
	write_16(bytes + 2, number & 0xffff);
}

static unsigned read_16(const uint8_t *bytes)
{
	return (unsigned)bytes[0] << 8 | bytes[1];
}

static uint32_t read_32(const uint8_t *bytes)
{
	return (uint32_t)read_16(bytes) << 16 | read_16(bytes + 2);
}

/* An exponent of 7 bits and a coefficient of 25, both with a sign. */
static double read_number(const uint8_t *bytes)
{
	uint32_t word = read_32(bytes);
	int exponent = (int)(word >> 25), coefficient = (int)(word & 0x1ffffff);

	if (exponent >= 64)
		exponent -= 128;
	if (coefficient >= 1 << 24)
		coefficient -= 1 << 25;
	return ldexp(coefficient, exponent - 25);
}

/* Seconds in 64 bits, and nanoseconds. */
static double read_time(const uint8_t *bytes)
{
	return read_32(bytes) * 4294967296.0 + read_32(bytes + 4) + read_32(bytes + 8) / 1e9;
}

static void read_address(const uint8_t *bytes, char out[INET6_ADDRSTRLEN])
{
	switch (read_16(bytes + 16)) {
	case 0:
		snprintf(out, INET6_ADDRSTRLEN, "[UNSPEC]");
		break;
	case 1:
		inet_ntop(AF_INET, bytes, out, INET6_ADDRSTRLEN);
		break;
	case 2:
		inet_ntop(AF_INET6, bytes, out, INET6_ADDRSTRLEN);
		break;
	default:
		snprintf(out, INET6_ADDRSTRLEN, "[UNKNOWN]");
	}
}

static void read_source(const uint8_t *bytes, struct packet_source *source)
{
	const uint8_t *at = bytes + ADDRESS_SIZE;

	read_address(bytes, source->address);
	source->stratum = read_16(at + 2);
	source->state = read_16(at + 4);
	source->mode = read_16(at + 6);
	source->reachability = read_16(at + 10);
	source->since_sample = read_32(at + 12);
	source->offset = read_number(at + 16);
}

static void read_statistics(const uint8_t *bytes, struct packet_statistics *statistics)
{
	const uint8_t *at = bytes + 4 + ADDRESS_SIZE;

	statistics->frequency_error = read_number(at + 16);
	statistics->skew = read_number(at + 20);
}

static void read_tracking(const uint8_t *bytes, struct packet_tracking *tracking)
{
	const uint8_t *at = bytes + 4 + ADDRESS_SIZE;

	tracking->stratum = read_16(at);
	tracking->reference_time = read_time(at + 4);
	tracking->correction = read_number(at + 16);
	tracking->last_offset = read_number(at + 20);
	tracking->rms_offset = read_number(at + 24);
	tracking->frequency_error = read_number(at + 28);
	tracking->skew = read_number(at + 36);
	tracking->root_delay = read_number(at + 40);
	tracking->root_dispersion = read_number(at + 44);
	tracking->update_interval = read_number(at + 48);
}

void packet_write(const struct packet_question *question, uint8_t bytes[PACKET_QUESTION_SIZE])
{
	memset(bytes, 0, PACKET_QUESTION_SIZE);
	bytes[0] = PROTOCOL;
	bytes[1] = QUESTION;
	write_16(bytes + 4, topics[question->topic].command);
	write_32(bytes + 8, question->number);
	write_32(bytes + HEAD_SIZE, question->position);
}

enum packet_kind packet_read(const struct packet_question *question, const uint8_t *bytes,
			     size_t size, struct packet_reply *reply)
{
	const uint8_t *body = bytes + REPLY_HEAD_SIZE;

	if (size < REPLY_HEAD_SIZE || bytes[0] != PROTOCOL || bytes[1] != REPLY ||
	    read_16(bytes + 4) != topics[question->topic].command ||
	    read_32(bytes + 16) != question->number)
		return PACKET_OTHER;
	if (read_16(bytes + 8) != 0)
		return PACKET_REFUSED;
	if (read_16(bytes + 6) != topics[question->topic].reply ||
	    size < REPLY_HEAD_SIZE + topics[question->topic].size)
		return PACKET_OTHER;
	switch (question->topic) {
	case PACKET_COUNT:
		reply->count = read_32(body);
		break;
	case PACKET_SOURCE:
		read_source(body, &reply->source);
		break;
	case PACKET_TRACKING:
		read_tracking(body, &reply->tracking);
		break;
	case PACKET_STATISTICS:
		read_statistics(body, &reply->statistics);
		break;
	}
	return PACKET_REPLY;
}
