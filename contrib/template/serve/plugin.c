/* SPDX-License-Identifier: MIT */
/* @name@:
 * takes values on a unix socket, lines of a name and a number, and answers each
 * with "ok" or the error of the line.  One thread serves all clients.
 */
#include <collector/plugin.h>

#include <string.h>

#include <collector/check.h>
#include <collector/kit/listen.h>
#include <collector/kit/stream_server.h>
#include <collector/scan.h>
#include <collector/serve.h>

struct state {
	const char *path;
	int64_t clients_max;
	bool listening; /* At 'fd'. */
	int fd;
	struct mc_loop loop;
	struct mc_stream_server streams;
	struct mc_stream_listener listener;
};

/* "NAME NUMBER": the reply. */
static const char *take_value(struct mc_ctx *ctx, char *line)
{
	char *blank = strchr(line, ' ');
	const char *at = blank != NULL ? blank + 1 : line;
	struct mc_batch *batch;
	struct mc_series *series;
	double number;

	if (blank == NULL || blank == line || !mc_scan_decimal(&at, &number) || *at != '\0')
		return "a line is a name and a number\n";
	*blank = '\0';
	batch = mc_begin(ctx);
	series = mc_series(batch, MC_ID(.type = "gauge", .type_instance = line));
	mc_gauge(batch, series, number);
	mc_commit(batch);
	return series != NULL ? "ok\n" : "that cannot be a name\n";
}

static void take_line(struct mc_stream *stream, char *line, size_t size)
{
	(void)size;
	mc_stream_add_text(stream, take_value(stream->room->loop->ctx, line));
}

/* The protocol, and its limits. */
static const struct mc_stream_kind kind = {
	.take = mc_stream_take_lines,
	.line = take_line,
	.farewells = {
		[MC_STREAM_LONG] = "a line has up to 256 bytes\n",
		[MC_STREAM_SLOW] = "the rest of the line is late\n",
		[MC_STREAM_FULL] = "too many clients\n",
		[MC_STREAM_EVICTED] = "too many clients, and you were idle\n",
	},
	.rest_size_max = 256,
	.out_size_max = 65536,
	.rest_max = 10 * MC_SECOND,
	.unread_max = 30 * MC_SECOND,
};

static int start(struct mc_ctx *ctx)
{
	struct state *self = ctx->self;
	int rc;

	self->fd = mc_listen_file(ctx, &(struct mc_listen_file){ self->path, .perms = "0770" });
	if (self->fd < 0)
		return self->fd;
	self->listening = true;
	self->loop.ctx = self->streams.ctx = ctx;
	rc = mc_loop_init(&self->loop);
	if (rc < 0)
		return rc;
	self->streams.room.loop = &self->loop;
	self->streams.client_size = sizeof(struct mc_stream_served);
	self->streams.clients_max = self->clients_max;
	self->streams.idle_min = MC_SECOND;
	self->listener.kind = &kind;
	mc_stream_server_init(&self->streams);
	rc = mc_stream_server_listen(&self->streams, &self->listener, self->fd);
	return rc == 0 ? 0 : mc_fail(ctx, -rc, "cannot watch 'unix:%s'", self->path);
}

static int run(struct mc_ctx *ctx)
{
	struct state *self = ctx->self;
	int rc = mc_loop_run(&self->loop);

	mc_stream_server_close_clients(&self->streams);
	return rc;
}

static void stop(struct mc_ctx *ctx)
{
	struct state *self = ctx->self;

	if (!self->listening)
		return;
	mc_stream_server_done(&self->streams);
	mc_loop_done(&self->loop);
	mc_listen_file_close(self->fd, self->path);
}

/* Before anything is started. */
static void check(struct mc_ctx *ctx)
{
	struct state *self = ctx->self;

	mc_check_socket(ctx, &self->path);
}

static const struct mc_option options[] = {
	{ .name = "Socket",
	  MC_OPT_STRING(struct state, path),
	  .default_value = "/run/values.socket",
	  .help = "Unix socket that clients connect to." },
	{ .name = "MaxClients",
	  MC_OPT_INT(struct state, clients_max),
	  .default_value = "64",
	  .help = "Largest number of clients; a further one replaces the one that has been "
		  "idle longest.",
	  .min = 1,
	  .max = 65536 },
	{ 0 },
};

MC_PLUGIN(@name@) = {
	MC_NAMED(@name@),
	.help = "Takes values on a unix socket.",
	.self_size = sizeof(struct state),
	.options = options,
	.types = (const char *const[]){ "gauge", NULL },
	.check = check,
	.start = start,
	.run = run,
	.stop = stop,
};
