/* SPDX-License-Identifier: MIT */
/* Series come in the order of their names: those of a host follow each other.
 */
#include "hosts.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include <collector/control.h>
#include <collector/label.h>

#include "answer.h"
#include "api.h"
#include "web.h"

#define HOSTS_MAX 10000 /* Of one answer. */

struct host { /* That series are being looked at of. */
	char name[256];
	mc_time newest; /* Of its samples. */
	uint64_t series, missing, warning, failure;
};

struct hosts {
	struct mc_ctx *ctx;
	struct mc_json *json;
	const char *glob;
	struct host host; /* "": none yet. */
	int64_t offset, limit, seen;
};

static void add_label(void *argument, const struct mc_field *label)
{
	mc_json_text(argument, label->name, label->value);
}

static void print(struct hosts *hosts, const struct host *host)
{
	struct mc_json *json = hosts->json;

	mc_json_map(json, NULL);
	mc_json_text(json, "host", host->name);
	mc_json_bool(json, "present", host->missing < host->series);
	mc_json_number(json, "time", (double)host->newest * 1e-9);
	mc_json_unsigned(json, "series", host->series);
	mc_json_unsigned(json, "missing", host->missing);
	mc_json_unsigned(json, "warning", host->warning);
	mc_json_unsigned(json, "failure", host->failure);
	mc_json_map(json, "labels");
	mc_each_label(hosts->ctx, host->name, add_label, json);
	mc_json_map_end(json);
	mc_json_map_end(json);
}

static void end_host(struct hosts *hosts)
{
	const struct host *host = &hosts->host;
	int64_t at;

	if (host->series == 0 ||
	    (hosts->glob != NULL && fnmatch(hosts->glob, host->name, 0) != 0))
		return;
	at = hosts->seen++;
	if (at >= hosts->offset && at - hosts->offset < hosts->limit)
		print(hosts, host);
}

static bool look_at(void *argument, struct mc_series *series,
		    const struct mc_latest *latest)
{
	struct hosts *hosts = argument;
	struct host *host = &hosts->host;

	if (strcmp(host->name, mc_host(series)) != 0) {
		end_host(hosts);
		*host = (struct host){ 0 };
		snprintf(host->name, sizeof(host->name), "%s", mc_host(series));
	}
	host->series++;
	host->missing += latest->missing;
	host->warning += latest->state == MC_STATE_WARNING;
	host->failure += latest->state == MC_STATE_FAILURE;
	if (latest->time > host->newest)
		host->newest = latest->time;
	return true;
}

void hosts_answer(struct mc_httpd_request *request)
{
	struct hosts hosts = { .ctx = web_ctx(request),
			       .glob = mc_httpd_query(request, "match") };

	if (!api_number(request, "offset",
			(struct api_bounds){ 0, INT64_MAX, 0 },
			&hosts.offset) ||
	    !api_number(request, "limit",
			(struct api_bounds){ 0, HOSTS_MAX, HOSTS_MAX },
			&hosts.limit))
		return;
	hosts.json = answer_begin();
	mc_json_list(hosts.json, "hosts");
	mc_each_series(hosts.ctx, NULL, look_at, &hosts);
	end_host(&hosts);
	mc_json_list_end(hosts.json);
	mc_json_signed(hosts.json, "matched", hosts.seen);
	answer_json(request, hosts.json);
}
