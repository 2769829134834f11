/* SPDX-License-Identifier: MIT */
/* @name@:
 * takes values on a unix socket, lines of a name and a number, and answers each
 * with "ok" or what is wrong.  One client at a time.
 */
#include <collector/plugin.h>

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <collector/scan.h>
#include <collector/serve.h>

struct state {
	const char *path;
	int listener; /* 0: not yet there. */
};

static int listen_there(struct mc_ctx *ctx)
{
	struct state *self = ctx->self;
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	if (strlen(self->path) >= sizeof(address.sun_path))
		return mc_fail(ctx, 0, "the path of socket '%s' is too long", self->path);
	self->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", self->path);
	if (self->listener < 0 || (unlink(self->path) != 0 && errno != ENOENT) ||
	    bind(self->listener, (struct sockaddr *)&address, sizeof(address)) != 0 ||
	    listen(self->listener, 16) != 0)
		return mc_fail(ctx, errno, "cannot listen on 'unix:%s'", self->path);
	return 0;
}

/* Waits until 'fd' can be read; false when the instance must stop. */
static bool wait_for(struct mc_ctx *ctx, int fd)
{
	struct pollfd fds[] = { { .fd = fd, .events = POLLIN },
				{ .fd = mc_stop_fd(ctx), .events = POLLIN } };

	while (poll(fds, 2, -1) < 0 && errno == EINTR)
		;
	return fds[1].revents == 0;
}

/* "NAME NUMBER": the reply. */
static const char *take_line(struct mc_ctx *ctx, char *line)
{
	char *blank = strchr(line, ' ');
	struct mc_batch *batch;
	struct mc_series *series;
	const char *at = blank + 1;
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

static void serve(struct mc_ctx *ctx, int fd)
{
	char text[256], *end;
	size_t size = 0;
	ssize_t n;

	while (wait_for(ctx, fd) && (n = recv(fd, text + size, sizeof(text) - size, 0)) > 0) {
		size += (size_t)n;
		while ((end = memchr(text, '\n', size)) != NULL) {
			const char *reply;

			*end++ = '\0';
			reply = take_line(ctx, text);
			send(fd, reply, strlen(reply), MSG_NOSIGNAL | MSG_DONTWAIT);
			size -= (size_t)(end - text);
			memmove(text, end, size);
		}
		if (size == sizeof(text))
			return; /* A line is not that long. */
	}
}

static int serve_all(struct mc_ctx *ctx)
{
	const struct state *self = ctx->self;

	while (wait_for(ctx, self->listener)) {
		int fd = accept4(self->listener, NULL, NULL, SOCK_CLOEXEC);

		if (fd < 0)
			continue;
		serve(ctx, fd);
		close(fd);
	}
	return 0;
}

static void close_all(struct mc_ctx *ctx)
{
	struct state *self = ctx->self;

	if (self->listener <= 0)
		return;
	close(self->listener);
	unlink(self->path);
}

static const struct mc_option options[] = {
	{ .name = "Socket",
	  MC_OPT_STRING(struct state, path),
	  .default_value = "/run/values.socket",
	  .help = "Unix socket that clients connect to." },
	{ 0 },
};

MC_PLUGIN(@name@) = {
	MC_NAMED(@name@),
	.help = "Takes values on a unix socket.",
	.self_size = sizeof(struct state),
	.options = options,
	.types = (const char *const[]){ "gauge", NULL },
	.start = listen_there,
	.run = serve_all,
	.stop = close_all,
};
