/* SPDX-License-Identifier: MIT */
#include "related.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <collector/control.h>
#include <collector/kit/alloc.h>

#include "answer.h"
#include "api.h"
#include "correlation.h"
#include "history_query.h"
#include "whole.h"

#define SERIES_MAX 10000             /* That are compared, of the host and of all others. */
#define ROWS_MAX 100                 /* Of each list of the answer. */
#define LEAST 0.5                    /* Coefficient of a row: any two are a little alike. */
#define ROWS 8                       /* If nobody says how many. */
#define POINTS 120                   /* The same. */
#define RELATED_TIME (3 * MC_SECOND) /* Then what was compared is answered. */

struct row {
	struct mc_series *series;
	unsigned source;
	double correlation;
};

struct ranking { /* The closest come first. */
	struct row rows[ROWS_MAX];
	size_t len, limit;
};

struct related {
	struct history_query query; /* The series to compare with. */
	const struct combine_group *group;
	unsigned source;
	double *values; /* Of that source. */
	bool others;    /* The host is done. */
	struct ranking on_host, elsewhere;
	struct history_query_list list; /* To be compared, of the host or of all others. */
	size_t compared, left_out;
};

/* --- Compare ---------------------------------------------------------------- */

static void rank(struct ranking *ranking, const struct row *row)
{
	size_t at = ranking->len < ranking->limit ? ranking->len++ : ranking->limit;

	while (at > 0 && fabs(ranking->rows[at - 1].correlation) < fabs(row->correlation)) {
		if (at < ranking->limit)
			ranking->rows[at] = ranking->rows[at - 1];
		at--;
	}
	if (at < ranking->limit)
		ranking->rows[at] = *row;
}

/* The source that is most alike stands for its series. */
static void compare(void *argument, struct mc_series *series, struct mc_history *history)
{
	struct related *related = argument;
	struct row best = { series, 0, 0 };

	if (history == NULL || history->points_len != related->group->points_len ||
	    history->start != related->group->start) {
		related->left_out++;
		return;
	}
	for (unsigned i = 0; i < history->type->sources_len; i++) {
		double found = correlation(related->values, mc_history_points(history, i),
					   history->points_len);

		if (fabs(found) > fabs(best.correlation))
			best = (struct row){ series, i, found };
	}
	related->compared++;
	if (fabs(best.correlation) >= LEAST)
		rank(related->others ? &related->elsewhere : &related->on_host, &best);
}

static int by_address(const void *a, const void *b)
{
	uintptr_t left = (uintptr_t) * (struct mc_series *const *)a;
	uintptr_t right = (uintptr_t) * (struct mc_series *const *)b;

	return (left > right) - (left < right);
}

/* Without those that match, which stand in one graph anyway, and are sorted by address. */
static bool keep(void *argument, struct mc_series *series, const struct mc_latest *latest)
{
	struct related *related = argument;
	struct history_query_list *list = &related->list;

	(void)latest;
	if ((related->others && strcmp(mc_host(series), related->group->host) == 0) ||
	    bsearch(&series, related->query.list.items, related->query.list.len, sizeof(series),
		    by_address) != NULL)
		return true;
	MC_ARRAY_GROW(list->items, list->len, list->room);
	list->items[list->len++] = series;
	return true;
}

static void compare_all(struct related *related, const char *glob)
{
	size_t matched;

	related->list.len = 0;
	matched = mc_page_series(related->query.ctx,
				 &(struct mc_series_page){
					 .glob = glob,
					 .limit = SERIES_MAX,
					 .ended_since = related->query.span.from + 1,
				 },
				 keep, related);
	related->left_out += related->list.len -
			     history_query_each(&related->query, &related->list, compare, related);
	if (matched > SERIES_MAX)
		related->left_out += matched - SERIES_MAX;
}

/* --- What they are compared with ------------------------------------------------ */

static const struct combine_group *find_group(const struct combine *combine, const char *name)
{
	const struct combine_group *group = combine->first;

	while (group != NULL && name != NULL && strcmp(group->name, name) != 0)
		group = group->next;
	return group;
}

static bool find_source(const struct mc_type *type, const char *name, unsigned *source)
{
	*source = 0;
	while (name != NULL && *source < type->sources_len &&
	       strcmp(type->sources[*source].name, name) != 0)
		++*source;
	return *source < type->sources_len;
}

static bool choose(struct related *related, struct mc_httpd_request *request)
{
	struct history_query *query = &related->query;
	const struct combine_group *group;

	history_query_run(query);
	group = find_group(&query->combine, mc_httpd_query(request, "of"));
	if (group == NULL) {
		answer_refuse(request, 404, "no series with values in that time is called so");
		return false;
	}
	if (!find_source(group->type, mc_httpd_query(request, "source"), &related->source)) {
		answer_refuse(request, 400, "its type has no such source");
		return false;
	}
	related->group = group;
	related->values = mc_alloc_array(group->points_len, sizeof(*related->values));
	for (unsigned i = 0; i < group->points_len; i++)
		related->values[i] =
			group->points[(size_t)related->source * group->points_len + i].average;
	qsort(query->list.items, query->list.len, sizeof(*query->list.items), by_address);
	return true;
}

/* --- The answer ------------------------------------------------------------------ */

static void print_ranking(struct mc_json *json, const char *key, const struct ranking *ranking)
{
	mc_json_list(json, key);
	for (size_t i = 0; i < ranking->len; i++) {
		const struct row *row = &ranking->rows[i];
		const struct mc_type *type = mc_type(row->series);

		mc_json_map(json, NULL);
		mc_json_text(json, "name", mc_name(row->series));
		mc_json_text(json, "source", type->sources[row->source].name);
		mc_json_text(json, "unit", type->unit);
		mc_json_number(json, "correlation", row->correlation);
		mc_json_map_end(json);
	}
	mc_json_list_end(json);
}

static void print(struct mc_httpd_request *request, const struct related *related)
{
	struct mc_json *json = answer_begin();

	mc_json_text(json, "of", related->group->name);
	mc_json_text(json, "source", related->group->type->sources[related->source].name);
	mc_json_text(json, "host", related->group->host);
	print_ranking(json, "on_host", &related->on_host);
	print_ranking(json, "elsewhere", &related->elsewhere);
	mc_json_unsigned(json, "compared", related->compared);
	mc_json_unsigned(json, "left_out", related->left_out);
	answer_json(request, json);
}

/* Series of the host are remembered from now on, those of all others are not: they would push out
 * what others look at. */
static void relate(struct related *related, struct mc_httpd_request *request)
{
	char *glob;

	related->query.until = mc_now() + RELATED_TIME;
	if (!choose(related, request))
		return;
	glob = whole_glob(related->group->host, strlen(related->group->host));
	compare_all(related, glob);
	free(glob);
	related->others = related->query.span.glance = true;
	compare_all(related, "*");
	print(request, related);
}

void related_answer(struct mc_httpd_request *request)
{
	struct related *related = mc_alloc_zero(sizeof(*related));
	struct mc_reading *reading;
	int64_t limit;

	if (history_query_init(&related->query, request, POINTS) &&
	    api_number(request, "limit", (struct api_bounds){ 1, ROWS_MAX, ROWS }, &limit)) {
		related->on_host.limit = related->elsewhere.limit = (size_t)limit;
		reading = mc_read_begin(related->query.ctx);
		relate(related, request);
		mc_read_end(reading);
	}
	history_query_done(&related->query);
	free(related->list.items);
	free(related->values);
	free(related);
}
