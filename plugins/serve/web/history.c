/* SPDX-License-Identifier: MIT */
#include "history.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/control.h>
#include <collector/history.h>
#include <collector/kit/alloc.h>

#include "answer.h"
#include "api.h"
#include "combine.h"
#include "web.h"

#define MEMBERS_MAX 4096        /* Series of one answer. */
#define VALUES_MAX (500 * 1000) /* Of all groups: 12 MB, and 14 MB as text. */
#define POINTS 360              /* If nobody says how many. */
#define SERIES_AT_ONCE 64       /* That providers are asked for together. */
#define POINTS_AT_ONCE 65536    /* Of all these: 1.5 MB for each source. */

struct query {
	struct mc_httpd_request *request;
	struct mc_ctx *ctx;
	struct mc_span span;
	struct combine combine;
	struct mc_series **series; /* That match. */
	size_t len, room, matched;
	mc_time until;            /* Monotonic. */
	char why[MC_HISTORY_WHY]; /* The failure of the last one, or "". */
};

static bool refuse(struct mc_httpd_request *request, const char *why)
{
	answer_refuse(request, 400, why);
	return false;
}

/* A time of the query: a number not above 0 is relative to now. */
static mc_time moment(int64_t seconds)
{
	return seconds > 0 ? seconds * MC_SECOND : mc_wall() + seconds * MC_SECOND;
}

static bool read_span(struct mc_httpd_request *request, struct mc_span *span)
{
	/* From a century ago to the latest that a history can be of. */
	const struct api_bounds whens = { -INT64_C(3200000000), MC_HISTORY_LATEST / MC_SECOND, 0 };
	int64_t from, to, points;

	if (!api_number(request, "from", (struct api_bounds){ whens.least, whens.most, -3600 },
			&from) ||
	    !api_number(request, "to", whens, &to) ||
	    !api_number(request, "points", (struct api_bounds){ 1, MC_HISTORY_POINTS, POINTS },
			&points))
		return false;
	*span = (struct mc_span){ moment(from), moment(to), 0, (unsigned)points };
	if (span->from < 0)
		span->from = 0;
	return span->to > span->from || refuse(request, "'to' is not after 'from'");
}

static bool read_query(struct mc_httpd_request *request, struct query *query)
{
	const char *parts = mc_httpd_query(request, "group");
	const char *function = mc_httpd_query(request, "function");
	enum combine_function how = COMBINE_SUM;
	unsigned common = 0;

	if (mc_httpd_query(request, "match") == NULL)
		return refuse(request, "'match' is lacking: a glob of names");
	if (parts != NULL && !combine_parts(parts, &common))
		return refuse(request, "'group' is not a list of host, plugin, plugin_instance, "
				       "type, type_instance");
	if (function != NULL && !combine_function(function, &how))
		return refuse(request, "'function' is not one of sum, average, minimum, maximum");
	combine_init(&query->combine, common, how);
	return read_span(request, &query->span);
}

static bool keep(void *argument, struct mc_series *series, const struct mc_latest *latest)
{
	struct query *query = argument;

	(void)latest;
	MC_ARRAY_GROW(query->series, query->len, query->room);
	query->series[query->len++] = series;
	return true;
}

static bool is_wanted(void *argument)
{
	const struct query *query = argument;

	return !mc_stopping(query->ctx) && !mc_httpd_has_left(query->request);
}

/* How many series are asked for at once: their points are not for ever. */
static size_t at_once(const struct query *query)
{
	size_t len = POINTS_AT_ONCE / query->span.points;

	return len < 1 ? 1 : len < SERIES_AT_ONCE ? len : SERIES_AT_ONCE;
}

