/* SPDX-License-Identifier: MIT */
/* notify_nagios - notifications as passive results of service checks, for the
 * command file of Nagios, Icinga 1 or Naemon.  Facts: collectd.conf(5), "Plugin
 * notify_nagios"; Nagios Core, "External Commands".
 *
 * The file is a FIFO that Nagios makes anew when it starts, so it is opened for
 * each notification, and never waited for. */
#include <collector/check.h>
#include <collector/kit/backoff.h>
#include <collector/plugin.h>
#include <collector/writer.h>

#include "formats/check_result.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command_line.h"

#define LONGEST (10 * MC_SECOND) /* Between two tries. */

struct notify_nagios {
	const char *path;
	int64_t notice_rate;
	struct mc_strings match;

	struct mc_backoff backoff;
	int errnum; /* Why the last try failed. */
};

static const struct mc_option options[] = {
	{ "CommandFile", MC_OPT_STRING(struct notify_nagios, path),
	  .default_value = "/usr/local/nagios/var/rw/nagios.cmd",
	  .help = "Command file of Nagios." },
	MC_NOTICE_RATE(struct notify_nagios, notice_rate),
	MC_CHECK_RESULT_MATCH(struct notify_nagios, match),
	{ 0 },
};

static void nagios_check(struct mc_ctx *ctx)
{
	const struct notify_nagios *self = ctx->self;
	struct stat there;

	if (!mc_check_host(ctx))
		return;
	if (stat(self->path, &there) < 0)
		mc_check_warn(ctx, &self->path, "cannot be found: %s", strerror(errno));
	else if (!S_ISFIFO(there.st_mode))
		mc_check_warn(ctx, &self->path, "is no FIFO: Nagios does not read it");
}

static bool nagios_wants(struct mc_ctx *ctx, const struct mc_notification *notification)
{
	const struct notify_nagios *self = ctx->self;

	return mc_check_result_wanted(&self->match, &notification->id, ctx->host);
}

static int nagios_start(struct mc_ctx *ctx)
{
	struct notify_nagios *self = ctx->self;

	self->backoff.longest = LONGEST;
	mc_select_notifications(ctx, nagios_wants);
	mc_limit_notifications(ctx, (uint64_t)self->notice_rate);
	return 0;
}

/* 0 or a negative errno.  A line fits a FIFO as a whole, or not at all. */
static int write_line(const char *path, const char *line, size_t size)
{
	int fd = open(path, O_WRONLY | O_APPEND | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	ssize_t written;
	int rc;

	if (fd < 0)
		return -errno;
	written = write(fd, line, size);
	rc = written < 0 ? -errno : (size_t)written < size ? -ENOSPC : 0;
	close(fd);
	return rc;
}

/* The same words each time: the log has them once. */
static int fail(struct mc_ctx *ctx)
{
	const struct notify_nagios *self = ctx->self;

	switch (self->errnum) {
	case ENXIO:
		return mc_fail(ctx, EAGAIN, "nobody reads '%s'", self->path);
	case EAGAIN:
		return mc_fail(ctx, EAGAIN, "'%s' is full: nobody reads it", self->path);
	default:
		return mc_fail(ctx, EAGAIN, "cannot write to '%s': %s", self->path,
			       strerror(self->errnum));
	}
}

static int nagios_notify(struct mc_ctx *ctx, const struct mc_notification *notification)
{
	struct notify_nagios *self = ctx->self;
	char line[COMMAND_LINE_SIZE], path[PATH_MAX];
	mc_time now = mc_now();
	int rc;

	if (now < self->backoff.until && !mc_stopping(ctx))
		return fail(ctx);
	rc = write_line(mc_path(ctx, self->path, path, sizeof(path)), line,
			command_line_write(notification, line));
	if (rc < 0) {
		self->errnum = -rc;
		mc_backoff_failed(&self->backoff, now, 0);
		return fail(ctx);
	}
	mc_backoff_done(&self->backoff);
	return 0;
}

MC_PLUGIN(notify_nagios) = {
	MC_NAMED(notify_nagios),
	.help = "Writes notifications to the command file of Nagios.",
	.self_size = sizeof(struct notify_nagios),
	.options = options,
	.check = nagios_check,
	.start = nagios_start,
	.writer = &(const struct mc_writer){ .notify = nagios_notify },
	.lenient = true,
};
