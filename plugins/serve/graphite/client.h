/* SPDX-License-Identifier: MIT */
/* One connection: its stream, and its state of the protocols. */
#pragma once

#include <collector/kit/stream_server.h>
#include <collector/kit/tls_stream.h>

#include "intake.h"

struct client {
	struct mc_stream_served base;
	struct sender *sender; /* NULL: not yet known. */
};

struct client_owner { /* The argument of the clients' listener begins with it. */
	struct intake *intake;
	struct senders *senders;
	enum protocol protocol;
	struct mc_tls_server *tls; /* Without credentials: no TLS. */
};

/* The streams of a protocol; 'frame_max' is the size of the largest pickle. */
struct mc_stream_kind client_kind(enum protocol, size_t frame_max);

/* For mc_stream_server's begin(). */
bool client_begin(struct mc_stream_served *);
