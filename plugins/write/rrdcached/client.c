/* SPDX-License-Identifier: MIT */
#include "client.h"

static const mc_time longest_pause = 10 * MC_SECOND;

static struct client *client_of(struct mc_stream *stream)
{
	return (struct client *)((char *)stream - offsetof(struct client, base.stream));
}

static void forget_replies(struct client *client)
{
	mc_loop_unset_timer(client->base.room->loop, &client->deadline);
	client->expected = 0;
	client->blocked = client->nonsense = false;
	client->reply = (struct reply){ 0 };
}

/* --- Events ------------------------------------------------------------ */

static void on_opened(struct mc_stream *stream)
{
	struct client *client = client_of(stream);

	if (client->calls->opened != NULL)
		client->calls->opened(client->daemon);
}

/* Each byte is a sign of life. */
static size_t take(struct mc_stream *stream, char *bytes, size_t size)
{
	struct client *client = client_of(stream);
	struct mc_loop *loop = client->base.room->loop;
	const char *at = bytes, *end = bytes + size;

	if (client->expected > 0)
		mc_loop_set_timer(loop, &client->deadline, loop->now + client->timeout);
	while (at < end && mc_stream_takes(stream)) {
		struct reply_line line = reply_next(&client->reply, &at, end);

		if (line.kind == REPLY_NONE ||
		    client->calls->answer(client->daemon, &line, loop->now) == 0)
			continue;
		client->nonsense = true;
		mc_stream_close(stream);
	}
	return size;
}

static void on_failed(struct mc_stream_client *base)
{
	struct client *client = (struct client *)base;
	const char *why = client->nonsense ? NULL : base->reason;

	forget_replies(client);
	client->calls->failed(client->daemon, why);
}

/* Room in a buffer that was full is a sign of life; room in another one is not. */
static void on_deadline(void *argument)
{
	struct client *client = argument;
	struct mc_stream *stream = &client->base.stream;
	struct mc_loop *loop = client->base.room->loop;
	mc_time due = stream->active + client->timeout;

	if (client->blocked && due > loop->now) {
		client->blocked = client_unsent(client) > 0;
		mc_loop_set_timer(loop, &client->deadline, due);
		return;
	}
	mc_stream_fail(stream, MC_STREAM_IDLE, NULL);
}

/* Its deadline is what limits it. */
static const struct mc_stream_kind kind = {
	.take = take,
	.opened = on_opened,
	MC_STREAM_CLIENT_LIMITS,
};

/* --- Commands ---------------------------------------------------------- */

void client_expect(struct client *client, uint64_t replies, mc_time now)
{
	if (client->expected == 0)
		mc_loop_set_timer(client->base.room->loop, &client->deadline,
				  now + client->timeout);
	client->expected += replies;
}

void client_send(struct client *client)
{
	mc_stream_go_on(&client->base.stream);
	if (client_is_up(client) && client_unsent(client) > 0)
		client->blocked = true;
}

void client_answered(struct client *client)
{
	mc_stream_client_works(&client->base);
	if (--client->expected == 0)
		mc_loop_unset_timer(client->base.room->loop, &client->deadline);
}

/* --- Life -------------------------------------------------------------- */

void client_init(struct client *client, struct mc_stream_room *room, const struct address *address,
		 mc_time timeout)
{
	client->base.kind = &kind;
	client->base.room = room;
	client->base.host = address->local ? address->path : address->host;
	client->base.port = address->local ? NULL : address->port;
	client->base.connect_max = timeout;
	client->base.backoff.longest = longest_pause;
	client->base.failed = on_failed;
	client->timeout = timeout;
	client->deadline = (struct mc_loop_timer){ .expired = on_deadline, .argument = client };
}

void client_close(struct client *client)
{
	mc_stream_client_close(&client->base);
	forget_replies(client);
}