static void add(struct query *query, struct mc_series *const *series, size_t len)
{
	struct mc_history *histories[SERIES_AT_ONCE];
	const char *names[SERIES_AT_ONCE];
	const struct mc_history_query asked = {
		.names = names,
		.len = len,
		.span = query->span,
		.until = query->until,
		.is_wanted = is_wanted,
		.argument = query,
	};
	char why[MC_HISTORY_WHY];

	for (size_t i = 0; i < len; i++)
		names[i] = mc_name(series[i]);
	if (mc_histories(query->ctx, &asked, histories, why) == -EIO)
		memcpy(query->why, why, sizeof(why));
	for (size_t i = 0; i < len; i++) {
		if (histories[i] == NULL)
			continue;
		query->span.step = histories[i]->step; /* That of the first is that of all. */
		combine_add(&query->combine, series[i], histories[i]);
		mc_history_free(histories[i]);
	}
}

/* --- Print --------------------------------------------------------------- */

/* Seven digits are more than a screen shows, and half the bytes. */
static void print_value(struct mc_json *json, double value)
{
	char digits[32];

	if (!isfinite(value)) {
		mc_json_null(json, NULL);
		return;
	}
	snprintf(digits, sizeof(digits), "%.7g", value);
	mc_json_digits(json, NULL, digits);
}

static void print_source(struct mc_json *json, const struct combine_group *group, unsigned source)
{
	const struct combine_point *points = group->points + (size_t)source * group->points_len;

	mc_json_map(json, group->type->sources[source].name);
	mc_json_list(json, "average");
	for (unsigned i = 0; i < group->points_len; i++)
		print_value(json, points[i].average);
	mc_json_list_end(json);
	if (group->coarsest < group->step) { /* Else it is the same. */
		mc_json_list(json, "maximum");
		for (unsigned i = 0; i < group->points_len; i++)
			print_value(json, points[i].maximum);
		mc_json_list_end(json);
	}
	mc_json_map_end(json);
}

static void print_group(struct mc_json *json, const struct combine_group *group)
{
	mc_json_map(json, NULL);
	mc_json_text(json, "name", group->name);
	mc_json_unsigned(json, "members", group->members);
	mc_json_text(json, "provider", group->provider);
	mc_json_text(json, "unit", group->type->unit);
	mc_json_seconds(json, "start", group->start);
	mc_json_seconds(json, "step", group->step);
	mc_json_seconds(json, "coarsest", group->coarsest);
	mc_json_map(json, "sources");
	for (unsigned i = 0; i < group->type->sources_len; i++)
		print_source(json, group, i);
	mc_json_map_end(json);
	mc_json_map_end(json);
}

static void print(struct mc_httpd_request *request, struct query *query)
{
	struct mc_json *json = answer_begin();

	mc_json_list(json, "history");
	for (const struct combine_group *group = query->combine.first; group != NULL;
	     group = group->next)
		print_group(json, group);
	mc_json_list_end(json);
	mc_json_unsigned(json, "matched", query->matched);
	mc_json_unsigned(json, "left_out", query->matched - query->len + query->combine.left_out);
	mc_json_text(json, "failure", query->why);
	answer_json(request, json);
}

/* The series that are left are left out.  One whose file does not come may take seconds. */
static bool is_full(struct query *query)
{
	return query->combine.points >= VALUES_MAX || mc_now() >= query->until || !is_wanted(query);
}

static void answer(struct mc_httpd_request *request, struct query *query)
{
	struct mc_reading *reading = mc_read_begin(query->ctx);
	size_t added = 0;

	query->matched = mc_page_series(query->ctx,
					&(struct mc_series_page){
						.glob = mc_httpd_query(request, "match"),
						.limit = MEMBERS_MAX,
						.ended_since = query->span.from + 1,
					},
					keep, query);
	while (added < query->len && !is_full(query)) {
		size_t len = at_once(query);

		if (len > query->len - added)
			len = query->len - added;
		add(query, query->series + added, len);
		added += len;
	}
	query->len = added;
	combine_finish(&query->combine);
	print(request, query);
	mc_read_end(reading);
}

void history_answer(struct mc_httpd_request *request)
{
	struct query query = { .request = request,
			       .ctx = web_ctx(request),
			       .until = mc_now() + HISTORY_TIME };

	if (read_query(request, &query))
		answer(request, &query);
	combine_done(&query.combine);
	free(query.series);
}
