/* SPDX-License-Identifier: MIT */
/* Lines "PATH NUMBER TIME", of which any bytes are a path, put by templates: what is remembered
 * stays within its limit, and each series that was held is released. */
#include "kit/series/paths.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include <collector/check.h>
#include <collector/metadata.h>
#include <collector/private/alerts.h>
#include <collector/writer.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LIMIT = 4, MEAN = 256 };

/* --- In place of the core ------------------------------------------------- */

static struct {
	mc_time now;
	unsigned held, put;
} core;

static char batch;

const char *mc_name(const struct mc_series *series)
{
	(void)series;
	return "host/plugin-service/gauge-state";
}

const char *mc_host(const struct mc_series *series)
{
	(void)series;
	return "host";
}

const char *mc_plugin(const struct mc_series *series)
{
	(void)series;
	return "plugin";
}

const char *mc_plugin_instance(const struct mc_series *series)
{
	(void)series;
	return "service";
}

void mc_stand(struct mc_ctx *ctx, const struct mc_standing *standing)
{
	(void)ctx;
	assert(standing->reason != NULL && strcmp(standing->id.plugin_instance, "service") == 0);
}

double mc_timeout(const struct mc_ctx *ctx)
{
	(void)ctx;
	return 2;
}

mc_time mc_now(void)
{
	return core.now;
}

mc_time mc_wall(void)
{
	return 1700000000 * MC_SECOND + core.now;
}

/* A name that the store takes has a type, and its parts fit. */
struct mc_series *mc_series(struct mc_batch *of, struct mc_id id)
{
	assert((void *)of == &batch && id.type != NULL && id.type[0] != '\0');
	assert(id.host == NULL || strlen(id.host) < MC_NAME_PART_SIZE);
	assert(id.type_instance == NULL || strlen(id.type_instance) < MC_NAME_PART_SIZE);
	return strcmp(id.type, "refused") != 0 ? (struct mc_series *)of : NULL;
}

struct mc_series *mc_hold(struct mc_series *series)
{
	core.held++;
	return series;
}

void mc_release(struct mc_series *series)
{
	(void)series;
	assert(core.held > 0);
	core.held--;
}

void mc_put_at(struct mc_batch *of, struct mc_series *series, struct mc_stamp stamp,
	       const union mc_value *values, unsigned values_len)
{
	assert((void *)of == &batch && series != NULL && values != NULL && values_len == 1);
	assert(stamp.interval > 0 && stamp.time <= mc_wall() + MC_AHEAD_MAX);
	core.put++;
}

void mc_set_limit(struct mc_batch *of, struct mc_series *series, unsigned source,
		  enum mc_limit limit, double value)
{
	assert((void *)of == &batch && series != NULL && source == 0);
	assert(limit != MC_LIMIT_NONE && isfinite(value));
	core.put++;
}

const struct mc_type *mc_type_find(struct mc_ctx *ctx, const char *name)
{
	static const struct mc_type derive = {
		.name = "derive",
		.sources_len = 1,
		.sources = { { "value", MC_DERIVE, 0, NAN } },
	};

	(void)ctx;
	return strcmp(name, derive.name) == 0 ? &derive : NULL;
}

int mc_fail(struct mc_ctx *ctx, int errnum, const char *fmt, ...)
{
	(void)ctx;
	(void)errnum;
	(void)fmt;
	return -1;
}

void mc_check_error(struct mc_ctx *ctx, const void *field, const char *fmt, ...)
{
	(void)ctx;
	(void)field;
	(void)fmt;
}

/* --- Paths ---------------------------------------------------------------- */

/* The path is all of a line but its first byte, which says the number and the time. */
static void put_line(struct mc_paths *paths, const uint8_t *line, size_t size)
{
	const struct mc_point point = {
		.path = (const char *)line + 1,
		.size = size - 1,
		.time = (line[0] & 8) != 0 ? mc_wall() + (line[0] - 64) * 3600 * MC_SECOND : 0,
		.number = (line[0] & 3) == 0 ? NAN : line[0],
		.is_whole = (line[0] & 4) != 0,
		.whole = line[0],
	};
	unsigned put = core.put;
	enum mc_point_result result = mc_paths_put(paths, &point);

	assert((result == MC_POINT_TAKEN) == (core.put == put + 1));
	assert(mc_paths_len(paths) == core.held && core.held <= LIMIT);
	assert(mc_paths_size(paths) <= LIMIT * MEAN || core.held <= 1);
	core.now += line[0] * MC_SECOND;
	if (line[0] % 16 == 15)
		mc_paths_sweep(paths);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const templates[] = {
		"a.*.** host.plugin.type_instance* type=derive",
		"b.** skip.type* interval=10",
		"c.** skip.type* limit=warning",
		"d.s.** skip.skip.type* check=state",
		"d.t.** skip.skip.type* check=state_type",
	};
	const struct mc_paths_options options = {
		.templates = { templates, 5 },
		.interval = 10 * MC_SECOND,
		.limit = LIMIT,
	};
	struct mc_paths *paths;
	int rc = 0;

	memset(&core, 0, sizeof(core));
	paths = mc_paths_new(NULL, &options, &rc);
	assert(paths != NULL);
	mc_paths_begin(paths, (struct mc_batch *)&batch);
	for (size_t at = 0; at < size;) {
		const uint8_t *newline = memchr(data + at, '\n', size - at);
		size_t line_size = (size_t)((newline != NULL ? newline : data + size) - data) - at;

		if (line_size > 0)
			put_line(paths, data + at, line_size);
		at += line_size + 1;
	}
	mc_paths_free(paths);
	assert(core.held == 0);
	return 0;
}
