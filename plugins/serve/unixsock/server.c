/* SPDX-License-Identifier: MIT */
/* One thread serves all connections.  All lines that have come are answered before
 * anything is sent: their PUTVALs become one batch, their replies one send().  A client
 * that does not take its replies is not read from until it does. */
#include "server.h"

#include <collector/control.h>

#include <stdlib.h>
#include <string.h>

#define LINE_TIMEOUT (10 * MC_SECOND) /* From half a line to its end. */
#define SEND_TIMEOUT (30 * MC_SECOND) /* Without taking a byte of a reply. */
/* Before it makes way for another.  As long as this no client is let in, if as
 * many as may connect do so again and again. */
#define IDLE_MIN (10 * MC_MILLISECOND)
/* Replies of one client beyond this are sent before more lines are read. */
#define OUT_MAX ((size_t)256 << 10)
/* The most that waits for all clients together. */
#define UNSENT_MAX ((size_t)256 << 20)

static struct server *server_of(struct mc_stream *stream)
{
	return ((struct client *)stream)->base.listener->argument;
}

static void stop_tap(struct server *server, struct client *client)
{
	if (client->tap == NULL)
		return;
	tap_close(&server->taps, client->tap);
	client->tap = NULL;
	mc_stream_stay(&client->base.stream, false);
	if (tap_len(&server->taps) == 0)
		mc_subscribe(server->loop.ctx, false);
}

/* --- Lines of one client -------------------------------------------------- */

static void begin_lines(struct mc_stream *stream)
{
	command_begin(&server_of(stream)->command, (struct client *)stream);
}

/* A client asks to follow the stream: its reply begins at 'start'. */
static void start_tap(struct mc_stream *stream, size_t start, const char *glob)
{
	static const char full[] = "-1 Too many clients follow already\n";
	struct client *client = (struct client *)stream;
	struct server *server = server_of(stream);

	if (tap_len(&server->taps) == TAPS_MAX) {
		stream->out.size = start;
		reply_add(&stream->out, full, strlen(full));
		return;
	}
	if (tap_len(&server->taps) == 0)
		mc_subscribe(server->loop.ctx, true);
	client->tap = tap_open(&server->taps, glob);
	mc_stream_stay(stream, true);
}

static void serve_line(struct mc_stream *stream, char *line, size_t size)
{
	struct client *client = (struct client *)stream;
	struct server *server = server_of(stream);
	size_t start = stream->out.size;
	const char *glob;

	/* Whatever else is asked of it, it no longer follows the stream. */
	if (client->tap != NULL)
		stop_tap(server, client);
	switch (command_line(&server->command, &stream->out, line, size, &glob)) {
	case COMMAND_DONE:
		break;
	case COMMAND_FOLLOWS:
		start_tap(stream, start, glob);
		break;
	case COMMAND_WAITS:
		mc_stream_hold(stream);
		break;
	}
}

/* The replies wait until it is known that what was put is safe, and are taken back if it is not. */
static void end_lines(struct mc_stream *stream)
{
	struct command *command = &server_of(stream)->command;
	bool safe;

	command_end(command);
	if (commits_wait(&command->commits, (struct client *)stream, &safe))
		mc_stream_hold(stream);
	else if (!safe)
		command_take_back(&stream->out);
}

/* The tap's lines, if all before them has been sent. */
static bool add_tap(struct mc_stream *stream)
{
	const struct client *client = (const struct client *)stream;

	if (client->tap != NULL)
		tap_take(&server_of(stream)->taps, client->tap, &stream->out);
	return false;
}

static bool on_closed(struct mc_stream *stream)
{
	struct client *client = (struct client *)stream;

	stop_tap(server_of(stream), client);
	/* Else commits_next() or errands_next() returns it yet. */
	return !client->waits && !client->has_errand;
}

static const struct mc_stream_kind kind = {
	.take = mc_stream_take_lines,
	.line = serve_line,
	.begin = begin_lines,
	.end = end_lines,
	.fill = add_tap,
	.closed = on_closed,
	.farewells = {
		[MC_STREAM_LONG] = "-1 Line too long\n",
		[MC_STREAM_CUT] = "-1 Line not finished\n",
		[MC_STREAM_SLOW] = "-1 Line not finished in 10 seconds\n",
		[MC_STREAM_FULL] = "-1 Too many clients\n",
		[MC_STREAM_EVICTED] = "-1 Too many clients, and you were idle\n",
	},
	.rest_size_max = COMMAND_LINE_MAX,
	.skips = true,
	.out_size_max = OUT_MAX,
	.rest_max = LINE_TIMEOUT,
	.unread_max = SEND_TIMEOUT,
};

