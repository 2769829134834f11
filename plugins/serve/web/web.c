/* SPDX-License-Identifier: MIT */
/* web - a page that shows what this collector knows, live and as it was, and a
 * JSON API for programs. */
#include "web.h"

#include <stdlib.h>

#include <collector/check.h>
#include <collector/history.h>
#include <collector/plugin.h>

#include "alert_actions.h"
#include "answer.h"
#include "api.h"
#include "events.h"
#include "find.h"
#include "functions_json.h"
#include "graphs.h"
#include "history.h"
#include "hosts.h"
#include "marks.h"
#include "offered.h"
#include "page.h"
#include "related.h"
#include "render.h"
#include "stream.h"
#include "tags_answer.h"

#define BODY_MAX 65536  /* Of a form. */
#define REQUESTS_MIN 64 /* Of a client at a time. */

static const struct mc_option listen_block_options[] = {
	MC_LISTEN_OPTIONS(struct mc_httpd_listen, host, port, "8888"),
	MC_HTTPD_VIEWERS_OPTIONS,
	{ 0 },
};
static const struct mc_block listen_block = { sizeof(struct mc_httpd_listen),
					      listen_block_options };

static const struct mc_option web_options[] = {
	{ "Listen", MC_OPT_BLOCKS(struct web, listens), .block = &listen_block,
	  .help = "An address to listen at; 127.0.0.1 port 8888 if there is "
		  "none." },
	{ "SocketFile", MC_OPT_STRING(struct web, file.path),
	  .help = "Path of a unix socket to listen at, too, such as for a "
		  "web server in front.",
	  .sample = "/run/collector-web.sock" },
	{ "SocketGroup", MC_OPT_STRING(struct web, file.group),
	  .help = "Group of that socket, if the collector runs as root.", .sample = "www-data" },
	{ "SocketPerms", MC_OPT_STRING(struct web, file.perms), .default_value = "0770",
	  .help = "Permissions of that socket, in octal." },
	MC_HTTPD_CLIENTS_OPTIONS(struct web, limits, "256", "64"),
	MC_HTTPD_PROXY_OPTION(struct web, proxies),
	{ 0 },
};

