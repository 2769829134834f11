/* SPDX-License-Identifier: MIT */
/* Facts: Graphite's manual, "The Render URL API". */
#include "render.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/history.h>
#include <collector/kit/alloc.h>

#include "answer.h"
#include "curve.h"
#include "history.h"
#include "parameters.h"
#include "paths.h"
#include "pattern.h"
#include "period.h"
#include "web.h"

#define CURVES_MAX 4096              /* Of one answer. */
#define VALUES_MAX (2 * 1000 * 1000) /* Of all of them. */
#define TARGETS_MAX 128
#define DAY 86400

struct match { /* A path that a pattern stands for. */
	char *path, *series;
	unsigned source;
};

struct render {
	struct mc_ctx *ctx;
	int64_t from, until; /* Seconds since 1970. */
	unsigned points;
	struct curve_source source;
	mc_time start, step; /* Of all curves; step 0: not known yet. */
	unsigned curves;
	mc_time end; /* Monotonic: then it takes too long. */
	const char *why;
	unsigned status; /* Of that. */

	/* Of the pattern that is being looked for. */
	struct pattern glob;
	struct match *matches;
	unsigned len, room;
};

/* --- Paths --------------------------------------------------------------- */

static bool keep(void *argument, const struct paths_one *one)
{
	struct render *render = argument;

	if (!pattern_matches(&render->glob, one->path))
		return true;
	if (render->curves + render->len == CURVES_MAX) {
		render->why = "too many series match";
		return false;
	}
	MC_ARRAY_GROW(render->matches, render->len, render->room);
	render->matches[render->len++] =
		(struct match){ mc_alloc_copy(one->path), mc_alloc_copy(one->series), one->source };
	return true;
}

static void forget(struct render *render)
{
	for (unsigned i = 0; i < render->len; i++) {
		free(render->matches[i].path);
		free(render->matches[i].series);
	}
	render->len = 0;
}

static int by_path(const void *a, const void *b)
{
	const struct match *left = a, *right = b;

	return strcmp(left->path, right->path);
}

/* --- Values -------------------------------------------------------------- */

/* The first one decides about the step of all.  Whole seconds. */
static struct mc_history *get_history(struct render *render, const char *name)
{
	struct mc_span span = { render->from * MC_SECOND, render->until * MC_SECOND, render->step,
				render->points };
	struct mc_history *history;
	char why[MC_HISTORY_WHY];

	mc_history(render->ctx, name, span, &history, why);
	if (history != NULL && history->step % MC_SECOND != 0) {
		span.step = (history->step / MC_SECOND + 1) * MC_SECOND;
		mc_history_free(history);
		mc_history(render->ctx, name, span, &history, why);
	}
	if (history != NULL && render->step == 0) {
		render->step = history->step;
		render->start = history->start;
		render->source.step = (double)history->step / (double)MC_SECOND;
		render->source.len = history->points_len;
	}
	return history;
}

static struct curve *get_curve(struct render *render, const char *pattern,
			       const struct match *match)
{
	struct mc_history *history = get_history(render, match->series);
	const struct mc_history_point *points;
	struct curve *curve;

	if (history == NULL)
		return NULL;
	curve = curve_new(match->path, pattern, match->path, render->source.len);
	points = mc_history_points(history, match->source);
	for (unsigned i = 0; i < curve->len; i++)
		curve->values[i] = i < history->points_len ? points[i].average : NAN;
	mc_history_free(history);
	return curve;
}

static void check_limits(struct render *render)
{
	if ((render->curves + 1) * (uint64_t)render->source.len > VALUES_MAX)
		render->why = "too many values: ask for fewer series or with "
			      "maxDataPoints";
	if (mc_now() >= render->end || mc_stopping(render->ctx)) {
		render->why = "the files of the series do not come in time";
		render->status = 503;
	}
}

static struct curve *fetch(void *argument, const char *pattern)
{
	struct render *render = argument;
	struct curve *first = NULL, **end = &first;

