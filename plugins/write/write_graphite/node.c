/* SPDX-License-Identifier: MIT */
#include "node.h"

#include <linux/sockios.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

enum {
	PIECE_SIZE = 64 << 10, /* Lines that the stream gets at once. */
	SILENT_MAX_MS = 30000, /* Without an acknowledgement. */
	TRIM_SIZE = 256 << 10, /* Acknowledged bytes that are kept. */
};
/* Enough for a resolver whose first server is dead. */
static const mc_time connect_max = 10 * MC_SECOND;
static const mc_time longest_pause = 30 * MC_SECOND;

static struct node *node_of(struct mc_stream *stream)
{
	return (struct node *)((char *)stream - offsetof(struct node, client.stream));
}

/* --- The log -------------------------------------------------------------- */

static void say_away(struct node *node, const char *what, const char *detail)
{
	const struct node_options *options = node->options;

	snprintf(node->why, sizeof(node->why), "%s '%.64s' port '%.16s': %s", what, options->host,
		 options->port, detail);
	if (node->speaks)
		mc_complain(node->ctx, &node->once, 0, "%s", node->why);
}

static void say_back(struct node *node)
{
	node->why[0] = '\0';
	if (node->speaks)
		mc_works(node->ctx, &node->once, "sends to '%s' port '%s'", node->options->host,
			 node->options->port);
}

/* --- Lines that are with the kernel --------------------------------------- */

/* How many bytes of those that the stream was given are acknowledged. */
static size_t acknowledged(const struct node *node)
{
	const struct mc_stream *stream = &node->client.stream;
	size_t given = node->backlog.given, unsafe = mc_stream_unsent(stream);
	int with_kernel = 0;

	if (given == 0 || ioctl(stream->file.fd, SIOCOUTQ, &with_kernel) != 0 || with_kernel < 0)
		return 0;
	unsafe += (size_t)with_kernel;
	return unsafe < given ? given - unsafe : 0;
}

/* Takes off what is acknowledged; the lines of datagrams are counted one by one. */
static void trim(struct node *node, size_t at_least)
{
	struct backlog *backlog = &node->backlog;
	size_t safe = backlog_line(backlog, acknowledged(node));

	if (safe < at_least)
		return;
	backlog->sent += backlog_count(backlog->lines.at, safe);
	backlog_cut(backlog, safe);
}

void node_reserve(struct node *node, size_t size)
{
	struct backlog *backlog = &node->backlog;

	if (backlog->lines.size + size + 1 > backlog->limit) {
		trim(node, 1);
		backlog_drop(backlog, size);
	}
	mc_buffer_reserve(&backlog->lines, backlog->lines.size + size + 1);
}

/* --- The connection ------------------------------------------------------- */

/* Graphite has nothing to say. */
static size_t take(struct mc_stream *stream, char *bytes, size_t size)
{
	(void)stream, (void)bytes;
	return size;
}

/* As much as the kernel takes, and the rest of a piece. */
static bool fill(struct mc_stream *stream)
{
	struct backlog *backlog = &node_of(stream)->backlog;

	while (mc_stream_unsent(stream) == 0 && backlog_waiting(backlog) > 0) {
		size_t size = backlog_next(backlog, PIECE_SIZE);
		const struct iovec piece = { backlog->lines.at + backlog->given, size };

		backlog->given += size;
		mc_stream_send(stream, &piece, 1);
	}
	return false;
}

static void on_opened(struct mc_stream *stream)
{
	struct node *node = node_of(stream);

	node->up = true;
	node->opened_at = stream->room->loop->now;
	mc_stream_client_works(&node->client);
	say_back(node);
}

/* Lines that were not acknowledged are sent again, each from its start. */
static void on_closing(struct mc_stream *stream)
{
	struct node *node = node_of(stream);

	trim(node, 0);
	node->backlog.given = 0;
}

