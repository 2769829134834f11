/* SPDX-License-Identifier: MIT */
/* Any bytes as a file of /proc, for every plugin under plugins/host/ in turn.
 * The first byte says which plugin; the rest is what it reads, in two halves
 * for two reads.  The core is played: series are counted, not kept. */
#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/timed_call.h>
#include <collector/metadata.h>
#include <collector/plugin.h>
#include <collector/private/alerts.h>
#include <collector/private/status.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

extern const struct mc_plugin mc_plugin_cpu, mc_plugin_df, mc_plugin_disk, mc_plugin_interface,
	mc_plugin_load, mc_plugin_memory, mc_plugin_swap, mc_plugin_uptime;

static const struct mc_plugin *const plugins[] = {
	&mc_plugin_cpu,  &mc_plugin_df,     &mc_plugin_disk, &mc_plugin_interface,
	&mc_plugin_load, &mc_plugin_memory, &mc_plugin_swap, &mc_plugin_uptime,
};
#define PLUGINS_LEN (sizeof(plugins) / sizeof(*plugins))

struct mc_series {
	int unused;
};

struct stage { /* After the context. */
	struct mc_ctx ctx;
	const struct mc_plugin *plugin;
	char *text; /* Given to mc_read_file(): a fresh copy each time. */
	const uint8_t *data;
	size_t size;
	long holds;
	struct mc_series series;
};

struct mc_batch {
	struct stage *stage;
};

struct mc_series *mc_series(struct mc_batch *batch, struct mc_id id)
{
	const char *const *type = batch->stage->plugin->types;

	assert(id.type != NULL);
	while (*type != NULL && strcmp(*type, id.type) != 0)
		type++;
	assert(*type != NULL);
	assert(id.plugin_instance == NULL || strlen(id.plugin_instance) < 128);
	assert(id.type_instance == NULL || id.type_instance[0] != '\0');
	return &batch->stage->series;
}

/* The stage of a series, which is a part of it. */
static struct stage *stage_of(struct mc_series *series)
{
	return (struct stage *)((char *)series - offsetof(struct stage, series));
}

struct mc_series *mc_hold(struct mc_series *series)
{
	stage_of(series)->holds++;
	return series;
}

void mc_release(struct mc_series *series)
{
	if (series != NULL)
		stage_of(series)->holds--;
}

void mc_put(struct mc_batch *batch, struct mc_series *series, const union mc_value *values,
	    unsigned values_len)
{
	(void)values;
	assert(series == &batch->stage->series && values_len > 0);
}

void mc_gauge(struct mc_batch *batch, struct mc_series *series, double level)
{
	(void)level;
	assert(series == &batch->stage->series);
}

void mc_derive(struct mc_batch *batch, struct mc_series *series, int64_t total)
{
	(void)total;
	assert(series == &batch->stage->series);
}

void mc_set_metadata(struct mc_batch *batch, struct mc_series *series, unsigned source,
		     const struct mc_metadata *metadata)
{
	(void)batch, (void)series, (void)source;
	for (size_t i = 0; i < metadata->attributes_len; i++)
		assert(strlen(metadata->attributes[i].value) < SIZE_MAX);
}

bool mc_selected(const struct mc_select *select, bool ignore, const char *name)
{
	(void)select;
	(void)ignore;
	assert(name != NULL);
	return true;
}

void mc_log(struct mc_ctx *ctx, enum mc_level level, const char *fmt, ...)
{
	(void)ctx;
	(void)level;
	(void)fmt;
}

int mc_fail(struct mc_ctx *ctx, int errnum, const char *fmt, ...)
{
	(void)ctx;
	(void)fmt;
	assert(errnum >= 0);
	return errnum > 0 ? -errnum : -EINVAL;
}

ssize_t mc_read_file(struct mc_ctx *ctx, const char *path, char **text)
{
	struct stage *stage = (struct stage *)ctx;

	assert(path[0] == '/');
	free(stage->text);
	stage->text = malloc(stage->size + 1);
	assert(stage->text != NULL);
	memcpy(stage->text, stage->data, stage->size);
	stage->text[stage->size] = '\0';
	*text = stage->text;
	return (ssize_t)stage->size;
}

ssize_t mc_read_optional(struct mc_ctx *ctx, const char *path, char **text)
{
	return mc_read_file(ctx, path, text);
}

const char *mc_path(struct mc_ctx *ctx, const char *path, char *out, size_t size)
{
	(void)ctx;
	assert(path[0] == '/');
	snprintf(out, size, "/");
	return out;
}

void mc_status(struct mc_ctx *ctx, struct mc_status *out)
{
	(void)ctx;
	*out = (struct mc_status){ .rules = 1 };
}

mc_time mc_now(void)
{
	return 1;
}

void mc_stand(struct mc_ctx *ctx, const struct mc_standing *standing)
{
	(void)ctx;
	assert(standing->reason != NULL && standing->id.plugin_instance != NULL);
}

int mc_timed_call(struct mc_ctx *ctx, mc_time limit, int (*call)(void *argument), void *argument)
{
	(void)ctx;
	assert(limit > 0);
	return call(argument);
}

/* Everything on that can be on: more is read and reported. */
static void configure(const struct stage *stage, bool on)
{
	const struct mc_option *option = stage->plugin->options;

	for (; option != NULL && option->name != NULL; option++) {
		bool *field = (bool *)((char *)stage->ctx.self + option->offset);

		if (option->type == MC_BOOL)
			*field = on;
	}
}

static void run(struct stage *stage, const uint8_t *data, size_t size, bool on)
{
	struct mc_batch batch = { stage };
	size_t half = size / 2;

	stage->ctx.self = calloc(1, stage->plugin->self_size + 1);
	assert(stage->ctx.self != NULL);
	configure(stage, on);
	stage->data = data;
	stage->size = half;
	stage->plugin->read(&stage->ctx, &batch);
	stage->data = data + half;
	stage->size = size - half;
	stage->plugin->read(&stage->ctx, &batch);
	if (stage->plugin->stop != NULL)
		stage->plugin->stop(&stage->ctx);
	free(stage->ctx.self);
	assert(stage->holds == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct stage stage = { .ctx.interval = 10 * MC_SECOND };

	if (size < 1)
		return 0;
	stage.plugin = plugins[data[0] % PLUGINS_LEN];
	run(&stage, data + 1, size - 1, true);
	run(&stage, data + 1, size - 1, false);
	free(stage.text);
	return 0;
}
