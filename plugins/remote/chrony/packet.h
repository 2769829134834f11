/* SPDX-License-Identifier: MIT */
/* Questions to chronyd and its replies, in version 6 of its protocol. */
#pragma once

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* As large as the largest reply: a server does not answer with more than it was sent. */
#define PACKET_QUESTION_SIZE ((size_t)104)

enum packet_topic { PACKET_COUNT, PACKET_SOURCE, PACKET_TRACKING, PACKET_STATISTICS };

struct packet_question {
	enum packet_topic topic;
	uint32_t number;   /* Identifies the reply. */
	uint32_t position; /* Of a source, from 0. */
};

struct packet_source {
	char address[INET6_ADDRSTRLEN]; /* Of a reference clock, its name as IPv4. */
	unsigned stratum, state, mode, reachability;
	double since_sample, offset; /* Seconds; of the last measurement. */
};

struct packet_statistics {
	double frequency_error, skew; /* Parts per million. */
};

struct packet_tracking {
	unsigned stratum;
	double reference_time, correction, last_offset, rms_offset;
	double frequency_error, skew;
	double root_delay, root_dispersion, update_interval;
};

struct packet_reply {
	union {
		uint32_t count; /* Of sources. */
		struct packet_source source;
		struct packet_statistics statistics;
		struct packet_tracking tracking;
	};
};

enum packet_kind {
	PACKET_OTHER,   /* It is no reply to the question. */
	PACKET_REFUSED, /* Or there is no such source. */
	PACKET_REPLY,   /* '*reply' is filled. */
};

void packet_write(const struct packet_question *, uint8_t bytes[PACKET_QUESTION_SIZE]);

enum packet_kind packet_read(const struct packet_question *, const uint8_t *bytes, size_t size,
			     struct packet_reply *reply);
