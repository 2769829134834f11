/* SPDX-License-Identifier: MIT */
/* A connection to a receiver of AMQP 1.0, such as a router or a broker, with a link for each
 * instance.  Qpid Proton's engine makes and reads the bytes; a stream of the kit carries them, with
 * TLS if there is a CACert.
 *
 * If the receiver offers the capability ANONYMOUS-RELAY, the links have no address, as collectd's,
 * and each message has one; otherwise the links have it, too.
 *
 * Facts: OASIS AMQP 1.0, and "Using the Anonymous Terminus"; proton/connection_driver.h.  One
 * thread at a time. */
#pragma once

#include <proton/connection_driver.h>
#include <proton/message.h>

#include <collector/kit/buffer.h>
#include <collector/kit/stream_client.h>
#include <collector/plugin.h>
#include <collector/writer.h>

#include "kit/series/sample_text.h"
#include "outbox.h"

struct instance_options { /* A block Instance. */
	const char *name;
	bool pre_settle, notify;
	struct mc_sample_text text;
};

struct transport_options { /* A block Transport. */
	const char *name, *host, *port, *user, *password, *address;
	mc_time retry_delay;
	int64_t messages_max;
	const char *ca, *certificate, *key;
	struct mc_blocks instances; /* struct instance_options */
};

struct transport;

struct sender { /* Messages of an instance, and its link. */
	const struct instance_options *options;
	struct transport *transport;
	pn_link_t *link; /* NULL: not connected. */
	char *address;
	struct outbox outbox;
	mc_time again; /* Messages that were released are not sent again before. */

	/* Of the batch that is offered, or the notification: */
	const struct mc_sample *last; /* It, and all before, are in the outbox or sent. */
	bool begun;
};

struct transport {
	const struct transport_options *options;
	struct mc_ctx *ctx;
	struct mc_stream_client client;
	struct sender *senders;
	size_t senders_len;

	bool up;                        /* The driver runs, as does the stream. */
	bool works;                     /* The receiver has opened the connection. */
	bool ended;                     /* It has ended it. */
	char why[MC_STREAM_CLIENT_WHY]; /* It does not work; "": it does. */
	pn_connection_driver_t driver;
	pn_session_t *session;
	struct mc_loop_timer timer; /* Heartbeats. */
	uint64_t tag;               /* Of the last delivery. */

	pn_message_t *message; /* For encoding. */
	pn_rwbytes_t encoded;
	struct mc_buffer text;
};

/* The transport must not move. */
void transport_init(struct transport *, struct mc_ctx *, const struct transport_options *,
		    struct mc_stream_room *);
void transport_open(struct transport *);
void transport_done(struct transport *); /* Fine with zeros. */

/* Sends what the receiver has credit for. */
void transport_push(struct transport *);

/* Whether there is a connection, or may be one without a pause. */
bool transport_is_trying(const struct transport *);

/* Puts as much of the batch, or the notification, into the outbox as it has room for.  Whether the
 * receiver has all of it; sender_end() follows when all receivers have. */
bool sender_write(struct sender *, const struct mc_batch *);
bool sender_notify(struct sender *, const struct mc_notification *);
void sender_end(struct sender *, bool notification);