/* A request about all series may block, too: with a million it takes long. */
static const struct mc_httpd_route routes[] = {
	{ .path = "/api/1/status", .method = "GET", .handle = api_status },
	{ .path = "/api/1/alerts", .method = "GET", .handle = api_alerts },
	{ .path = "/api/1/acknowledge", .method = "POST", .handle = alert_actions_acknowledge },
	{ .path = "/api/1/silences", .method = "GET", .handle = alert_actions_silences },
	{ .path = "/api/1/silence", .method = "POST", .handle = alert_actions_silence },
	{ .path = "/api/1/unsilence", .method = "POST", .handle = alert_actions_unsilence },
	{ .path = "/api/1/series", .method = "GET", .handle = api_series, .may_block = true },
	{ .path = "/api/1/latest", .method = "GET", .handle = api_latest, .may_block = true },
	{ .path = "/api/1/hosts", .method = "GET", .handle = hosts_answer, .may_block = true },
	{ .path = "/api/1/graphs", .method = "GET", .handle = graphs_answer, .may_block = true },
	{ .path = "/api/1/notifications", .method = "GET", .handle = stream_notifications },
	{ .path = "/api/1/stream", .method = "GET", .handle = stream_answer, .done = stream_done },
	{ .path = "/api/1/history",
	  .method = "GET",
	  .handle = history_answer,
	  .may_block = true,
	  .waits = true },
	{ .path = "/api/1/marks", .method = "GET", .handle = marks_answer },
	{ .path = "/api/1/related",
	  .method = "GET",
	  .handle = related_answer,
	  .may_block = true,
	  .waits = true },
	{ .path = API_EXPLAIN,
	  .method = "GET",
	  .handle = api_explain,
	  .may_block = true,
	  .waits = true },
	{ .path = "/render",
	  .method = "GET",
	  .handle = render_answer,
	  .may_block = true,
	  .waits = true },
	{ .path = "/render",
	  .method = "POST",
	  .handle = render_answer,
	  .may_block = true,
	  .waits = true },
	{ .path = "/metrics/find", .method = "GET", .handle = find_answer, .may_block = true },
	{ .path = "/metrics/find", .method = "POST", .handle = find_answer, .may_block = true },
	{ .path = "/metrics/expand", .method = "GET", .handle = find_expand, .may_block = true },
	{ .path = "/metrics", .method = "GET", .handle = offered_answer, .may_block = true },
	{ .path = "/api/1/dumps", .method = "GET", .handle = offered_answer, .may_block = true },
	{ .path = "/api/1/dumps/", .method = "GET", .handle = offered_answer, .may_block = true },
	{ .path = "/version", .method = "GET", .handle = functions_json_version },
	{ .path = "/events/get_data", .method = "GET", .handle = events_answer },
	{ .path = "/tags", .method = "GET", .handle = tags_answer, .may_block = true },
	{ .path = "/tags/findSeries",
	  .method = "GET",
	  .handle = tags_answer_find,
	  .may_block = true },
	{ .path = "/tags/findSeries",
	  .method = "POST",
	  .handle = tags_answer_find,
	  .may_block = true },
	{ .path = "/tags/autoComplete/tags",
	  .method = "GET",
	  .handle = tags_answer_complete_tags,
	  .may_block = true },
	{ .path = "/tags/autoComplete/values",
	  .method = "GET",
	  .handle = tags_answer_complete_values,
	  .may_block = true },
	{ .path = TAGS_ANSWER_PATH, .method = "GET", .handle = tags_answer_one, .may_block = true },
	{ .path = "/functions", .method = "GET", .handle = functions_json_answer },
	{ .path = FUNCTIONS_JSON_PATH, .method = "GET", .handle = functions_json_one },
	{ .path = GRAPH_PATH,
	  .method = "GET",
	  .handle = graph_answer,
	  .may_block = true,
	  .waits = true,
	  .other_sites = true },
	{ .path = GRAPHS_PATH, .method = "GET", .handle = graph_page, .may_block = true },
	{ .path = "/page.js", .method = "GET", .handle = page_file },
	{ .path = "/guests.js", .method = "GET", .handle = page_file },
	{ .path = "/more.js", .method = "GET", .handle = page_file },
	{ .path = "/hosts.js", .method = "GET", .handle = page_file },
	{ .path = "/past.js", .method = "GET", .handle = page_file },
	{ .path = "/dumps.js", .method = "GET", .handle = page_file },
	{ .path = "/page.css", .method = "GET", .handle = page_file },
	{ .path = "/uplot.js", .method = "GET", .handle = page_file },
	{ .path = "/openapi.json", .method = "GET", .handle = page_file },
	{ .path = "/icon.svg", .method = "GET", .handle = page_file },
	{ .path = "/", .method = "GET", .handle = page_answer },
	{ .path = "/", .method = "OPTIONS", .handle = page_options },
	{ 0 },
};

static void web_check(struct mc_ctx *ctx)
{
	struct web *self = ctx->self;
	const struct mc_httpd_listen *listens = self->listens.items;

	for (size_t i = 0; i < self->listens.len; i++)
		mc_httpd_check_viewers(ctx, &listens[i]);
	if (self->file.path != NULL)
		mc_httpd_check(ctx, &self->file);
	mc_httpd_check_proxies(ctx, &self->proxies);
}

/* Those whose history the first page shows. */
static void keep_first_page(struct mc_ctx *ctx)
{
	static const char *const plugins[] = { "cpu",  "memory",    "disk", "load",
					       "swap", "interface", "df",   "pressure" };

	for (size_t i = 0; i < sizeof(plugins) / sizeof(*plugins); i++)
		mc_history_keep(ctx, plugins[i]);
}

static int listen_all(struct mc_ctx *ctx)
{
	static const struct mc_strings names = { 0 };
	static const struct mc_httpd_listen here = { .host = "127.0.0.1",
						     .port = "8888",
						     .host_names = &names };
	struct web *self = ctx->self;
	struct mc_httpd_listen *listens = self->listens.items;
	int rc = 0;

	if (self->file.path != NULL)
		rc = mc_httpd_listen(self->http, &self->file);
	if (rc == 0 && self->listens.len == 0)
		return mc_httpd_listen(self->http, &here);
	for (size_t i = 0; i < self->listens.len && rc == 0; i++) {
		/* A page of the web must not reach it by a name of its own. */
		if (listens[i].certificate == NULL)
			listens[i].host_names = &names;
		rc = mc_httpd_listen_viewers(self->http, &listens[i]);
	}
	return rc;
}