	if (!pattern_init(&render->glob, pattern)) {
		render->why = "a pattern has too much in it";
		return NULL;
	}
	paths_each(render->ctx, pattern, keep, render);
	pattern_done(&render->glob);
	if (render->len > 0)
		qsort(render->matches, render->len, sizeof(struct match), by_path);
	for (unsigned i = 0; i < render->len; i++) {
		check_limits(render);
		if (render->why != NULL)
			break;
		*end = get_curve(render, pattern, &render->matches[i]);
		render->curves++;
		if (*end != NULL)
			end = &(*end)->next;
	}
	forget(render);
	return first;
}

/* --- The answer ---------------------------------------------------------- */

static void print_curve(struct mc_json *json, const struct render *render,
			const struct curve *curve)
{
	mc_time start = render->start, step = render->step;

	if (step == 0) { /* A line that no series is beside. */
		step = (render->until - render->from) * MC_SECOND / 2;
		start = render->from * MC_SECOND - step;
	}
	mc_json_map(json, NULL);
	mc_json_text(json, "target", curve->name);
	mc_json_map(json, "tags");
	mc_json_text(json, "name", curve->metric);
	mc_json_map_end(json);
	mc_json_list(json, "datapoints");
	for (unsigned i = 0; i < curve->len; i++) {
		mc_json_list(json, NULL);
		mc_json_number(json, NULL, curve->values[i]);
		/* A sample is of what was before it. */
		mc_json_signed(json, NULL, (start + (i + 1) * step) / MC_SECOND);
		mc_json_list_end(json);
	}
	mc_json_list_end(json);
	mc_json_map_end(json);
}

static void answer_target(struct render *render, struct mc_json *json, const char *target)
{
	struct expression *expression = expression_parse(target, &render->why);
	struct curve *curves = NULL;

	if (expression != NULL)
		curves = curve_evaluate(expression, &render->source, &render->why);
	for (const struct curve *c = curves; c != NULL; c = c->next)
		if (render->why == NULL)
			print_curve(json, render, c);
	curve_free(curves);
	expression_free(expression);
}

static void answer_targets(struct render *render, const struct parameters *parameters,
			   struct mc_httpd_request *request)
{
	struct mc_json *json = mc_json_new(false);
	const char *target, *bytes;
	size_t size;

	mc_json_list(json, NULL);
	for (unsigned i = 0; render->why == NULL && i < TARGETS_MAX; i++) {
		target = parameters_get(parameters, "target", i);
		if (target == NULL)
			break;
		answer_target(render, json, target);
	}
	mc_json_list_end(json);
	bytes = mc_json_bytes(json, &size);
	if (render->why == NULL)
		answer_bytes(request, "application/json", bytes, size);
	else
		answer_refuse(request, render->status, render->why);
	mc_json_free(json);
}

static const char *read_span(struct render *render, const struct parameters *parameters)
{
	int64_t now = mc_wall() / MC_SECOND;
	const char *from = parameters_get(parameters, "from", 0);
	const char *until = parameters_get(parameters, "until", 0);
	const char *points = parameters_get(parameters, "maxDataPoints", 0);
	const char *format = parameters_get(parameters, "format", 0);
	long number = points != NULL ? strtol(points, NULL, 10) : MC_HISTORY_POINTS;

	render->from = now - DAY;
	render->until = now;
	if (format != NULL && strcmp(format, "json") != 0)
		return "only format=json is here";
	if ((from != NULL && !period_read(from, now, &render->from)) ||
	    (until != NULL && !period_read(until, now, &render->until)))
		return "from and until are seconds since 1970, or such as -6h";
	if (render->until <= render->from)
		return "'until' is not after 'from'";
	if (number < 1)
		return "maxDataPoints is not a number above 0";
	render->points = number < MC_HISTORY_POINTS ? (unsigned)number : MC_HISTORY_POINTS;
	return NULL;
}

void render_answer(struct mc_httpd_request *request)
{
	struct render render = { .ctx = web_ctx(request),
				 .end = mc_now() + HISTORY_TIME,
				 .status = 400 };
	struct parameters parameters;

	if (!parameters_init(&parameters, request))
		return;
	render.source.fetch = fetch;
	render.source.argument = &render;
	render.why = read_span(&render, &parameters);
	if (parameters_get(&parameters, "target", TARGETS_MAX) != NULL)
		render.why = "too many targets";
	answer_targets(&render, &parameters, request);
	free(render.matches);
	parameters_done(&parameters);
}
