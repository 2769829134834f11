/* SPDX-License-Identifier: MIT */
#include "history_query.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <collector/control.h>
#include <collector/kit/alloc.h>

#include "answer.h"
#include "api.h"
#include "history.h"
#include "web.h"

#define MEMBERS_MAX 4096        /* Series of one answer. */
#define VALUES_MAX (500 * 1000) /* Of all groups: 12 MB, and 14 MB as text. */
#define SERIES_AT_ONCE 64       /* That providers are asked for together. */
#define POINTS_AT_ONCE 65536    /* Of all these: 1.5 MB for each source. */

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

bool history_query_span(struct mc_httpd_request *request, unsigned usual, struct mc_span *span)
{
	/* From a century ago to the latest that a history can be of. */
	const struct api_bounds whens = { -INT64_C(3200000000), MC_HISTORY_LATEST / MC_SECOND, 0 };
	int64_t from, to, points;

	if (!api_number(request, "from", (struct api_bounds){ whens.least, whens.most, -3600 },
			&from) ||
	    !api_number(request, "to", whens, &to) ||
	    !api_number(request, "points", (struct api_bounds){ 1, MC_HISTORY_POINTS, usual },
			&points))
		return false;
	*span = (struct mc_span){ .from = moment(from),
				  .to = moment(to),
				  .points = (unsigned)points };
	if (span->from < 0)
		span->from = 0;
	return span->to > span->from || refuse(request, "'to' is not after 'from'");
}

bool history_query_init(struct history_query *query, struct mc_httpd_request *request,
			unsigned points)
{
	const char *parts = mc_httpd_query(request, "group");
	const char *function = mc_httpd_query(request, "function");
	enum combine_function how = COMBINE_SUM;
	unsigned common = 0;

	*query = (struct history_query){ .request = request,
					 .ctx = web_ctx(request),
					 .until = mc_now() + HISTORY_TIME };
	if (mc_httpd_query(request, "match") == NULL)
		return refuse(request, "'match' is lacking: a glob of names");
	if (parts != NULL && !combine_parts(parts, &common))
		return refuse(request, "'group' is not a list of host, plugin, plugin_instance, "
				       "type, type_instance");
	if (function != NULL && !combine_function(function, &how))
		return refuse(request, "'function' is not one of sum, average, minimum, maximum");
	combine_init(&query->combine, common, how);
	return history_query_span(request, points, &query->span);
}

void history_query_done(struct history_query *query)
{
	combine_done(&query->combine);
	free(query->list.items);
}

/* --- Read ------------------------------------------------------------------ */

static bool is_wanted(void *argument)
{
	const struct history_query *query = argument;

	return !mc_stopping(query->ctx) && !mc_httpd_has_left(query->request);
}

/* How many series are asked for at once: their points are not for ever. */
static size_t at_once(const struct history_query *query, size_t left)
{
	size_t len = POINTS_AT_ONCE / query->span.points;

	len = len < 1 ? 1 : len < SERIES_AT_ONCE ? len : SERIES_AT_ONCE;
	return len < left ? len : left;
}

static void read_some(struct history_query *query, struct mc_series *const *series, size_t len,
		      struct mc_history *histories[SERIES_AT_ONCE])
{
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
}

/* The series that are left are left out.  One whose file does not come may take seconds. */
static bool is_full(struct history_query *query)
{
	return query->combine.points >= VALUES_MAX || mc_now() >= query->until || !is_wanted(query);
}

size_t history_query_each(struct history_query *query, const struct history_query_list *list,
			  void (*take)(void *argument, struct mc_series *, struct mc_history *),
			  void *argument)
{
	struct mc_history *histories[SERIES_AT_ONCE];
	size_t done = 0;

	while (done < list->len && !is_full(query)) {
		size_t len = at_once(query, list->len - done);

		read_some(query, list->items + done, len, histories);
		for (size_t i = 0; i < len; i++) {
			if (query->combine.points < VALUES_MAX)
				take(argument, list->items[done++], histories[i]);
			mc_history_free(histories[i]);
		}
	}
	return done;
}

/* --- Become groups ----------------------------------------------------------- */

static bool keep(void *argument, struct mc_series *series, const struct mc_latest *latest)
{
	struct history_query_list *list = argument;

	(void)latest;
	MC_ARRAY_GROW(list->items, list->len, list->room);
	list->items[list->len++] = series;
	return true;
}

static void add(void *argument, struct mc_series *series, struct mc_history *history)
{
	struct history_query *query = argument;

	if (history == NULL)
		return;
	query->span.step = history->step; /* That of the first is that of all. */
	combine_add(&query->combine, series, history);
}

void history_query_run(struct history_query *query)
{
	query->matched = mc_page_series(query->ctx,
					&(struct mc_series_page){
						.glob = mc_httpd_query(query->request, "match"),
						.limit = MEMBERS_MAX,
						.ended_since = query->span.from + 1,
					},
					keep, &query->list);
	query->list.len = history_query_each(query, &query->list, add, query);
	combine_finish(&query->combine);
}
