/* SPDX-License-Identifier: MIT */
/* perfdata - reads the performance data that Nagios and Icinga write into spool
 * files, as PNP4Nagios does.  Facts: see event.h and formats/perfdata/perfdata.h.
 *
 * The thread of run() does all; read() reports what it has counted. */
#include <collector/check.h>
#include <collector/kit/alloc.h>
#include <collector/kit/wait.h>
#include <collector/plugin.h>
#include <collector/serve.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "offsets.h"
#include "spool.h"

struct perfdata {
	struct mc_blocks blocks; /* struct spool_options */

	struct spool *spools;
	size_t spools_len;
	struct offsets offsets;
	int wake; /* An eventfd; 0: not made. */
};

/* --- Options -------------------------------------------------------------- */

static const struct mc_option spool_options[] = {
	{ "", MC_OPT_STRING(struct spool_options, path), .required = true,
	  .help = "The folder, or a file to which others append.",
	  .sample = "/var/spool/icinga2/perfdata" },
	{ "Name", MC_OPT_STRING(struct spool_options, name), .default_value = "spool",
	  .help = "Name in the series about the spool itself." },
	{ "Plugin", MC_OPT_STRING(struct spool_options, ingest.plugin), .default_value = "perfdata",
	  .help = "Plugin in the names of series." },
	{ "Interval", MC_OPT_TIME(struct spool_options, ingest.interval),
	  .help = "Seconds between two checks of a service; by default it is "
		  "learned from the times of its events.",
	  .min = 0.001, .max = 1e9 },
	{ "Raw", MC_OPT_BOOL(struct spool_options, ingest.raw), .default_value = "false",
	  .help = "Keep values in the units in which they come." },
	{ "Notify", MC_OPT_BOOL(struct spool_options, ingest.notify), .default_value = "false",
	  .help = "Send a notification when the hard state of a host or a "
		  "service has changed." },
	{ "MaxAge", MC_OPT_TIME(struct spool_options, ingest.max_age), .default_value = "30d",
	  .help = "Age from which events are refused; 0: no limit.", .max = 1e9 },
	{ "SpoolLimit", MC_OPT_INT(struct spool_options, limit), .default_value = "0",
	  .help = "Bytes that may wait in the folder: beyond, the oldest "
		  "files are removed unread.  0: no limit.",
	  .max = 1e15 },
	MC_QUOTA_SOURCE_OPTIONS(struct spool_options, limits, "spool", "1000000", "100000"),
	{ "IgnoreHost", MC_OPT_SELECT(struct spool_options, ingest.hosts),
	  .help = "Hosts whose events are passed over.", .sample = "/^test-/" },
	{ "IgnoreService", MC_OPT_SELECT(struct spool_options, ingest.services),
	  .help = "Services whose events are passed over; the check of a host "
		  "itself is _HOST_.",
	  .sample = "_HOST_" },
	{ "IgnoreLabel", MC_OPT_SELECT(struct spool_options, ingest.labels),
	  .help = "Labels whose values are passed over.", .sample = "size" },
	{ "IgnoreCommand", MC_OPT_SELECT(struct spool_options, ingest.commands),
	  .help = "Check commands, without their arguments, whose events are "
		  "passed over.",
	  .sample = "check_dummy" },
	{ 0 },
};
static const struct mc_block spool_block = { sizeof(struct spool_options), spool_options };

static const struct mc_option options[] = {
	{ "Spool", MC_OPT_BLOCKS(struct perfdata, blocks), .block = &spool_block,
	  .help = "A folder into which files of performance data are moved, or "
		  "a file that grows." },
	{ 0 },
};

static void check_path(struct mc_ctx *ctx, const struct spool_options *spool)
{
	struct stat status;

	if (!mc_check_host(ctx) || stat(spool->path, &status) < 0 || S_ISDIR(status.st_mode)) {
		mc_check_folder(ctx, &spool->path);
	} else if (!S_ISREG(status.st_mode)) {
		mc_check_error(ctx, &spool->path,
			       "is neither a folder nor a file; of a pipe "
			       "nothing is known after a crash: let Nagios "
			       "append to a file (service_perfdata_file_mode=a)");
	} else if (mc_check_file(ctx, &spool->path) && spool->limit > 0) {
		mc_check_warn(ctx, &spool->limit, "has no effect on a file, only on a folder");
	}
}

static void perfdata_check(struct mc_ctx *ctx)
{
	const struct perfdata *self = ctx->self;
	const struct spool_options *blocks = self->blocks.items;

	for (size_t i = 0; i < self->blocks.len; i++) {
		char key[512];

		snprintf(key, sizeof(key), "spool %s", blocks[i].path);
		mc_check_only(ctx, &blocks[i].path, key);
		check_path(ctx, &blocks[i]);
		snprintf(key, sizeof(key), "spool of %s named %s", ctx->name, blocks[i].name);
		mc_check_only(ctx, &blocks[i].name, key);
	}
}