/* --- Other threads -------------------------------------------------------- */

/* Resumes a client that need not wait for anything more. */
static void go_on(struct client *client)
{
	if (client->waits || client->has_errand)
		return;
	if (client->base.stream.file.fd < 0)
		free(client);
	else
		mc_stream_resume(&client->base.stream);
}

/* It is known what became of what some have put. */
static void on_told(void *argument)
{
	struct server *server = argument;
	struct commits *commits = &server->command.commits;
	struct client *client;
	bool safe;

	while ((client = commits_next(commits, &safe)) != NULL) {
		if (client->base.stream.file.fd >= 0 && !safe)
			command_take_back(&client->base.stream.out);
		go_on(client);
	}
}

static void on_errand(void *argument)
{
	struct server *server = argument;
	struct errand *errand;

	while ((errand = errands_next(&server->command.errands)) != NULL) {
		struct client *client = errand->client;

		client->has_errand = false;
		if (client->base.stream.file.fd >= 0)
			mc_stream_add(&client->base.stream, errand->reply.at, errand->reply.size);
		go_on(client);
		mc_buffer_free(&errand->reply);
		free(errand);
	}
}

static void on_tap(void *argument)
{
	struct server *server = argument;
	struct mc_stream_served *client = server->streams.first, *next;

	for (; client != NULL; client = next) {
		next = client->next;
		if (((struct client *)client)->tap != NULL)
			mc_stream_go_on(&client->stream);
	}
}

/* --- Life ----------------------------------------------------------------- */

/* 0, or a negative errno. */
static int watch(struct server *server, int listener)
{
	struct tap_board *taps = &server->taps;
	struct commits *commits = &server->command.commits;
	int rc = mc_loop_watch_wakeup(&server->loop, &taps->wakeup);

	if (rc == 0)
		rc = mc_loop_watch_wakeup(&server->loop, &commits->wakeup);
	if (rc == 0)
		rc = mc_loop_watch_wakeup(&server->loop, &server->command.errands.wakeup);
	if (rc == 0)
		rc = mc_stream_server_listen(&server->streams, &server->listener, listener);
	return rc;
}

int server_start(struct server *server, struct mc_ctx *ctx, int listener, int64_t clients_max)
{
	struct commits *commits = &server->command.commits;
	struct errands *errands = &server->command.errands;
	int rc;

	server->loop.ctx = server->streams.ctx = ctx;
	server->streams.room.loop = &server->loop;
	server->streams.room.unsent_max = UNSENT_MAX;
	server->streams.client_size = sizeof(struct client);
	server->streams.clients_max = clients_max;
	server->streams.idle_min = IDLE_MIN;
	server->listener.kind = &kind;
	server->listener.argument = server;
	server->listener.asks = true;
	mc_stream_server_init(&server->streams);
	command_init(&server->command, ctx);
	server->taps.wakeup.woken = on_tap;
	server->taps.wakeup.argument = server;
	commits->wakeup.woken = on_told;
	commits->wakeup.argument = server;
	errands->wakeup.woken = on_errand;
	errands->wakeup.argument = server;
	rc = tap_init(&server->taps);
	if (rc == 0)
		rc = commits_init(commits);
	if (rc == 0)
		rc = errands_init(errands, ctx);
	if (rc < 0)
		return mc_fail(ctx, -rc, "cannot make an eventfd");
	rc = mc_loop_init(&server->loop);
	if (rc < 0)
		return rc;
	rc = watch(server, listener);
	return rc == 0 ? 0 : mc_fail(ctx, -rc, "cannot watch a socket");
}

int server_run(struct server *server)
{
	struct mc_stream_served *client, *next;
	int rc = mc_loop_run(&server->loop);

	/* No more lines are taken, but those that were get their replies. */
	for (client = server->streams.first; client != NULL; client = next) {
		next = client->next;
		mc_stream_end(&client->stream);
	}
	errands_stop(&server->command.errands);
	on_errand(server);
	commits_cancel(&server->command.commits, server->loop.ctx);
	on_told(server);
	mc_stream_server_close_clients(&server->streams);
	return rc;
}

void server_stop(struct server *server)
{
	mc_stream_server_done(&server->streams);
	mc_loop_done(&server->loop);
	tap_done(&server->taps);
	commits_done(&server->command.commits);
	errands_done(&server->command.errands);
}
