/* SPDX-License-Identifier: MIT */
/* unixsock - a unix socket on which programs ask for values, hand values in, and look into the
 * collector.  Protocol: collectd-unixsock(5) and our own verbs, all described in manual.txt. */
#include <collector/check.h>
#include <collector/kit/listen.h>
#include <collector/plugin.h>
#include <collector/writer.h>

#include <stdio.h>
#include <sys/stat.h>

#include "server.h"
#include "tap.h"

struct unixsock {
	const char *path, *group, *perms;
	bool delete_socket;
	int64_t clients_max;

	bool listening; /* At 'listener': 'server' is to be stopped. */
	int listener;
	struct server server;
};

static const struct mc_option unixsock_options[] = {
	{ "SocketFile", MC_OPT_STRING(struct unixsock, path),
	  .default_value = "/var/run/collectd-unixsock", .sample = "/run/collector/unixsock",
	  .help = "Path of the socket." },
	{ "SocketGroup", MC_OPT_STRING(struct unixsock, group),
	  .help = "Group of the socket, if the collector runs as root; by "
		  "default 'collectd', if that group exists." },
	{ "SocketPerms", MC_OPT_STRING(struct unixsock, perms), .default_value = "0770",
	  .help = "Permissions of the socket, in octal." },
	{ "DeleteSocket", MC_OPT_BOOL(struct unixsock, delete_socket), .default_value = "false",
	  .lenient = true,
	  .help = "Takes the socket over from another program that listens on "
		  "it; a socket without a listener is replaced in any case." },
	{ "MaxClients", MC_OPT_INT(struct unixsock, clients_max), .default_value = "512",
	  .help = "Largest number of connections; a further one replaces the "
		  "one that has been idle longest.",
	  .min = 1, .max = 65536 },
	{ 0 },
};

static void unixsock_check(struct mc_ctx *ctx)
{
	struct unixsock *self = ctx->self;
	struct stat st;
	char key[256];

	if (!mc_listen_takes_perms(self->perms))
		mc_check_error(ctx, &self->perms, "is not an octal number from 0 to 0777");
	mc_check_group(ctx, &self->group);
	if (!mc_check_socket(ctx, &self->path))
		return;
	snprintf(key, sizeof(key), "socket %s", self->path);
	mc_check_only(ctx, &self->path, key);
	if (mc_check_host(ctx) && lstat(self->path, &st) == 0 && !S_ISSOCK(st.st_mode))
		mc_check_error(ctx, &self->path, "is in the way: it is not a socket");
}

static int unixsock_start(struct mc_ctx *ctx)
{
	struct unixsock *self = ctx->self;
	const struct mc_listen_file file = {
		.path = self->path,
		.group = self->group,
		.perms = self->perms,
		.delete_socket = self->delete_socket,
	};

	self->listener = mc_listen_file(ctx, &file);
	if (self->listener < 0)
		return self->listener;
	self->listening = true;
	return server_start(&self->server, ctx, self->listener, self->clients_max);
}

static int unixsock_run(struct mc_ctx *ctx)
{
	struct unixsock *self = ctx->self;

	return server_run(&self->server);
}

static int unixsock_write(struct mc_ctx *ctx, const struct mc_batch *batch)
{
	struct unixsock *self = ctx->self;

	tap_batch(&self->server.taps, batch);
	return 0;
}

static int unixsock_notify(struct mc_ctx *ctx, const struct mc_notification *notification)
{
	struct unixsock *self = ctx->self;

	tap_notification(&self->server.taps, notification);
	return 0;
}

static void unixsock_stop(struct mc_ctx *ctx)
{
	struct unixsock *self = ctx->self;

	if (!self->listening)
		return;
	mc_listen_file_close(self->listener, self->path);
	server_stop(&self->server);
}

static const struct mc_writer writer = {
	.write = unixsock_write,
	.notify = unixsock_notify,
	.on_request = true,
};

MC_PLUGIN(unixsock) = {
	MC_NAMED(unixsock),
	.help = "Answers on a unix socket: values, notifications, status.",
	.self_size = sizeof(struct unixsock),
	.options = unixsock_options,
	.check = unixsock_check,
	.start = unixsock_start,
	.writer = &writer,
	.run = unixsock_run,
	.stop = unixsock_stop,
	.in_example = true,
};
