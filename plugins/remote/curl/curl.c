/* SPDX-License-Identifier: MIT */
/* curl: numbers out of web pages, by regular expressions, and how long they
 * took (collectd.conf(5), "Plugin curl"). */
#include <collector/plugin.h>

#include <stdlib.h>

#include <collector/check.h>
#include <collector/kit/alloc.h>
#include <collector/kit/scrape.h>

#include "kit/base/match/match.h"

struct page {
	struct mc_ctx *ctx;
	const char *name, *plugin;
	struct mc_scrape_settings http;
	mc_time interval;
	bool response_time, response_code;
	struct mc_blocks statistics; /* mc_scrape_statistics_block */
	struct mc_blocks matches;    /* mc_match_block */
	mc_time last;                /* That it was read. */
};

struct curl {
	struct mc_blocks pages;
};

/* --- Values --------------------------------------------------------------- */

static void put(const struct page *page, const struct mc_scrape_reply *reply,
		struct mc_batch *batch, const char *type, double level)
{
	union mc_value value = { .gauge = level };
	struct mc_series *series = mc_series(
		batch, MC_ID(.plugin = page->plugin, .plugin_instance = page->name, .type = type));

	mc_put_at(batch, series, reply->stamp, &value, 1);
}

static bool take(void *argument, const struct mc_scrape_reply *reply, struct mc_batch *batch,
		 char why[MC_SCRAPE_WHY_SIZE])
{
	struct page *page = argument;
	mc_time now = mc_now();
	const struct mc_match_target to = {
		.ctx = page->ctx,
		.batch = batch,
		.plugin = page->plugin,
		.plugin_instance = page->name,
		.stamp = reply->stamp,
		.elapsed = page->last > 0 ? now - page->last : 0,
	};

	(void)why; /* A status of any kind is an answer. */
	if (page->response_time)
		put(page, reply, batch, "response_time", (double)reply->duration / MC_SECOND);
	if (page->response_code)
		put(page, reply, batch, "response_code", (double)reply->status);
	mc_scrape_put_statistics(&page->statistics, reply, batch,
				 &MC_ID(.plugin_instance = page->name));
	mc_match_take(&page->matches, reply->body, reply->size);
	mc_match_tell(page->ctx, &page->matches, "page", page->name);
	mc_match_put(&to, &page->matches);
	page->last = now;
	return true;
}

/* --- Life ----------------------------------------------------------------- */

static void curl_check(struct mc_ctx *ctx)
{
	const struct curl *self = ctx->self;
	const struct page *pages = self->pages.items;

	for (size_t i = 0; i < self->pages.len; i++) {
		const struct page *page = &pages[i];

		mc_scrape_check(ctx, &page->http);
		mc_match_check(ctx, &page->matches);
		if (page->matches.len + page->statistics.len == 0 && !page->response_time &&
		    !page->response_code)
			mc_check_warn(ctx, &page->name,
				      "is read for nothing: it has no Match, "
				      "Statistics, MeasureResponseTime or "
				      "MeasureResponseCode");
	}
}

static int curl_start(struct mc_ctx *ctx)
{
	struct curl *self = ctx->self;
	struct page *pages = self->pages.items;
	int rc = 0;

	for (size_t i = 0; i < self->pages.len && rc == 0; i++)
		rc = mc_match_start(ctx, &pages[i].matches);
	return rc;
}

static int curl_run(struct mc_ctx *ctx)
{
	struct curl *self = ctx->self;
	struct page *pages = self->pages.items;
	size_t len = self->pages.len;
	struct mc_scrape_target *targets = mc_alloc_array(len, sizeof(*targets));
	int rc;

	for (size_t i = 0; i < len; i++) {
		pages[i].ctx = ctx;
		targets[i] = (struct mc_scrape_target){
			.settings = &pages[i].http,
			.interval = pages[i].interval,
			.take = take,
			.argument = &pages[i],
		};
	}
	rc = mc_scrape_run(ctx, targets, len);
	free(targets);
	return rc;
}

static void curl_stop(struct mc_ctx *ctx)
{
	struct curl *self = ctx->self;
	struct page *pages = self->pages.items;

	for (size_t i = 0; i < self->pages.len; i++)
		mc_match_stop(&pages[i].matches);
}

/* --- The options ---------------------------------------------------------- */

static const struct mc_option page_options[] = {
	{ .name = "",
	  MC_OPT_STRING(struct page, name),
	  .required = true,
	  .sample = "front",
	  .help = "Plugin instance of the series." },
	{ .name = "URL",
	  MC_OPT_STRING(struct page, http.url),
	  .required = true,
	  .sample = "http://localhost/",
	  .help = "URL of the page." },
	{ .name = "Plugin",
	  MC_OPT_STRING(struct page, plugin),
	  .sample = "shop",
	  .help = "Plugin in the names of the series, but those of Statistics; "
		  "by default curl." },
	{ .name = "Interval",
	  MC_OPT_TIME(struct page, interval),
	  .sample = "60",
	  .min = 0.001,
	  .max = 1e9,
	  .help = "Seconds between two reads; by default the interval of the "
		  "plugin." },
	{ .name = "MeasureResponseTime",
	  MC_OPT_BOOL(struct page, response_time),
	  .default_value = "false",
	  .help = "Measures how long the answer took." },
	{ .name = "MeasureResponseCode",
	  MC_OPT_BOOL(struct page, response_code),
	  .default_value = "false",
	  .help = "Makes a value of the status of HTTP." },
	{ .name = "Statistics",
	  MC_OPT_BLOCKS(struct page, statistics),
	  .block = &mc_scrape_statistics_block,
	  .help = "What is measured of each read." },
	{ .name = "Match",
	  MC_OPT_BLOCKS(struct page, matches),
	  .block = &mc_match_block,
	  .help = "A value to make of the page." },
	MC_SCRAPE_OPTIONS(struct page, http),
	MC_SCRAPE_PAGE_OPTIONS(struct page, http),
	{ 0 }
};

static const struct mc_option options[] = {
	{ .name = "Page",
	  MC_OPT_BLOCKS(struct curl, pages),
	  .block = &(const struct mc_block){ .size = sizeof(struct page), .options = page_options },
	  .help = "A page that is read." },
	{ 0 }
};

MC_PLUGIN(curl) = {
	MC_NAMED(curl),
	.help = "Reads numbers from web pages, and measures how long they "
		"take.",
	.self_size = sizeof(struct curl),
	.options = options,
	.types = (const char *const[]){ "bitrate", "bucket", "bytes", "count", "duration",
					"response_code", "response_time", NULL },
	.check = curl_check,
	.start = curl_start,
	.run = curl_run,
	.stop = curl_stop,
	.lenient = true,
};
