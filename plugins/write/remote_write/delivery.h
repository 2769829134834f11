/* SPDX-License-Identifier: MIT */
/* Samples on their way: in requests of a limited size, several at once, each series in one of them.
 * A refused request is sent again in halves, and so on, until each bad sample is alone.  Series of
 * which a sample was refused then have requests of their own, until one is taken.  The writer's
 * thread. */
#pragma once

#include <collector/kit/http_client.h>

#include "kit/base/bisection.h"
#include "kit/base/quarantine.h"

#include "answer.h"

struct delivery_options {    /* Must outlive it. */
	int64_t samples_max; /* Of a request. */
	int64_t connections;
	int64_t refused_max;
	int protocol; /* enum delivery_protocol */
};

enum delivery_protocol { DELIVERY_AUTO, DELIVERY_1, DELIVERY_2 };
#define DELIVERY_PROTOCOLS                                                                         \
	(const char *const[])                                                                      \
	{                                                                                          \
		"auto", "1.0", "2.0", NULL                                                         \
	}

struct delivery_part { /* A request. */
	struct mc_bisection_range range;
	struct remote_write_buffer buffer;
	char *packed;
	size_t packed_room;
};

struct delivery {
	struct mc_ctx *ctx;
	const struct delivery_options *options;
	struct mc_http_client *client;
	struct mc_http_stream stream;
	struct symbols *symbols;
	enum remote_write_version version;
	mc_time start;     /* Older samples may have been sent before. */
	mc_time described; /* When metrics were described last, by version 1.0; 0: never. */

	const struct remote_write_sample *samples; /* Under way. */
	struct mc_bisection bisection;             /* To be sent. */
	struct delivery_part *parts;               /* One for each connection. */
	struct mc_http_exchange *exchanges;
	int64_t old; /* Samples up to this time, in ms, are too old; INT64_MIN: not known. */

	struct delivery_counts { /* Any thread reads them. */
		_Atomic uint64_t requests, bytes, sent, refused;
	} counts;
	struct mc_quarantine quarantine;
	char refusal[256];      /* Of the last refused sample, for the log; ... */
	int refusal_why;        /* ... its kind; ... */
	mc_time refusal_logged; /* ... and when; 0: never. */
};

/* 'client' and 'symbols' must outlive it. */
void delivery_init(struct delivery *, struct mc_ctx *, const struct delivery_options *,
		   struct mc_http_client *client, struct symbols *symbols);
void delivery_done(struct delivery *);

/* Begins with these samples, those of a series side by side, and those of series that were refused
 * at the end; they stay until all are delivered. */
void delivery_begin(struct delivery *, const struct remote_write_sample *samples, size_t len);

/* Whether some are under way. */
static inline bool delivery_goes_on(const struct delivery *delivery)
{
	return delivery->bisection.len > 0;
}

/* Sends, and waits for the answers; 0 when all are delivered, or refused for good, or -EAGAIN of
 * mc_fail(). */
int delivery_go_on(struct delivery *);
