/* SPDX-License-Identifier: MIT */
/* write_prometheus - values for Prometheus to scrape, with the names and
 * options of collectd's plugin. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/check.h>
#include <collector/kit/alloc.h>
#include <collector/kit/http_server.h>
#include <collector/kit/lock.h>
#include <collector/plugin.h>
#include <collector/private/convention.h>
#include <collector/serve.h>
#include <collector/writer.h>

#include "scrape.h"

#define SELECTORS_MAX 16

struct write_prometheus {
	const char *host, *port;
	struct mc_blocks listens; /* Of struct mc_httpd_listen; none: host and port. */
	mc_time staleness_delta;
	int names; /* enum mc_names */

	struct mc_ctx *ctx;
	struct mc_httpd_listen listen; /* At host and port. */
	struct mc_httpd *http;         /* NULL: start() has not made it. */
	pthread_mutex_t lock;
	/* Of the scrape before; NULL: another one is using it, or this is the first. */
	struct conventional *conventional MC_GUARDED_BY(lock);
};

static const struct mc_option listen_block_options[] = {
	MC_LISTEN_OPTIONS(struct mc_httpd_listen, host, port, "9103"),
	MC_HTTPD_VIEWERS_OPTIONS,
	{ 0 },
};
static const struct mc_block listen_block = { sizeof(struct mc_httpd_listen),
					      listen_block_options };

static const struct mc_option options[] = {
	{ "Host", MC_OPT_STRING(struct write_prometheus, host), .default_value = "::",
	  .help = "Name or address to listen at; :: is all of this host.", .sample = "127.0.0.1" },
	{ "Port", MC_OPT_STRING(struct write_prometheus, port), .default_value = "9103",
	  .help = "Port or name of a service." },
	{ "Listen", MC_OPT_BLOCKS(struct write_prometheus, listens), .block = &listen_block,
	  .help = "An address to listen at, in place of Host and Port." },
	MC_NAMES_OPTION(struct write_prometheus, names),
	{ "StalenessDelta", MC_OPT_TIME(struct write_prometheus, staleness_delta),
	  .default_value = "300",
	  .help = "Seconds for which Prometheus remembers a value; those of a "
		  "longer interval are given without their time." },
	{ 0 }
};

static bool takes_openmetrics(const struct mc_page_question *question)
{
	const char *types = question->header(question->argument, "Accept");

	return types != NULL && strstr(types, "application/openmetrics-text") != NULL;
}

/* Takes over names that are kept of the scrape before. */
static struct conventional *take_conventional(struct write_prometheus *self)
{
	struct conventional *taken;

	if (self->names != MC_NAMES_OTEL)
		return NULL;
	pthread_mutex_lock(&self->lock);
	taken = self->conventional;
	self->conventional = NULL;
	pthread_mutex_unlock(&self->lock);
	return taken != NULL ? taken : conventional_new();
}

/* One of two scrapes at once is enough to be kept. */
static void keep_conventional(struct write_prometheus *self, struct conventional *used)
{
	struct conventional *other;

	if (used == NULL)
		return;
	pthread_mutex_lock(&self->lock);
	other = self->conventional;
	self->conventional = used;
	pthread_mutex_unlock(&self->lock);
	conventional_free(other);
}

static void print(struct write_prometheus *self, const struct scrape_options *how,
		  struct mc_page *page)
{
	bool openmetrics = how->format == EXPOSITION_OPENMETRICS;
	struct exposition_text text = { 0 };

	scrape(self->ctx, how, &text);
	*page = (struct mc_page){ .status = 200, .bytes = text.at, .size = text.size };
	snprintf(page->type, sizeof(page->type), "%s",
		 openmetrics ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
			     : "text/plain; version=0.0.4");
}

/* False, and why, if one is invalid. */
static bool read_selectors(const struct mc_page_question *question,
			   struct selector *selectors[SELECTORS_MAX], unsigned *len,
			   char why[SELECTOR_WHY])
{
	const char *text;

	snprintf(why, SELECTOR_WHY, "too many selectors");
	while ((text = question->parameter(question->argument, "match[]", *len)) != NULL) {
		if (*len < SELECTORS_MAX)
			selectors[*len] = selector_new(text, why);
		if (*len == SELECTORS_MAX || selectors[*len] == NULL)
			return false;
		++*len;
	}
	return true;
}

