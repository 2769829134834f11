/* SPDX-License-Identifier: MIT */
/* @name@:
 * a number from another program: it is asked with the line "get" on its
 * unix socket and answers with a number on a line.
 */
#include <collector/plugin.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <collector/scan.h>

struct state {
	const char *path, *instance;
	mc_time timeout;
};

/* Connected, and no call on it lasts longer than 'timeout'; or -1. */
static int connect_to(const char *path, mc_time timeout)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct timeval limit = { .tv_sec = timeout / MC_SECOND,
				 .tv_usec = timeout % MC_SECOND / 1000 };
	int fd;

	if (strlen(path) >= sizeof(address.sun_path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	if (fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit)) == 0 &&
	    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)) == 0 &&
	    connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

/* Reads a line, without its newline.  A line that is too long is cut. */
static ssize_t ask(int fd, char *line, size_t size)
{
	size_t used = 0;
	ssize_t n = send(fd, "get\n", 4, MSG_NOSIGNAL);

	while (n > 0 && used < size - 1 && memchr(line, '\n', used) == NULL) {
		n = recv(fd, line + used, size - 1 - used, 0);
		used += n > 0 ? (size_t)n : 0;
	}
	line[used] = '\0';
	line[strcspn(line, "\n")] = '\0';
	return n;
}

static int read_number(struct mc_ctx *ctx, struct mc_batch *out)
{
	const struct state *self = ctx->self;
	const char *at;
	char line[64];
	double number;
	ssize_t n;
	int fd = connect_to(self->path, self->timeout), errnum;

	if (fd < 0)
		return mc_fail(ctx, errno, "cannot connect to 'unix:%s'", self->path);
	n = ask(fd, line, sizeof(line));
	errnum = errno;
	close(fd);
	if (n < 0)
		return mc_fail(ctx, errnum, "no answer from 'unix:%s'", self->path);
	at = line;
	if (!mc_scan_decimal(&at, &number) || *at != '\0')
		return mc_fail(ctx, 0, "cannot understand 'unix:%s'", self->path);
	mc_put_gauge(out, number, .plugin_instance = self->instance, .type = "gauge");
	return 0;
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
	.read = read_number,
};
