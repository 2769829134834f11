/* SPDX-License-Identifier: MIT */
/* stuck: a reader that hangs in open(2) of a FIFO nobody writes to; or, given
 * no Path, one that writes down when it was called. */
#include <collector/plugin.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

struct stuck {
	const char *path, *diary;
	FILE *file;
};

static int stuck_start(struct mc_ctx *ctx)
{
	struct stuck *self = ctx->self;

	if (self->diary == NULL)
		return 0;
	self->file = fopen(self->diary, "ae");
	if (self->file == NULL)
		return mc_fail(ctx, errno, "cannot open '%s'", self->diary);
	setvbuf(self->file, NULL, _IOLBF, BUFSIZ);
	return 0;
}

static int stuck_read(struct mc_ctx *ctx, struct mc_batch *out)
{
	struct stuck *self = ctx->self;
	struct timespec now;

	if (self->path != NULL) {
		int fd = open(self->path, O_RDONLY | O_CLOEXEC);

		if (fd < 0)
			return mc_fail(ctx, errno, "cannot open '%s'", self->path);
		close(fd);
	}
	clock_gettime(CLOCK_MONOTONIC, &now);
	if (self->file != NULL)
		fprintf(self->file, "%lld.%09ld\n", (long long)now.tv_sec, now.tv_nsec);
	mc_put_gauge(out, 1, .plugin = "stuck", .plugin_instance = ctx->name, .type = "gauge");
	return 0;
}

static void stuck_stop(struct mc_ctx *ctx)
{
	struct stuck *self = ctx->self;

	if (self->file != NULL)
		fclose(self->file);
}

static const struct mc_option options[] = {
	{ .name = "Path",
	  MC_OPT_STRING(struct stuck, path),
	  .help = "FIFO to open in every read." },
	{ .name = "Diary",
	  MC_OPT_STRING(struct stuck, diary),
	  .help = "File that gets the time of every read." },
	{ 0 },
};

MC_PLUGIN(stuck) = {
	MC_NAMED(stuck),
	.help = "hangs in open(2)",
	.self_size = sizeof(struct stuck),
	.options = options,
	.types = (const char *const[]){ "gauge", NULL },
	.start = stuck_start,
	.read = stuck_read,
	.stop = stuck_stop,
};
