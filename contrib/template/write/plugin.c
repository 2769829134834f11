/* SPDX-License-Identifier: MIT */
/* @name@:
 * appends all samples to one file, a line each of time, name and values; values
 * are rates, except for gauges.
 */
#include <collector/plugin.h>
#include <collector/writer.h>

#include <errno.h>
#include <stdio.h>

#include <collector/check.h>

struct state {
	const char *path;
	FILE *file;
};

static int open_file(struct mc_ctx *ctx)
{
	struct state *self = ctx->self;

	self->file = fopen(self->path, "ae");
	if (self->file == NULL)
		return mc_fail(ctx, errno, "cannot open '%s'", self->path);
	return 0;
}

static int write_lines(struct mc_ctx *ctx, const struct mc_batch *batch)
{
	struct state *self = ctx->self;

	MC_FOR_EACH_SAMPLE (sample, batch) {
		fprintf(self->file, "%.3f %s", (double)sample->time / 1e9, mc_name(sample->series));
		for (unsigned i = 0; i < sample->values_len; i++)
			fprintf(self->file, " %.15g", mc_rate(sample, i));
		fputc('\n', self->file);
	}
	if (fflush(self->file) != 0)
		return mc_fail(ctx, errno, "cannot write to '%s'", self->path);
	return 0;
}

static void say_where(struct mc_ctx *ctx, const char *name, char *out, size_t size)
{
	const struct state *self = ctx->self;

	(void)name; /* All series go to the same file. */
	snprintf(out, size, "%s", self->path);
}

static void close_file(struct mc_ctx *ctx)
{
	struct state *self = ctx->self;

	if (self->file != NULL)
		fclose(self->file);
}

/* Before anything is started. */
static void check(struct mc_ctx *ctx)
{
	const struct state *self = ctx->self;

	mc_check_output(ctx, &self->path);
}

static const struct mc_option options[] = {
	{ .name = "File",
	  MC_OPT_STRING(struct state, path),
	  .default_value = "samples.txt",
	  .help = "File that lines are appended to." },
	{ 0 },
};

static const struct mc_writer writer = {
	.write = write_lines,
	.where = say_where,
};

MC_PLUGIN(@name@) = {
	MC_NAMED(@name@),
	.help = "Appends samples to a file, as lines of text.",
	.self_size = sizeof(struct state),
	.options = options,
	.check = check,
	.start = open_file,
	.writer = &writer,
	.stop = close_file,
};
