/* SPDX-License-Identifier: MIT */
#include "client.h"

#include <sys/socket.h>

#define REST_TIMEOUT (60 * MC_SECOND)      /* For the rest of a line or pickle. */
#define HANDSHAKE_TIMEOUT (10 * MC_SECOND) /* As other servers have. */
#define HEAD_SIZE 4                        /* The size of a pickle, before it. */

static const struct client_owner *owner_of(const struct mc_stream *stream)
{
	return ((const struct client *)stream)->base.listener->argument;
}

/* --- What comes ----------------------------------------------------------- */

static void on_begin(struct mc_stream *stream)
{
	struct client *client = (struct client *)stream;
	struct sockaddr_storage address;

	mc_stream_server_address(&client->base, &address);
	intake_from(owner_of(stream)->intake, client->sender, &address);
}

static size_t take_lines(struct mc_stream *stream, char *bytes, size_t size)
{
	const struct client_owner *owner = owner_of(stream);

	return intake_lines(owner->intake, owner->protocol, bytes, size, false);
}

/* A last line needs no newline. */
static void take_rest(struct mc_stream *stream, char *bytes, size_t size)
{
	const struct client_owner *owner = owner_of(stream);

	intake_lines(owner->intake, owner->protocol, bytes, size, true);
}

static void take_pickle(struct mc_stream *stream, char *bytes, size_t size)
{
	if (!intake_pickle(owner_of(stream)->intake, bytes, size))
		mc_stream_close(stream);
}

/* --- Life ----------------------------------------------------------------- */

bool client_begin(struct mc_stream_served *served)
{
	struct client *client = (struct client *)served;
	const struct client_owner *owner = owner_of(&served->stream);
	struct sockaddr_storage address;
	int yes = 1;

	mc_stream_server_address(served, &address);
	client->sender = sender_find(owner->senders, &address);
	client->sender->clients++;
	setsockopt(served->stream.file.fd, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof(yes));
	return mc_tls_server_begin(owner->tls, &served->stream);
}

static bool on_closed(struct mc_stream *stream)
{
	struct client *client = (struct client *)stream;

	client->sender->clients--;
	return true;
}

struct mc_stream_kind client_kind(enum protocol protocol, size_t frame_max)
{
	struct mc_stream_kind kind = {
		.take = take_lines,
		.begin = on_begin,
		.rest = take_rest,
		.closed = on_closed,
		.reasons = {
			[MC_STREAM_LONG] = REFUSED_FORM,
			[MC_STREAM_CUT] = REFUSED_SLOW,
			[MC_STREAM_SLOW] = REFUSED_SLOW,
			[MC_STREAM_MEMORY] = REFUSED_MEMORY,
			[MC_STREAM_HANDSHAKE] = REFUSED_TLS,
			[MC_STREAM_SLOW_HANDSHAKE] = REFUSED_SLOW,
			[MC_STREAM_FULL] = REFUSED_CLIENT,
			[MC_STREAM_SPENT] = REFUSED_TLS,
			[MC_STREAM_EVICTED] = REFUSED_CLIENT,
		},
		.rest_size_max = LINE_SIZE_MAX,
		.skips = true,
		.rest_max = REST_TIMEOUT,
		.handshake_max = HANDSHAKE_TIMEOUT,
	};

	if (protocol != PROTOCOL_PICKLE)
		return kind;
	kind.take = mc_stream_take_frames;
	kind.frame = take_pickle;
	kind.rest = NULL;
	kind.rest_size_max = HEAD_SIZE + frame_max;
	kind.skips = false;
	kind.reasons[MC_STREAM_LONG] = REFUSED_FRAME;
	return kind;
}