/* Limit of a client, which may come to several addresses.  A web server in front that does not name
 * its viewers is one, with the streams of all of them. */
static int64_t most_requests(const struct web *self)
{
	bool is_one = self->file.path != NULL && self->proxies.len == 0;
	int64_t connections = is_one ? self->limits.clients : self->limits.clients_per_address;

	return connections < REQUESTS_MIN ? REQUESTS_MIN : connections;
}

static int web_start(struct mc_ctx *ctx)
{
	struct web *self = ctx->self;

	self->ctx = ctx;
	self->limits.threads = 2;
	self->limits.pool_threads = 12;
	self->limits.requests_per_client = most_requests(self);
	/* One client cannot take all of it. */
	self->limits.pool_waiting = 4 * self->limits.requests_per_client;
	self->limits.clients_len = 4096;
	self->limits.body_max = self->limits.inflated_max = BODY_MAX;
	self->limits.memory_max = self->limits.bytes_per_client = 1 << 20;
	self->http = mc_httpd_new(ctx, &(struct mc_httpd_options){
					       .limits = self->limits,
					       .routes = routes,
					       .trusted_proxies = &self->proxies,
					       .argument = self,
					       .asks = true,
					       .refuse = answer_refuse,
				       });
	live_init(&self->live, ctx, self->http);
	notifications_init(&self->notifications);
	graph_init(&self->graphs);
	silent_init(&self->silent);
	host_tables_init(&self->hosts);
	keep_first_page(ctx);
	return listen_all(ctx);
}

static int web_run(struct mc_ctx *ctx)
{
	mc_httpd_run(((struct web *)ctx->self)->http);
	return 0;
}

static int web_renew(struct mc_ctx *ctx)
{
	return mc_httpd_renew(((struct web *)ctx->self)->http);
}

static void web_stop(struct mc_ctx *ctx)
{
	struct web *self = ctx->self;

	if (self->http == NULL)
		return;
	mc_httpd_free(self->http);
	live_done(&self->live);
	notifications_done(&self->notifications);
	graph_done(&self->graphs);
	host_tables_done(&self->hosts);
	silent_done(&self->silent);
}

/* --- Reports ------------------------------------------------------------- */

static int web_write(struct mc_ctx *ctx, const struct mc_batch *batch)
{
	live_batch(&((struct web *)ctx->self)->live, batch);
	return 0;
}

static int web_notify(struct mc_ctx *ctx, const struct mc_notification *notification)
{
	struct web *self = ctx->self;
	struct mc_buffer json = { 0 };

	notifications_add(&self->notifications, notification, &json);
	live_notification(&self->live, json.at, json.size);
	mc_buffer_free(&json);
	return 0;
}

static void web_ended(struct mc_ctx *ctx, struct mc_series *series, mc_time silent)
{
	struct web *self = ctx->self;

	if (silent > 0 && silent_add(&self->silent, mc_host(series), mc_wall() - silent))
		hosts_trim_silent(ctx, &self->silent);
	live_ended(&self->live, series, silent);
}

static void web_forgotten(struct mc_ctx *ctx, const char *glob)
{
	struct web *self = ctx->self;

	silent_forget_all(&self->silent, glob);
	host_tables_renew(&self->hosts);
}

static const struct mc_writer writer = {
	.write = web_write,
	.notify = web_notify,
	.ended = web_ended,
	.forgotten = web_forgotten,
	.on_request = true,
	.notify_always = true,
};

MC_PLUGIN(web) = {
	MC_NAMED(web),
	.help = "Shows what this collector knows as a page, live and as it "
		"was, and answers programs in JSON.",
	.self_size = sizeof(struct web),
	.options = web_options,
	.check = web_check,
	.start = web_start,
	.writer = &writer,
	.run = web_run,
	.renew = web_renew,
	.stop = web_stop,
};
