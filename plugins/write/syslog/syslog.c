/* SPDX-License-Identifier: MIT */
/* syslog: the collector's log and its notifications to the system's log, by syslog(3), with
 * facility and severities as collectd 5.12 uses them. */
#include <collector/plugin.h>
#include <collector/writer.h>

#include <stdio.h>
#include <syslog.h>

enum { TEXT_SIZE = 1024 }; /* Of a notification: RFC 3164, section 4.1. */

struct syslog_sender {
	int level;        /* Index in level_words. */
	int notify_level; /* Index in notify_words. */
	int64_t notice_rate;
};

/* Those of collectd, and the two that people write instead. */
static const char *const level_words[] = { "err",  "error",  "crit", "alert", "emerg", "warning",
					   "warn", "notice", "info", "debug", NULL };
static const int level_priorities[] = {
	LOG_ERR,     LOG_ERR,     LOG_ERR,    LOG_ERR,  LOG_ERR,
	LOG_WARNING, LOG_WARNING, LOG_NOTICE, LOG_INFO, LOG_DEBUG,
};

static const char *const notify_words[] = { "none", "FAILURE", "WARNING", "WARN", "OKAY", NULL };
static const int notify_severities[] = { 0, MC_FAILURE, MC_WARNING, MC_WARNING, MC_OKAY };

static const struct mc_option options[] = {
	{ .name = "LogLevel",
	  MC_OPT_WORD(struct syslog_sender, level),
	  .default_value = "info",
	  .words = level_words,
	  .lenient = true,
	  .help = "Least severe level that is sent." },
	{ .name = "NotifyLevel",
	  MC_OPT_WORD(struct syslog_sender, notify_level),
	  .default_value = "none",
	  .words = notify_words,
	  .help = "Least severe notifications that are sent." },
	MC_NOTICE_RATE(struct syslog_sender, notice_rate),
	{ 0 },
};

static int priority_of(enum mc_level level)
{
	static const int priorities[] = { LOG_ERR, LOG_WARNING, LOG_NOTICE, LOG_INFO, LOG_DEBUG };

	return priorities[level];
}

static void send_line(const struct syslog_sender *sender, int priority, const char *text)
{
	if (priority <= level_priorities[sender->level])
		syslog(priority, "%s", text);
}

static void syslog_log(struct mc_ctx *ctx, enum mc_level level, const char *line)
{
	send_line(ctx->self, priority_of(level), line);
}

static int syslog_notify(struct mc_ctx *ctx, const struct mc_notification *notification)
{
	struct syslog_sender *sender = ctx->self;
	char text[TEXT_SIZE];
	int priority = LOG_ERR;

	if ((int)notification->severity > notify_severities[sender->notify_level])
		return 0;
	if (notification->severity == MC_WARNING)
		priority = LOG_WARNING;
	else if (notification->severity == MC_OKAY)
		priority = LOG_NOTICE;
	mc_notification_text(notification, text, sizeof(text));
	send_line(sender, priority, text);
	return 0;
}

/* openlog() keeps the pointer: it must be a constant. */
static int syslog_start(struct mc_ctx *ctx)
{
	const struct syslog_sender *sender = ctx->self;

	if (notify_severities[sender->notify_level] > 0)
		mc_limit_notifications(ctx, (uint64_t)sender->notice_rate);
	openlog("collectord", LOG_CONS | LOG_PID, LOG_DAEMON);
	return 0;
}

static void syslog_stop(struct mc_ctx *ctx)
{
	(void)ctx;
	closelog();
}

static const struct mc_writer writer = {
	.notify = syslog_notify,
	.log = syslog_log,
	.logs_to_syslog = true,
};

MC_PLUGIN(syslog) = {
	MC_NAMED(syslog),
	.help = "Sends the collector's log and notifications to syslog.",
	.self_size = sizeof(struct syslog_sender),
	.options = options,
	.start = syslog_start,
	.writer = &writer,
	.stop = syslog_stop,
	.in_example = true,
};
