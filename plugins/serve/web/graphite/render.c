/* SPDX-License-Identifier: MIT */
/* Facts: Graphite's manual, "The Render URL API". */
#include "render.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/history.h>
#include <collector/kit/alloc.h>
#include <collector/kit/number.h>

#include "answer.h"
#include "evaluation.h"
#include "fetch.h"
#include "history.h"
#include "parameters.h"
#include "period.h"
#include "print.h"
#include "target.h"
#include "web.h"

#define TARGETS_MAX 128
#define DAY 86400

static void answer_text(struct mc_httpd_request *request, const char *type,
			const struct curve *curves,
			void (*print)(struct mc_buffer *, const struct curve *))
{
	struct mc_buffer out = { 0 };

	mc_buffer_add(&out, "", 0);
	print(&out, curves);
	answer_bytes(request, type, out.at, out.size);
	mc_buffer_free(&out);
}

static void answer_made(struct mc_httpd_request *request, const struct parameters *parameters,
			struct curve *curves, unsigned points)
{
	const char *format = parameters_get(parameters, "format", 0);
	const struct print_options options = {
		.points_max = points,
		.without_unknown = parameters_get(parameters, "noNullPoints", 0) != NULL,
	};
	struct mc_json *json;
	const char *bytes;
	size_t size;

	if (format != NULL && strcmp(format, "csv") == 0) {
		answer_text(request, "text/csv", curves, print_csv);
		return;
	}
	if (format != NULL && strcmp(format, "raw") == 0) {
		answer_text(request, "text/plain; charset=utf-8", curves, print_raw);
		return;
	}
	json = mc_json_new(false);
	if (format != NULL && strcmp(format, "dygraph") == 0)
		print_dygraph(json, curves);
	else
		print_json(json, curves, &options);
	bytes = mc_json_bytes(json, &size);
	answer_bytes(request, "application/json", bytes, size);
	mc_json_free(json);
}

static void answer_targets(struct mc_httpd_request *request, const struct parameters *parameters,
			   struct evaluation *evaluation, struct fetch *fetch)
{
	struct curve *first = NULL, **end = &first;

	fetch_init(fetch, evaluation);
	for (unsigned i = 0; i < TARGETS_MAX && !evaluation_failed(evaluation); i++) {
		const char *target = parameters_get(parameters, "target", i);

		if (target == NULL)
			break;
		*end = target_evaluate(evaluation, target);
		while (*end != NULL)
			end = &(*end)->next;
	}
	if (evaluation_failed(evaluation))
		answer_refuse(request, fetch->is_late ? 503 : 400, evaluation->why);
	else
		answer_made(request, parameters, first, fetch->wanted);
	curve_free(first);
}

/* NULL, or what is wrong. */
static const char *read_time(struct evaluation *evaluation, const struct parameters *parameters)
{
	const char *from = parameters_get(parameters, "from", 0);
	const char *until = parameters_get(parameters, "until", 0);
	int64_t now = mc_wall() / MC_SECOND;

	evaluation->now = now;
	evaluation->from = now - DAY;
	evaluation->until = now;
	if ((from != NULL && !period_read(from, now, &evaluation->from)) ||
	    (until != NULL && !period_read(until, now, &evaluation->until)))
		return "from and until are seconds since 1970, or such as -6h or 18:30_yesterday";
	if (evaluation->until <= evaluation->from)
		return "'until' is not after 'from'";
	return NULL;
}

static const char *read_options(struct evaluation *evaluation, struct fetch *fetch,
				const struct parameters *parameters)
{
	static const char *const formats[] = { "json", "csv", "raw", "dygraph" };
	const char *format = parameters_get(parameters, "format", 0);
	const char *points = parameters_get(parameters, "maxDataPoints", 0);
	const char *share = parameters_get(parameters, "xFilesFactor", 0);
	uint64_t number = 0;
	bool known = format == NULL;

	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats) && format != NULL; i++)
		known |= strcmp(format, formats[i]) == 0;
	if (!known)
		return "the format is not one of json, csv, raw and dygraph; /graph/NAME.png draws";
	if (points != NULL && (!mc_number_unsigned(points, 10, INT32_MAX, &number) || number < 1))
		return "maxDataPoints is not a number above 0";
	if (share != NULL && !mc_number_double(share, &evaluation->known_share))
		return "xFilesFactor is not a number";
	fetch->wanted = (unsigned)number;
	return read_time(evaluation, parameters);
}

void render_answer(struct mc_httpd_request *request)
{
	struct fetch fetch = { .ctx = web_ctx(request), .end = mc_now() + HISTORY_TIME };
	struct evaluation evaluation = { .now = 0 };
	struct parameters parameters;
	const char *why;

	if (!parameters_init(&parameters, request))
		return;
	why = read_options(&evaluation, &fetch, &parameters);
	if (parameters_get(&parameters, "target", TARGETS_MAX) != NULL)
		why = "too many targets";
	fetch.span = evaluation.until - evaluation.from;
	if (why != NULL)
		answer_refuse(request, 400, why);
	else
		answer_targets(request, &parameters, &evaluation, &fetch);
	evaluation_done(&evaluation);
	parameters_done(&parameters);
}
