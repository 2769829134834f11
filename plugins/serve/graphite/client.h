/* SPDX-License-Identifier: MIT */
/* One connection: the received part of an incomplete line or pickle.  While it is idle it costs
 * this struct and a descriptor. */
#pragma once

#include <collector/kit/clients.h>
#include <collector/kit/tls_stream.h>

#include "intake.h"

struct listener;

struct client {
	struct mc_client node; /* Active: something was complete, or began. */
	struct mc_tls_stream stream;
	bool shaking; /* The handshake of TLS is under way. */
	struct listener *listener;
	struct sender *sender;
	struct sockaddr_storage address;
	char *kept; /* Received, not complete. */
	size_t kept_size, kept_room;
	bool skipping; /* The line is too long: until its end. */
};

struct client_room { /* For the clients of a server together. */
	char *chunk; /* CLIENT_CHUNK + LINE_SIZE_MAX bytes. */
	size_t frame_max;
	size_t kept, kept_max; /* Bytes. */
};
#define CLIENT_CHUNK 65536

enum client_outcome { CLIENT_GOES_ON, CLIENT_IS_OVER };

/* Receives what is there, of 'protocol', once. */
enum client_outcome client_receive(struct client *, struct client_room *, enum protocol,
				   struct intake *, mc_time now);

/* Whether the rest of something is waited for. */
static inline bool client_waited_for(const struct client *client)
{
	return client->shaking || client->kept_size > 0;
}

/* Frees what it has, but neither closes nor frees itself. */
void client_done(struct client *, struct client_room *);
