/* SPDX-License-Identifier: MIT */
/* logfile: the collector's log and its notifications in a file, line for line
 * as collectd 5.12 writes them.
 *
 * log() comes from any thread, also while reopen() runs.  There is no lock: the descriptor's
 * number never changes once it is open, and dup3(2) exchanges its file in one step.  O_APPEND and
 * one write(2) per line keep lines whole.
 */
#include <collector/check.h>
#include <collector/plugin.h>
#include <collector/writer.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "line.h"

enum { CHECK_SECONDS = 1 }; /* Between two looks at whether the file moved. */

struct logfile {
	const char *file;
	int level; /* Index in level_words. */
	bool timestamp, print_severity;
	int64_t notice_rate;

	int fd;             /* Set by start(), then constant. */
	bool is_file;       /* And not STDOUT or STDERR. */
	atomic_long looked; /* Second of the last look at the file. */
	atomic_bool failing;
	atomic_ulong lost; /* Lines, since it fails. */
};

/* Those of collectd, and the two that people write instead. */
static const char *const level_words[] = { "err",  "error",  "crit", "alert", "emerg", "warning",
					   "warn", "notice", "info", "debug", NULL };
static const enum mc_level levels[] = { MC_ERROR, MC_ERROR, MC_ERROR, MC_ERROR, MC_ERROR,
					MC_WARN,  MC_WARN,  MC_NOTE,  MC_INFO,  MC_DEBUG };

static const struct mc_option options[] = {
	{ .name = "File",
	  MC_OPT_STRING(struct logfile, file),
	  .default_value = "stderr",
	  .sample = "/var/log/collector.log",
	  .help = "File that lines are appended to, or STDOUT or STDERR." },
	{ .name = "LogLevel",
	  MC_OPT_WORD(struct logfile, level),
	  .default_value = "info",
	  .words = level_words,
	  .lenient = true,
	  .help = "Least severe level that is written." },
	{ .name = "Timestamp",
	  MC_OPT_BOOL(struct logfile, timestamp),
	  .default_value = "true",
	  .lenient = true,
	  .help = "Begins each line with the local time." },
	{ .name = "PrintSeverity",
	  MC_OPT_BOOL(struct logfile, print_severity),
	  .default_value = "false",
	  .help = "Writes the level in each line." },
	MC_NOTICE_RATE(struct logfile, notice_rate),
	{ 0 }
};

/* Complains once until lines are written again: the log itself cannot report it. */
static void complain(struct logfile *log, int errnum)
{
	if (!atomic_exchange(&log->failing, true))
		dprintf(STDERR_FILENO,
			"logfile: cannot write to '%s': %s; lines are lost "
			"until it can\n",
			log->file, strerror(errnum));
}

static void lose_line(struct logfile *log, int errnum)
{
	atomic_fetch_add(&log->lost, 1);
	complain(log, errnum);
}

/* Where all users may make files, another user may have made this one, or a link to one that only
 * we may write: then a link must be ours or root's, and no other user may be able to exchange it
 * (a sticky folder); the same holds for the file. */
static bool is_trusted(const struct stat *status)
{
	return status->st_uid == 0 || status->st_uid == geteuid();
}

static int open_below(int folder, const char *name)
{
	int flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
	struct stat place, link, status;
	bool shared;
	int fd;

	if (fstat(folder, &place) != 0)
		return -errno;
	shared = (place.st_mode & S_IWOTH) != 0;
	if (shared &&
	    !((place.st_mode & S_ISVTX) != 0 &&
	      fstatat(folder, name, &link, AT_SYMLINK_NOFOLLOW) == 0 && is_trusted(&link)))
		flags |= O_NOFOLLOW;
	fd = openat(folder, name, flags, 0644);
	if (fd < 0)
		return -errno;
	if (shared && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
	    (!is_trusted(&status) || status.st_nlink > 1)) {
		close(fd);
		return -EPERM;
	}
	return fd;
}

