/* SPDX-License-Identifier: MIT */
#include "printer.h"

#include <inttypes.h>
#include <string.h>

#include <collector/writer.h>

#include "engine/change/engine.h"

struct printer {
	FILE *out;
};

static void print_value(FILE *out, enum mc_kind kind, union mc_value value)
{
	switch (kind) {
	case MC_GAUGE:
		fprintf(out, " %.15g", value.gauge);
		break;
	case MC_DERIVE:
		fprintf(out, " %" PRId64, value.derive);
		break;
	case MC_COUNTER:
	case MC_ABSOLUTE:
		fprintf(out, " %" PRIu64, value.counter);
		break;
	}
}

static int print_batch(struct mc_ctx *ctx, const struct mc_batch *batch)
{
	static const char own[] = PRINTER_HOST "/";
	FILE *out = ((struct printer *)ctx->self)->out;

	MC_FOR_EACH_SAMPLE (sample, batch) {
		const struct mc_type *type = mc_type(sample->series);
		const char *name = mc_name(sample->series);

		if (strncmp(name, own, strlen(own)) == 0)
			name += strlen(own);
		fputs(name, out);
		for (unsigned i = 0; i < sample->values_len; i++)
			print_value(out, type->sources[i].kind, sample->values[i]);
		fputc('\n', out);
	}
	return 0;
}

static int print_notification(struct mc_ctx *ctx, const struct mc_notification *notification)
{
	FILE *out = ((struct printer *)ctx->self)->out;

	fprintf(out, "%s: %s\n", mc_severity_name(notification->severity),
		notification->message != NULL ? notification->message : "");
	return 0;
}

static const struct mc_plugin of_samples = {
	.api = MC_API,
	.name = "printer",
	.help = "Prints every sample.",
	.self_size = sizeof(struct printer),
	.writer = &(const struct mc_writer){ .write = print_batch },
};

static const struct mc_plugin of_notifications = {
	.api = MC_API,
	.name = "printer",
	.help = "Prints every notification.",
	.self_size = sizeof(struct printer),
	.writer = &(const struct mc_writer){ .notify = print_notification },
};

static void add(struct engine *engine, const struct mc_plugin *plugin, const char *name, FILE *out)
{
	struct instance *printer = engine_add(engine, plugin, name);

	((struct printer *)engine_ctx(printer)->self)->out = out;
}

void printer_of_samples(struct engine *engine, const char *name, FILE *out)
{
	add(engine, &of_samples, name, out);
}

void printer_of_notifications(struct engine *engine, const char *name, FILE *out)
{
	add(engine, &of_notifications, name, out);
}
