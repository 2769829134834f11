/* SPDX-License-Identifier: MIT */
/* numbers: a source that numbers its batches.  All samples of a batch have its number, and every
 * number that was acknowledged is a line of a file, so that what is missing elsewhere is known to
 * be lost.  It goes on with the numbers after those in the file. */
#include <collector/plugin.h>
#include <collector/serve.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct numbers {
	int64_t series, pause;
	bool trust;
	const char *path, *hold;
	int file;
	int64_t number;
};

/* The file ends with its last number. */
static int64_t last_number(int file)
{
	char text[32] = "";
	off_t size = lseek(file, 0, SEEK_END);
	off_t from = size > 24 ? size - 24 : 0;
	ssize_t got = pread(file, text, sizeof(text) - 1, from);
	char *line;

	if (got <= 1)
		return 0;
	text[got - 1] = '\0';
	line = strrchr(text, '\n');
	return strtoll(line != NULL ? line + 1 : text, NULL, 10);
}

static int numbers_start(struct mc_ctx *ctx)
{
	struct numbers *self = ctx->self;

	self->file = open(self->path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (self->file < 0)
		return mc_fail(ctx, errno, "cannot open '%s'", self->path);
	/* One more may be under way without having been acknowledged. */
	self->number = last_number(self->file) + 1;
	return 0;
}

static struct mc_batch *fill(struct mc_ctx *ctx, struct numbers *self)
{
	struct mc_batch *batch = mc_begin(ctx);
	char name[32];

	self->number++;
	for (int64_t i = 0; i < self->series; i++) {
		snprintf(name, sizeof(name), "%lld", (long long)i);
		mc_put_derive(batch, self->number, .type = "derive", .type_instance = name);
	}
	return batch;
}

static int numbers_run(struct mc_ctx *ctx)
{
	struct numbers *self = ctx->self;
	struct pollfd stop = { .fd = mc_stop_fd(ctx), .events = POLLIN };

	while (poll(&stop, 1, self->pause) == 0) {
		char line[32];
		int rc, size;

		if (self->hold != NULL && access(self->hold, F_OK) == 0)
			continue;
		rc = mc_commit_safely(fill(ctx, self), 2 * MC_SECOND);
		if (rc < 0 && !(self->trust && rc == -ENOTSUP))
			continue;
		size = snprintf(line, sizeof(line), "%lld\n", (long long)self->number);
		if (write(self->file, line, size) != size)
			return mc_fail(ctx, errno, "cannot write '%s'", self->path);
	}
	return 0;
}

static const struct mc_option options[] = {
	{ .name = "Series",
	  MC_OPT_INT(struct numbers, series),
	  .default_value = "100",
	  .help = "Number of samples in a batch.",
	  .min = 1,
	  .max = 1e6 },
	{ .name = "Pause",
	  MC_OPT_INT(struct numbers, pause),
	  .default_value = "20",
	  .help = "Milliseconds between two batches.",
	  .min = 1,
	  .max = 1e6 },
	{ .name = "File",
	  MC_OPT_STRING(struct numbers, path),
	  .help = "File of the numbers that were acknowledged.",
	  .required = true },
	{ .name = "Hold",
	  MC_OPT_STRING(struct numbers, hold),
	  .help = "While this file is there nothing is made." },
	{ .name = "Trust",
	  MC_OPT_BOOL(struct numbers, trust),
	  .default_value = "false",
	  .help = "Whether a commit without a journal counts as well." },
	{ 0 }
};

MC_PLUGIN(numbers) = {
	MC_NAMED(numbers),
	.help = "makes numbered batches",
	.self_size = sizeof(struct numbers),
	.options = options,
	.types = (const char *const[]){ "derive", NULL },
	.start = numbers_start,
	.run = numbers_run,
};