static void make_page(struct write_prometheus *self, const struct mc_page_question *question,
		      struct mc_page *page)
{
	struct selector *selectors[SELECTORS_MAX];
	char why[SELECTOR_WHY];
	struct scrape_options how = {
		.selectors = selectors,
		.format = takes_openmetrics(question) ? EXPOSITION_OPENMETRICS : EXPOSITION_TEXT,
		.staleness_delta = self->staleness_delta,
	};

	if (read_selectors(question, selectors, &how.selectors_len, why)) {
		how.conventional = take_conventional(self);
		print(self, &how, page);
		keep_conventional(self, how.conventional);
	} else {
		*page = (struct mc_page){ .status = 400,
					  .type = "text/plain",
					  .bytes = mc_alloc_copy(why),
					  .size = strlen(why) };
	}
	while (how.selectors_len > 0)
		selector_free(selectors[--how.selectors_len]);
}

/* For a server of another plugin, as web has one. */
static int offer(struct mc_ctx *ctx, const struct mc_page_question *question, struct mc_page *page)
{
	if (strcmp(question->path, "/metrics") != 0)
		return -ENOENT;
	make_page(ctx->self, question, page);
	return 0;
}

static void answer(struct mc_httpd_request *request)
{
	const struct mc_page_question question = mc_httpd_question(request);
	struct mc_page page;

	make_page(mc_httpd_argument(request), &question, &page);
	mc_httpd_answer_page(request, &page);
}

static const struct mc_writer writer = { .page = offer };

static const struct mc_httpd_route routes[] = {
	{ .path = "/metrics",
	  .method = "GET",
	  .handle = answer,
	  .may_block = true }, /* A million series take seconds. */
	{ .path = "/",         /* As collectd. */
	  .method = "GET",
	  .handle = answer,
	  .may_block = true },
	{ 0 },
};

/* Values are for all who can reach the port, as collectd's are. */
static void set_listen(struct write_prometheus *self)
{
	self->listen = (struct mc_httpd_listen){ .host = self->host,
						 .port = self->port,
						 .allow_plain = true };
}

static void check(struct mc_ctx *ctx)
{
	struct write_prometheus *self = ctx->self;
	const struct mc_httpd_listen *listens = self->listens.items;

	for (size_t i = 0; i < self->listens.len; i++)
		mc_httpd_check_viewers(ctx, &listens[i]);
	if (self->listens.len > 0)
		return;
	set_listen(self);
	mc_httpd_check(ctx, &self->listen);
	mc_check_open(ctx, &self->host);
}

static int listen_all(struct mc_ctx *ctx)
{
	struct write_prometheus *self = ctx->self;
	const struct mc_httpd_listen *listens = self->listens.items;
	int rc = 0;

	set_listen(self);
	if (self->listens.len == 0)
		return mc_httpd_listen(self->http, &self->listen);
	for (size_t i = 0; i < self->listens.len && rc == 0; i++)
		rc = mc_httpd_listen_viewers(self->http, &listens[i]);
	return rc;
}

static int start(struct mc_ctx *ctx)
{
	static const struct mc_httpd_limits limits = {
		.threads = 1,
		.pool_threads = 2,
		.pool_waiting = 256,
		.clients = 256,
		.clients_per_address = 32,
		.requests_per_client = 8,
		.bytes_per_client = 65536,
		.clients_len = 1024,
		.body_max = 4096,
		.inflated_max = 4096,
		.memory_max = 1 << 20,
	};
	struct write_prometheus *self = ctx->self;

	self->ctx = ctx;
	pthread_mutex_init(&self->lock, NULL);
	self->http = mc_httpd_new(
		ctx, &(struct mc_httpd_options){
			     .limits = limits, .routes = routes, .argument = self, .asks = true });
	return listen_all(ctx);
}

static int run(struct mc_ctx *ctx)
{
	mc_httpd_run(((struct write_prometheus *)ctx->self)->http);
	return 0;
}

static void stop(struct mc_ctx *ctx) MC_NO_LOCK
{
	struct write_prometheus *self = ctx->self;

	mc_httpd_free(self->http);
	conventional_free(self->conventional);
}

MC_PLUGIN(write_prometheus) = {
	MC_NAMED(write_prometheus),
	.help = "Offers the last values to Prometheus, which scrapes them, in "
		"its text format and as OpenMetrics.",
	.self_size = sizeof(struct write_prometheus),
	.options = options,
	.check = check,
	.start = start,
	.writer = &writer,
	.run = run,
	.stop = stop,
	.lenient = true,
};
