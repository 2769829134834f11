/* SPDX-License-Identifier: MIT */
/* blocked: a writer that takes nothing until somebody writes to its FIFO. */
#include <collector/plugin.h>
#include <collector/writer.h>

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

struct blocked {
	const char *path;
};

static int blocked_write(struct mc_ctx *ctx, const struct mc_batch *batch)
{
	struct blocked *self = ctx->self;
	int fd = open(self->path, O_RDONLY | O_CLOEXEC);

	(void)batch;
	if (fd < 0)
		return mc_fail(ctx, errno, "cannot open '%s'", self->path);
	close(fd);
	return 0;
}

static const struct mc_option options[] = {
	{ .name = "Path",
	  MC_OPT_STRING(struct blocked, path),
	  .help = "FIFO to open in every write.",
	  .required = true },
	{ 0 },
};

MC_PLUGIN(blocked) = {
	MC_NAMED(blocked),
	.help = "hangs in open(2)",
	.self_size = sizeof(struct blocked),
	.options = options,
	.writer = &(const struct mc_writer){ .write = blocked_write },
};