static int open_path(const char *path)
{
	const char *slash = strrchr(path, '/');
	char parent[PATH_MAX] = ".";
	size_t size = slash != NULL ? (size_t)(slash + 1 - path) : 0;
	int folder, fd;

	if (size >= sizeof(parent))
		return -ENAMETOOLONG;
	if (size > 0) {
		memcpy(parent, path, size);
		parent[size] = '\0';
	}
	folder = open(parent, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (folder < 0)
		return -errno;
	fd = open_below(folder, path + size);
	close(folder);
	return fd;
}

/* Has the descriptor refer to the file of today; 0 or -errno, and then the one before stays. */
static int open_file(struct logfile *log)
{
	int fd = open_path(log->file), error = 0;

	if (fd < 0)
		return fd;
	if (dup3(fd, log->fd, O_CLOEXEC) < 0)
		error = -errno;
	close(fd);
	return error;
}

/* Whether the file was moved, removed or is not open yet. */
static bool file_moved(const struct logfile *log)
{
	struct stat path, mine;

	if (stat(log->file, &path) != 0 || fstat(log->fd, &mine) != 0)
		return true;
	return path.st_dev != mine.st_dev || path.st_ino != mine.st_ino;
}

static time_t wall_seconds(void)
{
	return mc_wall() / MC_SECOND;
}

/* As with collectd, logrotate need not signal us: we look, at most once in a second, and only when
 * there is a line to write. */
static void follow_file(struct logfile *log, time_t now)
{
	long before = atomic_load(&log->looked);

	if (!log->is_file || (before <= now && now - before < CHECK_SECONDS))
		return;
	if (!atomic_compare_exchange_strong(&log->looked, &before, now))
		return; /* Another thread looks. */
	if (file_moved(log))
		open_file(log);
}

static void write_line(struct logfile *log, time_t time_of_line, const char *severity,
		       const char *text)
{
	char line[LINE_SIZE];
	struct tm local;
	size_t size;
	ssize_t written;

	follow_file(log, wall_seconds());
	localtime_r(&time_of_line, &local);
	size = line_format(line, log->timestamp ? &local : NULL,
			   log->print_severity ? severity : NULL, text);
	do {
		written = write(log->fd, line, size);
	} while (written < 0 && errno == EINTR);

	if (written < 0)
		lose_line(log, errno);
	else if ((size_t)written < size)
		lose_line(log, ENOSPC);
	else if (atomic_load_explicit(&log->failing, memory_order_relaxed) &&
		 atomic_exchange(&log->failing, false))
		dprintf(STDERR_FILENO, "logfile: '%s' is written again, %lu lines were lost\n",
			log->file, atomic_exchange(&log->lost, 0));
}

static void logfile_log(struct mc_ctx *ctx, enum mc_level level, const char *line)
{
	static const char *const names[] = { "error", "warning", "notice", "info", "debug" };
	struct logfile *log = ctx->self;

	if (level <= levels[log->level])
		write_line(log, wall_seconds(), names[level], line);
}

/* Whatever LogLevel says, and at the notification's own time. */
static int logfile_notify(struct mc_ctx *ctx, const struct mc_notification *notification)
{
	char text[LINE_SIZE];

	mc_notification_text(notification, text, sizeof(text));
	write_line(ctx->self,
		   notification->time == 0 ? wall_seconds()
					   : (time_t)(notification->time / MC_SECOND),
		   "info", text);
	return 0;
}

static bool is_stream(const struct logfile *log)
{
	return strcasecmp(log->file, "stdout") == 0 || strcasecmp(log->file, "stderr") == 0;
}

static void logfile_check(struct mc_ctx *ctx)
{
	struct logfile *log = ctx->self;

	if (!is_stream(log))
		mc_check_output(ctx, &log->file);
}

static int logfile_start(struct mc_ctx *ctx)
{
	struct logfile *log = ctx->self;

	mc_limit_notifications(ctx, (uint64_t)log->notice_rate);
	if (strcasecmp(log->file, "stdout") == 0) {
		log->fd = STDOUT_FILENO;
		return 0;
	}
	if (strcasecmp(log->file, "stderr") == 0) {
		log->fd = STDERR_FILENO;
		return 0;
	}
	/* A descriptor of our own, for reading: until the file can be opened a
	 * line fails with EBADF, and open_file() is tried again. */
	log->fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (log->fd < 0)
		return mc_fail(ctx, errno, "cannot open '/dev/null'");
	log->is_file = true;
	atomic_store(&log->looked, wall_seconds());
	int error = open_file(log);
	if (error != 0)
		complain(log, -error);
	return 0;
}

static void logfile_reopen(struct mc_ctx *ctx)
{
	struct logfile *log = ctx->self;
	int error = log->is_file ? open_file(log) : 0;

	if (error != 0)
		mc_log(ctx, MC_WARN, "cannot open '%s' again: %s", log->file, strerror(-error));
}

static void logfile_stop(struct mc_ctx *ctx)
{
	struct logfile *log = ctx->self;

	if (log->is_file)
		close(log->fd);
}

static const struct mc_writer writer = {
	.notify = logfile_notify,
	.log = logfile_log,
	.reopen = logfile_reopen,
};

MC_PLUGIN(logfile) = {
	MC_NAMED(logfile),
	.help = "Writes the collector's log and notifications to a file.",
	.self_size = sizeof(struct logfile),
	.options = options,
	.check = logfile_check,
	.start = logfile_start,
	.writer = &writer,
	.stop = logfile_stop,
};
