/* SPDX-License-Identifier: MIT */
/* write_log - values as lines of the log, to look at what a configuration measures.
 *
 * Options as in collectd.conf(5), "Plugin write_log"; lines as collectd 5.12 writes them, but each
 * is a message of its own. */
#include <collector/kit/buffer.h>
#include <collector/plugin.h>
#include <collector/print.h>
#include <collector/writer.h>

#include "formats/graphite/graphite_path.h"
#include "kit/series/value_list_of.h"

enum format { FORMAT_GRAPHITE, FORMAT_JSON };

struct write_log {
	int format; /* enum format */
	struct mc_buffer text;
};

static const struct mc_option options[] = {
	{ "Format", MC_OPT_WORD(struct write_log, format), .default_value = "Graphite",
	  .words = (const char *const[]){ "Graphite", "JSON", NULL },
	  .help = "Graphite: a line for each source; JSON: collectd's list of one value list.",
	  .sample = "JSON" },
	{ 0 }
};

static void add_time(struct mc_buffer *out, mc_time time)
{
	char text[MC_PRINT_SIZE];

	mc_buffer_add(out, text, mc_print_i64(text, (time + MC_SECOND / 2) / MC_SECOND));
}

static void log_lines(struct mc_ctx *ctx, const struct mc_value_list *list)
{
	static const struct mc_graphite_options path = { .escape = "_" };
	struct write_log *self = ctx->self;
	const struct mc_type *type = list->type;

	for (unsigned i = 0; i < type->sources_len; i++) {
		mc_buffer_clear(&self->text);
		mc_graphite_path(&self->text, &path, &list->id,
				 type->sources_len > 1 ? type->sources[i].name : NULL);
		mc_buffer_add(&self->text, " ", 1);
		mc_value_list_number(&self->text, list, i, false);
		mc_buffer_add(&self->text, " ", 1);
		add_time(&self->text, list->time);
		mc_log(ctx, MC_INFO, "%s", self->text.at);
	}
}

static void log_json(struct mc_ctx *ctx, const struct mc_value_list *list)
{
	struct write_log *self = ctx->self;

	mc_buffer_clear(&self->text);
	mc_value_list_json(&self->text, list, false);
	mc_log(ctx, MC_INFO, "[%s]", self->text.at);
}

static int write_log_write(struct mc_ctx *ctx, const struct mc_batch *batch)
{
	const struct write_log *self = ctx->self;

	MC_FOR_EACH_SAMPLE (sample, batch) {
		const struct mc_value_list list = mc_value_list_of(sample);

		if (self->format == FORMAT_JSON)
			log_json(ctx, &list);
		else
			log_lines(ctx, &list);
	}
	return 0;
}

static void write_log_stop(struct mc_ctx *ctx)
{
	struct write_log *self = ctx->self;

	mc_buffer_free(&self->text);
}

static const struct mc_writer writer = { .write = write_log_write };

MC_PLUGIN(write_log) = {
	MC_NAMED(write_log),
	.help = "Writes values to the log, as messages of level info.",
	.self_size = sizeof(struct write_log),
	.options = options,
	.writer = &writer,
	.stop = write_log_stop,
};
