/* SPDX-License-Identifier: MIT */
/* A plugin for tests of the daemon: hangs wherever its options say, or ends the daemon as soon as
 * it runs. */
#include <collector/plugin.h>
#include <collector/serve.h>
#include <collector/writer.h>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

struct hang {
	bool start, read, write, run, stop, end, refused;
};

/* Leaves a file "hangs" in the working directory first. */
static void hang_if(bool wanted)
{
	int fd = wanted ? creat("hangs", 0644) : -1;

	if (fd >= 0)
		close(fd);
	while (wanted)
		pause();
}

static int hang_start(struct mc_ctx *ctx)
{
	hang_if(((struct hang *)ctx->self)->start);
	return 0;
}

static int hang_read(struct mc_ctx *ctx, struct mc_batch *batch)
{
	struct hang *self = ctx->self;
	const char *type = self->refused ? "of_nobody" : "hang_depth";

	hang_if(self->read);
	mc_put_gauge(batch, 1, .type = type);
	return 0;
}

static int hang_write(struct mc_ctx *ctx, const struct mc_batch *batch)
{
	(void)batch;
	hang_if(((struct hang *)ctx->self)->write);
	return 0;
}

static int hang_run(struct mc_ctx *ctx)
{
	struct pollfd stop = { .fd = mc_stop_fd(ctx), .events = POLLIN };

	hang_if(((struct hang *)ctx->self)->run);
	if (((struct hang *)ctx->self)->end)
		kill(getpid(), SIGTERM);
	poll(&stop, 1, -1);
	return 0;
}

static void hang_stop(struct mc_ctx *ctx)
{
	hang_if(((struct hang *)ctx->self)->stop);
}

static const struct mc_option options[] = {
	{ "Start", MC_OPT_BOOL(struct hang, start), .default_value = "false",
	  .help = "At start()." },
	{ "Read", MC_OPT_BOOL(struct hang, read), .default_value = "false", .help = "In read()." },
	{ "Write", MC_OPT_BOOL(struct hang, write), .default_value = "false",
	  .help = "In write()." },
	{ "Run", MC_OPT_BOOL(struct hang, run), .default_value = "false", .help = "In run()." },
	{ "Stop", MC_OPT_BOOL(struct hang, stop), .default_value = "false", .help = "In stop()." },
	{ "End", MC_OPT_BOOL(struct hang, end), .default_value = "false",
	  .help = "No: SIGTERM as soon as it runs." },
	{ "Refused", MC_OPT_BOOL(struct hang, refused), .default_value = "false",
	  .help = "No: its samples are of a type that nobody knows." },
	{ 0 },
};

static const struct mc_type depth = {
	.name = "hang_depth",
	.unit = "fathoms",
	.help = "How deep it hangs.",
	.sources_len = 1,
	.sources = { { "value", MC_GAUGE, 0, NAN } },
};

MC_PLUGIN(hang) = {
	MC_NAMED(hang),
	.help = "Hangs.",
	.self_size = sizeof(struct hang),
	.options = options,
	.types = (const char *const[]){ "hang_depth", NULL },
	.new_types = (const struct mc_type *const[]){ &depth, NULL },
	.start = hang_start,
	.read = hang_read,
	.writer = &(const struct mc_writer){ .write = hang_write },
	.run = hang_run,
	.stop = hang_stop,
};
