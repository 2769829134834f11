/* SPDX-License-Identifier: MIT */
/* notify_nagios - notifications as passive results of service checks, for the
 * command file of Nagios, Icinga 1 or Naemon.  Facts: collectd.conf(5), "Plugin
 * notify_nagios"; Nagios Core, "External Commands".
 *
 * The file is a FIFO that Nagios makes anew when it starts, so it is opened for
 * each notification, and never waited for. */
#include <collector/check.h>
#include <collector/kit/alloc.h>
#include <collector/kit/backoff.h>
#include <collector/kit/once.h>
#include <collector/plugin.h>
#include <collector/writer.h>

#include "formats/check_result.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command_line.h"
#include "services.h"

#define LONGEST (10 * MC_SECOND)     /* Between two tries. */
#define LOG_EVERY (3600 * MC_SECOND) /* Of services that Nagios lacks. */

struct notify_nagios {
	const char *path;
	int64_t notice_rate;
	struct mc_strings match;
	const char *object_cache; /* NULL: beside the folder of the command file. */
	bool report_stats;

	char *cache;              /* Its path. */
	struct services services; /* Only notify(). */
	_Atomic uint64_t absent;  /* Results that were not sent, as there was no service. */
	mc_time absent_logged;
	struct mc_once cache_failed;
	struct mc_backoff backoff;
	int errnum; /* Why the last try failed. */
};

static const struct mc_option options[] = {
	{ "CommandFile", MC_OPT_STRING(struct notify_nagios, path),
	  .default_value = "/usr/local/nagios/var/rw/nagios.cmd",
	  .help = "Command file of Nagios." },
	MC_NOTICE_RATE(struct notify_nagios, notice_rate),
	MC_CHECK_RESULT_MATCH(struct notify_nagios, match),
	{ "ObjectCacheFile", MC_OPT_STRING(struct notify_nagios, object_cache),
	  .help = "File in which Nagios lists its services (object_cache_file): nothing is sent "
		  "for others. By default objects.cache beside the folder of CommandFile; empty: "
		  "none.",
	  .sample = "/var/lib/nagios4/objects.cache" },
	MC_CHECK_RESULT_STATS(struct notify_nagios, report_stats),
	{ 0 },
};

/* "/var/lib/nagios4/objects.cache" of "/var/lib/nagios4/rw/nagios.cmd"; NULL: none. */
static char *cache_of(const struct notify_nagios *self)
{
	const char *slash = strrchr(self->path, '/');
	size_t size = slash != NULL ? (size_t)(slash - self->path) : 0;

	if (self->object_cache != NULL)
		return *self->object_cache != '\0' ? mc_alloc_copy(self->object_cache) : NULL;
	while (size > 0 && self->path[size - 1] != '/')
		size--;
	return size > 0 ? mc_alloc_printf("%.*sobjects.cache", (int)size, self->path)
			: mc_alloc_copy("/objects.cache");
}

static void check_cache(struct mc_ctx *ctx)
{
	const struct notify_nagios *self = ctx->self;
	const void *field = self->object_cache != NULL ? (const void *)&self->object_cache
						       : (const void *)&self->path;
	char *cache = cache_of(self);

	if (cache != NULL && access(cache, R_OK) < 0)
		mc_check_warn(
			ctx, field,
			"ObjectCacheFile '%s' cannot be read: results for services that Nagios "
			"does not have are sent, too: %s",
			cache, strerror(errno));
	free(cache);
}

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
	else
		check_cache(ctx);
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
	self->cache = cache_of(self);
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

/* Whether Nagios has the service, as far as is known; it is logged once if not. */
static bool has_service(struct mc_ctx *ctx, const struct mc_notification *notification)
{
	struct notify_nagios *self = ctx->self;
	char host[COMMAND_LINE_HOST_SIZE], service[COMMAND_LINE_SERVICE_SIZE], path[PATH_MAX];
	int rc;

	if (self->cache == NULL)
		return true;
	rc = services_renew(&self->services, mc_path(ctx, self->cache, path, sizeof(path)),
			    mc_now());
	if (rc < 0 && (self->object_cache != NULL || self->services.known))
		mc_complain(ctx, &self->cache_failed, -rc, "cannot read '%s'", self->cache);
	else if (rc == 0 && self->services.known)
		mc_works(ctx, &self->cache_failed, "'%s' can be read again", self->cache);
	command_line_host(notification->id.host, host);
	mc_check_result_service(&notification->id, service, sizeof(service));
	if (services_has(&self->services, host, service))
		return true;
	if (mc_once_in(&self->absent_logged, mc_now(), LOG_EVERY))
		mc_log(ctx, MC_WARN,
		       "'%s' has no service '%s' of host '%s' that takes results: such results are "
		       "left out",
		       self->cache, service, host);
	return false;
}

static int nagios_notify(struct mc_ctx *ctx, const struct mc_notification *notification)
{
	struct notify_nagios *self = ctx->self;
	char line[COMMAND_LINE_SIZE], path[PATH_MAX];
	mc_time now = mc_now();
	int rc;

	if (!has_service(ctx, notification)) {
		self->absent++;
		return 0;
	}
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

static int nagios_read(struct mc_ctx *ctx, struct mc_batch *out)
{
	struct notify_nagios *self = ctx->self;

	if (self->report_stats)
		mc_put_derive(out, (int64_t)self->absent, .type = "derive",
			      .type_instance = "absent_services");
	return 0;
}

static void nagios_stop(struct mc_ctx *ctx)
{
	struct notify_nagios *self = ctx->self;

	services_done(&self->services);
	free(self->cache);
	self->cache = NULL;
}

MC_PLUGIN(notify_nagios) = {
	MC_NAMED(notify_nagios),
	.help = "Writes notifications to the command file of Nagios.",
	.self_size = sizeof(struct notify_nagios),
	.options = options,
	.check = nagios_check,
	.types = (const char *const[]){ "derive", NULL },
	.start = nagios_start,
	.read = nagios_read,
	.writer = &(const struct mc_writer){ .notify = nagios_notify },
	.stop = nagios_stop,
	.lenient = true,
};
