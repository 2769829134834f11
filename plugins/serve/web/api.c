/* SPDX-License-Identifier: MIT */
#include "api.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/control.h>
#include <collector/history.h>

#include "alert_actions.h"
#include "answer.h"
#include "metadata_json.h"
#include "report_json.h"
#include "series_json.h"
#include "web.h"

#define SERIES_MAX 10000 /* Of one answer. */

bool api_number(struct mc_httpd_request *request, const char *name, struct api_bounds bounds,
		int64_t *number)
{
	const char *text = mc_httpd_query(request, name);
	char *end, why[128];

	*number = bounds.otherwise;
	if (text == NULL)
		return true;
	errno = 0;
	*number = strtoll(text, &end, 10);
	if (end != text && *end == '\0' && errno == 0 && *number >= bounds.least &&
	    *number <= bounds.most)
		return true;
	snprintf(why, sizeof(why), "%s is not a whole number from %lld to %lld", name,
		 (long long)bounds.least, (long long)bounds.most);
	answer_refuse(request, 400, why);
	return false;
}

/* --- The collector ------------------------------------------------------- */

void api_status(struct mc_httpd_request *request)
{
	struct mc_ctx *ctx = web_ctx(request);
	struct mc_json *json = answer_begin();
	struct report_json report = report_json(json);

	report_json_map(&report, "collector");
	mc_report_collector(ctx, &report.base);
	report_json_list(&report, "journal");
	mc_report_journal(ctx, &report.base);
	report_json_list_end(&report);
	report_json_list(&report, "reload");
	mc_report_reload(ctx, &report.base);
	report_json_list_end(&report);
	report_json_list(&report, "readers");
	mc_report_readers(ctx, &report.base);
	report_json_list_end(&report);
	report_json_list(&report, "writers");
	mc_report_writers(ctx, &report.base);
	report_json_list_end(&report);
	report_json_list(&report, "quotas");
	mc_report_quotas(ctx, &report.base);
	report_json_list_end(&report);
	mc_json_bool(json, "pictures", mc_graph_draws(ctx));
	answer_json(request, json);
}

void api_alerts(struct mc_httpd_request *request)
{
	struct mc_json *json = answer_begin();
	struct report_json report = report_json(json);

	report_json_list(&report, "alerts");
	mc_report_alerts(web_ctx(request), &report.base);
	report_json_list_end(&report);
	mc_json_bool(json, "may_act", alert_actions_allowed(request));
	answer_json(request, json);
}

/* --- Series -------------------------------------------------------------- */

#define LIST_SIZE ((size_t)16 << 20) /* Bytes after which a list ends. */

struct listing {
	struct mc_json *json;
	void (*add)(struct mc_json *, struct mc_series *, const struct mc_latest *);
	bool with_metadata;
	struct metadata_json metadata;
};

static bool list_one(void *argument, struct mc_series *series, const struct mc_latest *latest)
{
	struct listing *listing = argument;
	size_t size;

	mc_json_bytes(listing->json, &size);
	if (size > LIST_SIZE) /* "matched" shows that there are more. */
		return false;
	mc_json_map(listing->json, NULL);
	listing->add(listing->json, series, latest);
	if (listing->with_metadata) {
		metadata_json_add(&listing->metadata, series);
		series_json_metric(listing->json, series);
	}
	mc_json_map_end(listing->json);
	return true;
}

/* 'matched' says how many there are, so that a page of them can be shown. */
static void list(struct mc_httpd_request *request, struct listing *listing)
{
	int64_t offset, limit, with_metadata;
	size_t matched;

	if (!api_number(request, "metadata", (struct api_bounds){ 0, 1, 0 }, &with_metadata) ||
	    !api_number(request, "offset", (struct api_bounds){ 0, INT64_MAX, 0 }, &offset) ||
	    !api_number(request, "limit", (struct api_bounds){ 0, SERIES_MAX, SERIES_MAX }, &limit))
		return;
	listing->with_metadata = with_metadata != 0;
	listing->json = listing->metadata.json = answer_begin();
	mc_json_list(listing->json, "series");
	matched = mc_page_series(web_ctx(request),
				 &(struct mc_series_page){
					 .glob = mc_httpd_query(request, "match"),
					 .offset = (size_t)offset,
					 .limit = (size_t)limit,
					 .label = mc_httpd_query(request, "label"),
				 },
				 list_one, listing);
	mc_json_list_end(listing->json);
	mc_json_unsigned(listing->json, "matched", matched);
	if (listing->with_metadata)
		metadata_json_graphs(&listing->metadata);
	metadata_json_done(&listing->metadata);
	answer_json(request, listing->json);
}

