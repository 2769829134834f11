/* SPDX-License-Identifier: MIT */
/* tail: numbers out of the lines of log files, by regular expressions
 * (collectd.conf(5), "Plugin tail"). */
#include <collector/plugin.h>

#include <errno.h>
#include <limits.h>
#include <string.h>

#include <collector/check.h>
#include <collector/kit/wait.h>

#include "kit/base/match/match.h"

#include "follow.h"

struct file {
	const char *path, *plugin, *instance;
	mc_time interval;
	struct mc_blocks matches; /* mc_match_block */
	struct follow follow;
	struct mc_every every;
	mc_time last; /* Read. */
	int failure;  /* Negative errno of the last read, or 0. */
	bool logged_skipped;
};

struct tail {
	struct mc_blocks files;
};

static void take_line(void *argument, const char *line, size_t size)
{
	const struct file *file = argument;

	mc_match_take(&file->matches, line, size);
}

static void read_one(struct mc_ctx *ctx, struct mc_batch *out, struct file *file)
{
	mc_time now = mc_now();
	struct mc_match_target to = {
		.ctx = ctx,
		.batch = out,
		.plugin = file->plugin,
		.plugin_instance = file->instance,
		.stamp = { .interval = file->interval > 0 ? file->interval : ctx->interval },
		.elapsed = file->last > 0 ? now - file->last : 0,
	};
	char path[PATH_MAX];

	file->failure =
		follow_read(&file->follow, mc_path(ctx, file->path, path, sizeof(path)),
			    now + ctx->interval / 2, &(struct follow_lines){ take_line, file });
	if (file->follow.skipped > 0 && !file->logged_skipped)
		mc_log(ctx, MC_WARN,
		       "lines of '%s' that are longer than %d bytes are "
		       "skipped",
		       file->path, FOLLOW_LINE_MAX);
	file->logged_skipped |= file->follow.skipped > 0;
	mc_match_tell(ctx, &file->matches, "a line of", file->path);
	to.stamp.time = mc_wall();
	if (file->follow.open) /* Zero lines are not the same as no file. */
		mc_match_put(&to, &file->matches);
	file->last = now;
}

/* All that cannot be read, also those that are not due: else the report would change with each
 * read.  -EAGAIN: the others are not read later because of them. */
static int report_failures(struct mc_ctx *ctx, const struct tail *self)
{
	const struct file *files = self->files.items;
	int rc = 0;

	for (size_t i = 0; i < self->files.len; i++)
		if (files[i].failure < 0)
			rc = mc_fail(ctx, EAGAIN, "cannot read '%s': %s", files[i].path,
				     strerror(-files[i].failure));
	return rc;
}

static int tail_read(struct mc_ctx *ctx, struct mc_batch *out)
{
	struct tail *self = ctx->self;
	struct file *files = self->files.items;
	mc_time now = mc_now();

	for (size_t i = 0; i < self->files.len; i++) {
		/* A read that comes a moment early counts as in time. */
		if (!mc_every_due(&files[i].every, now + ctx->interval / 2))
			continue;
		mc_every_done(&files[i].every, now);
		read_one(ctx, out, &files[i]);
	}
	return report_failures(ctx, self);
}

/* --- The beginning and the end -------------------------------------------- */

static int tail_start(struct mc_ctx *ctx)
{
	struct tail *self = ctx->self;
	struct file *files = self->files.items;
	int rc = 0;

	for (size_t i = 0; i < self->files.len && rc == 0; i++) {
		files[i].every.period = files[i].interval;
		rc = mc_match_start(ctx, &files[i].matches);
	}
	return rc;
}

static void tail_stop(struct mc_ctx *ctx)
{
	struct tail *self = ctx->self;
	struct file *files = self->files.items;

	for (size_t i = 0; i < self->files.len; i++) {
		follow_done(&files[i].follow);
		mc_match_stop(&files[i].matches);
	}
}

/* --- The options ---------------------------------------------------------- */

static void tail_check(struct mc_ctx *ctx)
{
	const struct tail *self = ctx->self;
	const struct file *files = self->files.items;

	for (size_t i = 0; i < self->files.len; i++) {
		if (files[i].interval > 0 && files[i].interval < ctx->interval)
			mc_check_warn(ctx, &files[i].interval,
				      "is shorter than the interval of the "
				      "plugin, which counts");
		mc_match_check(ctx, &files[i].matches);
		if (mc_check_host(ctx))
			mc_check_access(ctx, &files[i].path, files[i].path, MC_ACCESS_READ);
	}
}

static const struct mc_option file_options[] = {
	{ .name = "",
	  MC_OPT_STRING(struct file, path),
	  .required = true,
	  .sample = "/var/log/mail.log",
	  .help = "Path of the log file." },
	{ .name = "Plugin",
	  MC_OPT_STRING(struct file, plugin),
	  .sample = "mail",
	  .help = "Plugin in the names of the series; without it, tail." },
	{ .name = "Instance",
	  MC_OPT_STRING(struct file, instance),
	  .sample = "exim",
	  .help = "Plugin instance of the series." },
	{ .name = "Interval",
	  MC_OPT_TIME(struct file, interval),
	  .sample = "60",
	  .help = "Seconds between two reads of the file, in steps of the "
		  "plugin's interval." },
	{ .name = "Match",
	  MC_OPT_BLOCKS(struct file, matches),
	  .block = &mc_match_block,
	  .help = "A value to make of the lines." },
	{ 0 }
};

static const struct mc_option options[] = {
	{ .name = "File",
	  MC_OPT_BLOCKS(struct tail, files),
	  .block = &(const struct mc_block){ .size = sizeof(struct file), .options = file_options },
	  .help = "A log file." },
	{ 0 }
};

MC_PLUGIN(tail) = {
	MC_NAMED(tail),
	.help = "Reads numbers from the new lines of log files.",
	.self_size = sizeof(struct tail),
	.options = options,
	.types = (const char *const[]){ "bucket", "counter", "gauge", NULL },
	.check = tail_check,
	.start = tail_start,
	.read = tail_read,
	.stop = tail_stop,
};
