/* SPDX-License-Identifier: MIT */
/* ledger: a durable writer that takes the batches of 'numbers' down: a line with each number and
 * how many samples had it.  As long as a file is there it asks for them to be offered again. */
#include <collector/plugin.h>
#include <collector/writer.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct ledger {
	const char *path, *stall;
	int file;
};

static int ledger_start(struct mc_ctx *ctx)
{
	struct ledger *self = ctx->self;

	self->file = open(self->path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (self->file < 0)
		return mc_fail(ctx, errno, "cannot open '%s'", self->path);
	return 0;
}

struct count { /* Samples that follow each other and have one number. */
	int64_t number, samples;
};

static bool take_down(const struct ledger *self, const struct count *count)
{
	char line[64];
	int size = snprintf(line, sizeof(line), "%lld %lld\n", (long long)count->number,
			    (long long)count->samples);

	return count->samples == 0 || write(self->file, line, size) == size;
}

/* Batches may have been merged on their way. */
static int ledger_write(struct mc_ctx *ctx, const struct mc_batch *batch)
{
	struct ledger *self = ctx->self;
	struct count count = { 0 };

	if (self->stall != NULL && access(self->stall, F_OK) == 0)
		return mc_fail(ctx, EAGAIN, "told to wait");
	MC_FOR_EACH_SAMPLE (sample, batch) {
		int64_t number = sample->values[0].derive;

		if (strcmp(mc_plugin(sample->series), "numbers") != 0)
			continue;
		if (count.samples > 0 && number != count.number) {
			if (!take_down(self, &count))
				break;
			count.samples = 0;
		}
		count.number = number;
		count.samples++;
	}
	if (!take_down(self, &count))
		return mc_fail(ctx, errno, "cannot write '%s'", self->path);
	return 0;
}

static const struct mc_option options[] = {
	{ .name = "File",
	  MC_OPT_STRING(struct ledger, path),
	  .help = "File of the batches that came.",
	  .required = true },
	{ .name = "Stall",
	  MC_OPT_STRING(struct ledger, stall),
	  .help = "While this file is there nothing is taken." },
	{ 0 }
};

MC_PLUGIN(ledger) = {
	MC_NAMED(ledger),
	.help = "takes numbered batches down",
	.self_size = sizeof(struct ledger),
	.options = options,
	.start = ledger_start,
	.writer = &(const struct mc_writer){ .write = ledger_write, .durable = true },
	.wants_journal = true,
};