/* --- Life ----------------------------------------------------------------- */

static void know(void *self, const struct mc_dedup_id *id)
{
	struct perfdata *perfdata = self;

	for (size_t i = 0; i < perfdata->spools_len; i++)
		spool_know(&perfdata->spools[i], id);
}

static void know_offset(void *self, const struct mc_dedup_id *id)
{
	struct perfdata *perfdata = self;

	for (size_t i = 0; i < perfdata->spools_len; i++)
		if (spool_know(&perfdata->spools[i], id))
			offsets_keep(&perfdata->offsets, i, id);
}

static int perfdata_start(struct mc_ctx *ctx)
{
	struct perfdata *self = ctx->self;
	const struct spool_options *blocks = self->blocks.items;
	int wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

	if (wake < 0)
		return mc_fail(ctx, errno, "cannot make an eventfd");
	self->wake = wake;
	self->spools = mc_alloc_array(self->blocks.len, sizeof(struct spool));
	self->spools_len = self->blocks.len;
	for (size_t i = 0; i < self->spools_len; i++)
		spool_init(&self->spools[i], ctx, &blocks[i], wake);
	offsets_load(&self->offsets, ctx, self->spools_len, know_offset, self);
	mc_each_dedup_id(ctx, know, self);
	return 0;
}

/* Waits until there is something to do, or not at all if there is. */
static int wait_for_work(struct mc_ctx *ctx, struct pollfd *fds, bool more)
{
	struct perfdata *self = ctx->self;
	mc_time due = more ? mc_now() : offsets_due(&self->offsets);
	uint64_t count;
	int rc;

	fds[0] = (struct pollfd){ self->wake, POLLIN, 0 };
	for (size_t i = 0; i < self->spools_len; i++) {
		struct spool *spool = &self->spools[i];
		mc_time next = spool_due(spool);

		fds[i + 1] = (struct pollfd){ spool->folder.inotify, POLLIN, 0 };
		due = next < due ? next : due;
	}
	rc = mc_wait(ctx, fds, self->spools_len + 1, due);
	if (rc < 0)
		return rc;
	if (read(self->wake, &count, sizeof(count)) < 0 && errno != EAGAIN)
		return -errno;
	for (size_t i = 0; i < self->spools_len; i++)
		if (fds[i + 1].revents != 0)
			spool_found(&self->spools[i]);
	return 0;
}

static void keep_offsets(struct perfdata *self)
{
	struct mc_dedup_id id;

	for (size_t i = 0; i < self->spools_len; i++)
		if (spool_safe(&self->spools[i], &id))
			offsets_set(&self->offsets, i, &id);
	offsets_save(&self->offsets, mc_now());
}

static int perfdata_run(struct mc_ctx *ctx)
{
	struct perfdata *self = ctx->self;
	struct pollfd *fds = mc_alloc_array(self->spools_len + 1, sizeof(*fds));
	bool more = true;
	int rc;

	while ((rc = wait_for_work(ctx, fds, more)) == 0) {
		more = false;
		for (size_t i = 0; i < self->spools_len; i++)
			more |= spool_work(&self->spools[i]);
		keep_offsets(self);
	}
	for (size_t i = 0; i < self->spools_len; i++)
		spool_collect(&self->spools[i]);
	keep_offsets(self);
	free(fds);
	return rc == -ECANCELED ? 0 : mc_fail(ctx, -rc, "cannot wait");
}

static int perfdata_read(struct mc_ctx *ctx, struct mc_batch *out)
{
	struct perfdata *self = ctx->self;
	int rc = 0;

	for (size_t i = 0; i < self->spools_len; i++) {
		const struct spool *spool = &self->spools[i];
		int errnum = spool->errnum;

		spool_report(spool, out, mc_wall());
		if (errnum != 0)
			rc = mc_fail(ctx, errnum, "cannot read '%s'", spool->options->path);
	}
	return rc;
}

static void perfdata_stop(struct mc_ctx *ctx)
{
	struct perfdata *self = ctx->self;

	mc_commit_cancel(ctx);
	for (size_t i = 0; i < self->spools_len; i++)
		spool_done(&self->spools[i]);
	offsets_close(&self->offsets);
	free(self->spools);
	self->spools = NULL;
	self->spools_len = 0;
	if (self->wake > 0)
		close(self->wake);
	self->wake = 0;
}

MC_PLUGIN(perfdata) = {
	MC_NAMED(perfdata),
	.help = "Reads spool files of performance data, as Nagios and Icinga "
		"write them.",
	.self_size = sizeof(struct perfdata),
	.options = options,
	.types = (const char *const[]){ "bytes", "derive", "duration", "errors", "files", "gauge",
					"percent", "total_bytes", "total_events", "total_objects",
					"total_values", NULL },
	.check = perfdata_check,
	.start = perfdata_start,
	.read = perfdata_read,
	.run = perfdata_run,
	.stop = perfdata_stop,
	.wants_journal = true,
	.lenient = true,
};