static void add_name(struct mc_json *json, struct mc_series *series, const struct mc_latest *latest)
{
	mc_json_text(json, "name", mc_name(series));
	mc_json_seconds(json, "time", latest->time);
}

void api_series(struct mc_httpd_request *request)
{
	list(request, &(struct listing){ .add = add_name });
}

static void add_latest(struct mc_json *json, struct mc_series *series,
		       const struct mc_latest *latest)
{
	const struct mc_type *type = mc_type(series);

	mc_json_text(json, "name", mc_name(series));
	mc_json_text(json, "type", type->name);
	mc_json_text(json, "unit", type->unit);
	mc_json_seconds(json, "time", latest->time);
	mc_json_seconds(json, "interval", latest->interval);
	mc_json_text(json, "state", mc_state_name(latest->state));
	series_json_values(json, type, latest->values, latest->values_len);
	series_json_rates(json, type, latest->rates, latest->values_len);
}

void api_latest(struct mc_httpd_request *request)
{
	list(request, &(struct listing){ .add = add_latest });
}

/* The parts of the name of a series that is there. */
static struct mc_name_parts parts_of(const struct mc_series *series)
{
	return (struct mc_name_parts){
		.name = mc_name(series),
		.host_size = strlen(mc_host(series)),
		.plugin_size = strlen(mc_plugin(series)),
		.plugin_instance_size = strlen(mc_plugin_instance(series)),
		.type_size = strlen(mc_type(series)->name),
		.type_instance_size = strlen(mc_type_instance(series)),
	};
}

static void explain(struct mc_httpd_request *request, const struct mc_name_parts *parts)
{
	struct mc_ctx *ctx = web_ctx(request);
	struct mc_json *json = answer_begin();
	struct report_json report = report_json(json);
	struct mc_report_series series;

	mc_report_find(ctx, parts, &series); /* It was found just now. */
	report_json_map(&report, "series");
	mc_report_series(&report.base, &series);
	report_json_map(&report, "type");
	mc_report_type(&report.base, &series);
	report_json_list(&report, "sources");
	mc_report_sources(&report.base, &series);
	report_json_list_end(&report);
	report_json_list(&report, "metadata");
	mc_report_metadata(ctx, &report.base, &series);
	report_json_list_end(&report);
	report_json_list(&report, "attributes");
	mc_report_attributes(ctx, &report.base, &series);
	report_json_list_end(&report);
	report_json_list(&report, "metrics");
	mc_report_metric(ctx, &report.base, &series);
	report_json_list_end(&report);
	report_json_list(&report, "metric_labels");
	mc_report_metric_labels(ctx, &report.base, &series);
	report_json_list_end(&report);
	report_json_list(&report, "labels");
	mc_report_labels(ctx, &report.base, &series);
	report_json_list_end(&report);
	report_json_list(&report, "judges");
	mc_report_judges(ctx, &report.base, &series);
	report_json_list_end(&report);
	report_json_list(&report, "destinations");
	mc_report_destinations(ctx, &report.base, &series);
	report_json_list_end(&report);
	report_json_list(&report, "keepers");
	mc_report_keepers(ctx, &report.base, &series);
	report_json_list_end(&report);
	answer_json(request, json);
}

void api_explain(struct mc_httpd_request *request)
{
	const char *name = mc_httpd_path(request) + strlen(API_EXPLAIN);
	struct mc_reading *reading = mc_read_begin(web_ctx(request));
	struct mc_series *series = mc_find(reading, name, strlen(name));
	struct mc_name_parts parts;

	if (series != NULL) {
		parts = parts_of(series);
		explain(request, &parts);
	} else {
		answer_refuse(request, 404, "there is no series of that name");
	}
	mc_read_end(reading);
}
