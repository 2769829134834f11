/* SPDX-License-Identifier: MIT */
/* Has the options of an instance judged by its plugin. */
#include "engine/check/check.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <collector/check.h>

#include "engine/check/check_process.h"
#include "engine/context.h"
#include "formats/rrd/rrd.h"
#include "model/type.h"

/* Bytes of an RRD file for each source: one by the defaults has 144 kB. */
#define RRD_SIZE_LARGE (32 << 20)
#define RRD_SIZE_MOST 1e9
#define USUAL_INTERVAL (10 * MC_SECOND)

void check_run(struct context *context, const struct check *check)
{
	if (context->plugin->check == NULL)
		return;
	context->check = check;
	context->plugin->check(&context->ctx);
	context->check = NULL;
}

const struct check *check_of(const struct mc_ctx *ctx)
{
	assert(context_of(ctx)->check != NULL);
	return context_of(ctx)->check;
}

static void report(struct mc_ctx *ctx, bool error, const void *field, const char *fmt, va_list args)
{
	const struct check *check = check_of(ctx);
	char text[400];

	vsnprintf(text, sizeof(text), fmt, args);
	check->report(check->argument, error, field, text);
}

/* --- What plugins call ------------------------------------------------ */

void mc_check_error(struct mc_ctx *ctx, const void *field, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	report(ctx, true, field, fmt, args);
	va_end(args);
}

void mc_check_warn(struct mc_ctx *ctx, const void *field, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	report(ctx, false, field, fmt, args);
	va_end(args);
}

const struct mc_type *mc_check_type(struct mc_ctx *ctx, const char *name)
{
	return type_set_find(check_of(ctx)->types, name, strlen(name));
}

/* The rule that makes the files large. */
static void report_size(struct mc_ctx *ctx, const void *field, const struct mc_rrd_rules *rules,
			mc_time interval, double size)
{
	void (*say)(struct mc_ctx *, const void *, const char *, ...) =
		size > RRD_SIZE_MOST ? mc_check_error : mc_check_warn;
	int64_t step = rules->step > 0 ? rules->step : interval / MC_SECOND;

	if (step > 0 && rules->timespans[0] / step < rules->rows)
		say(ctx, field,
		    "makes files of %.0f MB: each archive has RRARows, %" PRId64 ", or more",
		    size / 1e6, rules->rows);
	else
		say(ctx, field,
		    "makes files of %.0f MB: the first timespan, %" PRId64
		    " s, is kept in full resolution; begin with a shorter one, such as 3600",
		    size / 1e6, rules->timespans[0]);
}

bool mc_check_timespans(struct mc_ctx *ctx, const struct mc_strings *texts,
			const struct mc_rrd_rules *others)
{
	mc_time interval = ctx->interval > 0 ? ctx->interval : USUAL_INTERVAL;
	struct mc_rrd_rules rules = *others;
	bool right = true;
	double size;

	rules.timespans = NULL;
	rules.timespans_len = 0;
	for (size_t i = 0; i < texts->len; i++) {
		if (mc_rrd_add_timespans(&rules, texts->items[i]))
			continue;
		mc_check_error(ctx, &texts->items[i], "is not a number of seconds");
		right = false;
	}
	size = mc_rrd_size(&rules, interval);
	if (right && size > RRD_SIZE_LARGE)
		report_size(ctx, &texts->items[0], &rules, interval, size);
	free(rules.timespans);
	return right && size <= RRD_SIZE_MOST;
}

bool mc_check_heartbeat(struct mc_ctx *ctx, const int64_t *field, int64_t step)
{
	if (*field == 0)
		return true;
	if (*field < step) {
		mc_check_error(ctx, field, "is less than StepSize: all values would be unknown");
		return false;
	}
	if (!mc_rrd_holds(*field, ctx->interval))
		mc_check_warn(ctx, field,
			      "is less than the interval, %g s: all values "
			      "would be unknown",
			      (double)ctx->interval / MC_SECOND);
	return true;
}

bool check_held(struct mc_ctx *ctx, const void *field, const char *what,
		const struct check_process *process)
{
	const struct check *check = check_of(ctx);
	bool collector = strcmp(process->name, CHECK_COLLECTOR) == 0;
	char who[64], text[160];

	if (!collector && strcmp(process->name, CHECK_COLLECTD) != 0)
		return false;
	if (collector && (!check->starting || process->pid == getpid()))
		return false;
	check_process_describe(process, who, sizeof(who));
	snprintf(text, sizeof(text), "%s %s", what, who);
	check->held(check->argument, field, text);
	return true;
}

bool mc_check_only(struct mc_ctx *ctx, const void *field, const char *key)
{
	const struct check *check = check_of(ctx);
	const char *owner = check->claim(check->argument, field, key);

	if (owner != NULL)
		mc_check_error(ctx, field, "is that of %s already", owner);
	return owner == NULL;
}

bool mc_check_instance(struct mc_ctx *ctx, const char *name)
{
	const struct check *check = check_of(ctx);

	return check->has_instance(check->argument, name);
}

const char *mc_check_meant(struct mc_ctx *ctx, const char *name)
{
	const struct check *check = check_of(ctx);

	return check->meant(check->argument, name);
}

/* True without an obstacle; else that is a warning, and freed. */
static bool warn_of(struct mc_ctx *ctx, const void *field, char *why)
{
	if (why == NULL)
		return true;
	mc_check_warn(ctx, field, "%s", why);
	free(why);
	return false;
}

void check_hidden(struct mc_ctx *ctx, const char *const *field, enum check_use use)
{
	const struct check *check = check_of(ctx);

	warn_of(ctx, field, check->hidden(check->argument, *field, use));
}

bool mc_check_access(struct mc_ctx *ctx, const void *field, const char *path, enum mc_access access)
{
	static const enum check_use uses[] = {
		[MC_ACCESS_READ] = CHECK_READ,
		[MC_ACCESS_WRITE] = CHECK_WRITE,
		[MC_ACCESS_CONNECT] = CHECK_CONNECT,
		[MC_ACCESS_RUN] = CHECK_RUN,
	};
	const struct check *check = check_of(ctx);

	return warn_of(ctx, field, check->hidden(check->argument, path, uses[access]));
}

bool mc_check_member(struct mc_ctx *ctx, const void *field, const char *group)
{
	const struct check *check = check_of(ctx);

	return warn_of(ctx, field, check->outside(check->argument, group));
}

bool mc_check_capabilities(struct mc_ctx *ctx, const void *field, const char *capabilities)
{
	const struct check *check = check_of(ctx);

	return warn_of(ctx, field, check->lacking(check->argument, capabilities));
}

bool mc_check_host(struct mc_ctx *ctx)
{
	return check_of(ctx)->host;
}
