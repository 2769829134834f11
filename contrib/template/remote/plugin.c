/* SPDX-License-Identifier: MIT */
/* @name@:
 * a number from another program: it is asked with the line "get" on its
 * unix socket, each interval, and answers with a number on a line.  The
 * connection stays open; one thread does all, and waits for nothing.
 */
#include <collector/plugin.h>

#include <stdio.h>
#include <string.h>
#include <sys/un.h>

#include <collector/check.h>
#include <collector/kit/once.h>
#include <collector/kit/stream_client.h>
#include <collector/scan.h>
#include <collector/serve.h>

struct state {
	const char *path, *instance;
	mc_time timeout;
	struct mc_loop loop;
	struct mc_stream_room room;
	struct mc_stream_client client;
	struct mc_loop_timer turn; /* When to ask. */
	struct mc_loop_timer late; /* Set while an answer is to come. */
	struct mc_once trouble;
};

static struct state *state_of(struct mc_stream *stream)
{
	return stream->room->loop->ctx->self;
}

static void complain(struct state *self, const char *why)
{
	mc_complain(self->loop.ctx, &self->trouble, 0, "'unix:%s': %s", self->path, why);
}

/* The next turn begins with a new connection. */
static void give_up(struct state *self, const char *why)
{
	complain(self, why);
	mc_loop_unset_timer(&self->loop, &self->late);
	mc_stream_client_close(&self->client);
}

static void put_number(struct state *self, double number)
{
	struct mc_batch *batch = mc_begin(self->loop.ctx);

	mc_put_gauge(batch, number, .plugin_instance = self->instance, .type = "gauge");
	mc_commit(batch);
	mc_works(self->loop.ctx, &self->trouble, "'unix:%s' answers again", self->path);
}

/* --- What the other program does ------------------------------------------ */

static void ask(struct mc_stream *stream)
{
	mc_stream_add_text(stream, "get\n");
}

static void take_line(struct mc_stream *stream, char *line, size_t size)
{
	struct state *self = state_of(stream);
	const char *at = line;
	double number;

	if (strlen(line) != size || !mc_scan_decimal(&at, &number) || *at != '\0' ||
	    !mc_loop_timer_is_set(&self->late)) {
		give_up(self, "its answer is not a number, or nothing was asked");
		return;
	}
	mc_loop_unset_timer(&self->loop, &self->late);
	mc_stream_client_works(&self->client);
	put_number(self, number);
}

static void take_failure(struct mc_stream_client *client)
{
	struct state *self = client->room->loop->ctx->self; /* There is no stream. */

	mc_loop_unset_timer(&self->loop, &self->late);
	complain(self, client->why);
}

/* The protocol, and its limits. */
static const struct mc_stream_kind kind = {
	.take = mc_stream_take_lines,
	.line = take_line,
	.opened = ask,
	.rest_size_max = 64,
	.out_size_max = SIZE_MAX,
	.pipelines = true,
};

/* --- Times ---------------------------------------------------------------- */

static void take_turn(void *argument)
{
	struct state *self = argument;

	mc_loop_set_timer(&self->loop, &self->turn, self->loop.now + self->loop.ctx->interval);
	if (mc_loop_timer_is_set(&self->late))
		return; /* With a Timeout longer than the interval. */
	mc_loop_set_timer(&self->loop, &self->late, self->loop.now + self->timeout);
	if (self->client.state == MC_STREAM_CLIENT_OPEN) {
		ask(&self->client.stream);
		mc_stream_go_on(&self->client.stream);
	} else if (self->client.state == MC_STREAM_CLIENT_CLOSED) {
		mc_stream_client_open(&self->client);
	}
}

static void lose_patience(void *argument)
{
	give_up(argument, "no answer in time");
}

/* --- Life ----------------------------------------------------------------- */

static int start(struct mc_ctx *ctx)
{
	struct state *self = ctx->self;
	int rc;

	self->loop.ctx = ctx;
	rc = mc_loop_init(&self->loop);
	if (rc < 0)
		return rc;
	self->room.loop = &self->loop;
	mc_stream_client_room_init(&self->room);
	self->client.kind = &kind;
	self->client.room = &self->room;
	self->client.host = self->path;
	self->client.connect_max = self->timeout;
	self->client.backoff.longest = 300 * MC_SECOND;
	self->client.failed = take_failure;
	self->turn.expired = take_turn;
	self->late.expired = lose_patience;
	self->turn.argument = self->late.argument = self;
	mc_loop_set_timer(&self->loop, &self->turn, mc_now());
	return 0;
}

static int run(struct mc_ctx *ctx)
{
	struct state *self = ctx->self;
	int rc = mc_loop_run(&self->loop);

	mc_stream_client_close(&self->client);
	return rc;
}

static void stop(struct mc_ctx *ctx)
{
	struct state *self = ctx->self;

	mc_stream_room_done(&self->room);
	mc_loop_done(&self->loop);
}

/* Before anything is started. */
static void check(struct mc_ctx *ctx)
{
	const struct state *self = ctx->self;
	struct sockaddr_un address;

	if (self->path[0] != '/' || strlen(self->path) >= sizeof(address.sun_path))
		mc_check_error(ctx, &self->path, "is not the path of a unix socket");
}

static const struct mc_option options[] = {
	{ .name = "Socket",
	  MC_OPT_STRING(struct state, path),
	  .default_value = "/run/number.socket",
	  .help = "Unix socket of the program that is asked." },
	{ .name = "Instance",
	  MC_OPT_STRING(struct state, instance),
	  .help = "Plugin instance of the series." },
	{ .name = "Timeout",
	  MC_OPT_TIME(struct state, timeout),
	  .default_value = "1",
	  .help = "Seconds that an answer may take.",
	  .min = 0.001,
	  .max = 60 },
	{ 0 },
};

MC_PLUGIN(@name@) = {
	MC_NAMED(@name@),
	.help = "Asks another program for a number.",
	.self_size = sizeof(struct state),
	.options = options,
	.types = (const char *const[]){ "gauge", NULL },
	.check = check,
	.start = start,
	.run = run,
	.stop = stop,
};