static void on_failed(struct mc_stream_client *client)
{
	struct node *node = node_of(&client->stream);

	say_away(node, node->up ? "cannot send to" : "cannot connect to", client->reason);
	node->up = false;
	if (node->backlog.lines.size > 0)
		mc_stream_client_open(client);
}

static const struct mc_stream_kind kind = {
	.take = take,
	.fill = fill,
	.opened = on_opened,
	.closing = on_closing,
	MC_STREAM_CLIENT_LIMITS,
};

static void prepare(struct mc_stream_client *client, int fd)
{
	const int silent = SILENT_MAX_MS;

	(void)client;
	setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &silent, sizeof(silent));
}

/* For load balancers; not before all that was sent is there. */
static bool reconnect_is_due(const struct node *node)
{
	mc_time interval = node->options->reconnect_interval;

	return interval > 0 && node->up && mc_now() >= node->opened_at + interval &&
	       acknowledged(node) == node->backlog.given;
}

static void push_stream(struct node *node)
{
	if (reconnect_is_due(node)) {
		mc_stream_client_close(&node->client);
		node->up = false;
	}
	if (node->client.state == MC_STREAM_CLIENT_CLOSED && node->backlog.lines.size > 0)
		mc_stream_client_open(&node->client);
	/* As a rule the kernel takes all at once, and the stream need not know. */
	if (node->up)
		fill(&node->client.stream);
	if (node->up && mc_stream_unsent(&node->client.stream) > 0)
		mc_stream_go_on(&node->client.stream);
	trim(node, node_waiting(node) == 0 ? 1 : TRIM_SIZE);
}

/* --- Datagrams ------------------------------------------------------------ */

static struct node *node_of_datagrams(struct datagrams *datagrams)
{
	return (struct node *)((char *)datagrams - offsetof(struct node, datagrams));
}

static void on_datagrams_opened(struct datagrams *datagrams)
{
	say_back(node_of_datagrams(datagrams));
}

static void on_datagrams_failed(struct datagrams *datagrams, const char *detail)
{
	say_away(node_of_datagrams(datagrams), "cannot connect to", detail);
}

static void on_datagrams_lost(struct datagrams *datagrams, int errnum)
{
	struct node *node = node_of_datagrams(datagrams);

	if (node->options->log_errors)
		mc_complain(node->ctx, &node->once, errnum, "cannot send to '%s' port '%s'",
			    node->options->host, node->options->port);
}

/* --- Both ----------------------------------------------------------------- */

bool node_push(struct node *node)
{
	if (node->options->protocol == NODE_UDP)
		datagrams_push(&node->datagrams);
	else
		push_stream(node);
	node->waiting = node_waiting(node);
	return node->waiting == 0;
}

bool node_is_trying(const struct node *node)
{
	const struct mc_stream_client *client = &node->client;

	if (node->options->protocol == NODE_UDP)
		return datagrams_are_trying(&node->datagrams);
	return client->state != MC_STREAM_CLIENT_PAUSED ||
	       client->backoff.until <= client->room->loop->now;
}

void node_init(struct node *node, struct mc_ctx *ctx, const struct node_options *options,
	       struct mc_stream_room *room, size_t limit)
{
	*node = (struct node){
		.options = options,
		.ctx = ctx,
		.backlog.limit = limit,
		.client = {
			.kind = &kind,
			.room = room,
			.host = options->host,
			.port = options->port,
			.connect_max = connect_max,
			.backoff.longest = longest_pause,
			.prepare = prepare,
			.failed = on_failed,
		},
		.datagrams = {
			.loop = room->loop,
			.host = options->host,
			.port = options->port,
			.backlog = &node->backlog,
			.reconnect_interval = options->reconnect_interval,
			.backoff.longest = longest_pause,
			.opened = on_datagrams_opened,
			.failed = on_datagrams_failed,
			.lost = on_datagrams_lost,
		},
	};
	datagrams_init(&node->datagrams);
}

void node_done(struct node *node)
{
	mc_stream_client_close(&node->client);
	datagrams_done(&node->datagrams);
	mc_buffer_free(&node->backlog.lines);
}
