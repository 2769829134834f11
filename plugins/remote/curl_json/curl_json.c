/* SPDX-License-Identifier: MIT */
/* curl_json: numbers out of JSON documents (collectd.conf(5), "Plugin curl_json"). */
#include <collector/plugin.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/check.h>
#include <collector/kit/alloc.h>
#include <collector/kit/scrape.h>
#include <collector/quota.h>
#include <collector/serve.h>

#include "document.h"
#include "keys.h"

struct page { /* A URL or Sock block. */
	struct mc_ctx *ctx;
	struct mc_scrape_settings http;
	const char *host, *plugin, *instance;
	mc_time interval;
	struct mc_blocks keys;       /* struct key */
	struct mc_blocks statistics; /* mc_scrape_statistics_block */
	struct mc_quota_limits limits;
	struct mc_quota *quota;
	struct keys_node root;
};

struct curl_json {
	struct mc_blocks urls, sockets; /* struct page */
};

/* --- Values --------------------------------------------------------------- */

struct putting {
	const struct page *page;
	const struct mc_scrape_reply *reply;
	struct mc_batch *batch;
	uint64_t put, bad; /* Values that are numbers, and those that are not. */
	char bad_name[64]; /* Text of the first that is not. */
};

/* As in collectd, "localhost" is this host. */
static const char *host_of(const struct page *page)
{
	const char *host = page->host;

	return host != NULL && *host != '\0' && strcmp(host, "localhost") != 0 ? host : NULL;
}

static void put(void *argument, const struct document_value *found)
{
	struct putting *to = argument;
	const struct page *page = to->page;
	const struct key *key = found->key;
	const struct mc_type *type = mc_type_find(page->ctx, key->type);
	union mc_value value;
	struct mc_series *series;

	if (type == NULL || type->sources_len != 1)
		return; /* check() has said so. */
	if (!document_number(found, type->sources[0].kind, &value)) {
		if (to->bad++ == 0)
			snprintf(to->bad_name, sizeof(to->bad_name), "%s", found->name);
		return;
	}
	to->put++;
	series = mc_series(to->batch, MC_ID(.host = host_of(page), .plugin = page->plugin,
					    .plugin_instance = page->instance, .type = key->type,
					    .type_instance = key->instance != NULL ? key->instance
										   : found->name));
	mc_put_at(to->batch, series, to->reply->stamp, &value, 1);
}

static bool take(void *argument, const struct mc_scrape_reply *reply, struct mc_batch *batch,
		 char why[MC_SCRAPE_WHY_SIZE])
{
	struct page *page = argument;
	struct putting to = { page, reply, batch, 0, 0, "" };
	struct document_taker taker = { .take = put, .argument = &to };
	int rc;

	mc_charge(batch, page->quota);
	mc_scrape_put_statistics(&page->statistics, reply, batch,
				 &MC_ID(.host = host_of(page), .plugin_instance = page->instance));
	if (!mc_scrape_is_okay(reply, why))
		return false;
	rc = document_read(reply->body, reply->size, &page->root, &taker);
	if (rc < 0)
		snprintf(why, MC_SCRAPE_WHY_SIZE,
			 rc == -ELOOP ? "has more than %d levels" : "is no JSON",
			 DOCUMENT_DEPTH_MAX);
	else if (to.bad > 0)
		snprintf(why, MC_SCRAPE_WHY_SIZE, "has no number for the type of '%s'",
			 to.bad_name);
	else if (taker.lost > 0)
		snprintf(why, MC_SCRAPE_WHY_SIZE, "has values whose names are too long");
	else if (to.put == 0)
		snprintf(why, MC_SCRAPE_WHY_SIZE, "has no value for any Key");
	return why[0] == '\0';
}

/* --- Life ----------------------------------------------------------------- */

/* First the URL blocks, then the Sock blocks; NULL after the last. */
static struct page *page_at(const struct curl_json *self, size_t index)
{
	struct page *urls = self->urls.items, *sockets = self->sockets.items;

	if (index < self->urls.len)
		return &urls[index];
	index -= self->urls.len;
	return index < self->sockets.len ? &sockets[index] : NULL;
}

static void check_key(struct mc_ctx *ctx, struct keys_node *root, const struct key *key)
{
	const struct mc_type *type;

	if (key->path == NULL || key->type == NULL)
		return; /* Required options are checked elsewhere. */
	type = mc_type_find(ctx, key->type);
	if (type == NULL)
		mc_check_warn(ctx, &key->type, "is in no TypesDB: it has no values");
	else if (type->sources_len != 1)
		mc_check_error(ctx, &key->type, "has %u values, not one", type->sources_len);
	if (!keys_add(root, key))
		mc_check_warn(ctx, &key->path,
			      "is not used: it has an empty part, or another "
			      "Key has the same path");
	if (key->instance != NULL && strchr(key->path, '*') != NULL)
		mc_check_warn(ctx, &key->instance,
			      "is the same for all that '*' finds: without it "
			      "each value has a name");
}

static void curl_json_check(struct mc_ctx *ctx)
{
	const struct curl_json *self = ctx->self;
	const struct page *page;

	for (size_t i = 0; (page = page_at(self, i)) != NULL; i++) {
		const struct key *keys = page->keys.items;
		struct keys_node root = { 0 };

		mc_scrape_check(ctx, &page->http);
		for (size_t j = 0; j < page->keys.len; j++)
			check_key(ctx, &root, &keys[j]);
		keys_done(&root);
	}
}

/* Where it is read. */
static const char *name_of(const struct page *page)
{
	return page->http.url != NULL ? page->http.url : page->http.stream;
}

static int curl_json_start(struct mc_ctx *ctx)
{
	struct curl_json *self = ctx->self;
	struct page *page;

	for (size_t i = 0; (page = page_at(self, i)) != NULL; i++) {
		const struct key *keys = page->keys.items;

		page->ctx = ctx;
		page->quota = mc_quota_new(ctx, MC_QUOTA_SOURCE, name_of(page), &page->limits);
		for (size_t j = 0; j < page->keys.len; j++)
			keys_add(&page->root, &keys[j]);
	}
	return 0;
}

static int curl_json_run(struct mc_ctx *ctx)
{
	struct curl_json *self = ctx->self;
	size_t len = self->urls.len + self->sockets.len;
	struct mc_scrape_target *targets = mc_alloc_array(len, sizeof(*targets));
	int rc;

	for (size_t i = 0; i < len; i++) {
		struct page *page = page_at(self, i);

		targets[i] = (struct mc_scrape_target){
			.settings = &page->http,
			.interval = page->interval,
			.take = take,
			.argument = page,
		};
	}
	rc = mc_scrape_run(ctx, targets, len);
	free(targets);
	return rc;
}

static void curl_json_stop(struct mc_ctx *ctx)
{
	struct curl_json *self = ctx->self;
	struct page *page;

	for (size_t i = 0; (page = page_at(self, i)) != NULL; i++) {
		keys_done(&page->root);
		mc_quota_free(page->quota);
	}
}

/* --- The options ---------------------------------------------------------- */

static const struct mc_option key_options[] = {
	{ .name = "",
	  MC_OPT_STRING(struct key, path),
	  .required = true,
	  .sample = "requests/*/count",
	  .help = "Path of the value: keys of maps and numbers of items, with "
		  "'/' between them; '*' is any." },
	{ .name = "Type",
	  MC_OPT_STRING(struct key, type),
	  .required = true,
	  .sample = "http_requests",
	  .help = "Type of the series." },
	{ .name = "Instance",
	  MC_OPT_STRING(struct key, instance),
	  .sample = "all",
	  .help = "Type instance of the series; by default the parts of the "
		  "path to the value, with '-' between them." },
	{ 0 }
};

#define PAGE_OPTIONS                                                                               \
	{ .name = "Instance",                                                                      \
	  MC_OPT_STRING(struct page, instance),                                                    \
	  .default_value = "default",                                                              \
	  .sample = "httpd",                                                                       \
	  .help = "Plugin instance of the series." },                                              \
		{ .name = "Plugin",                                                                \
		  MC_OPT_STRING(struct page, plugin),                                              \
		  .sample = "couchdb",                                                             \
		  .help = "Plugin in the names of the series; by default "                         \
			  "curl_json." },                                                          \
		{ .name = "Host",                                                                  \
		  MC_OPT_STRING(struct page, host),                                                \
		  .sample = "db.example.org",                                                      \
		  .help = "Host in the names of the series; by default this "                      \
			  "one." },                                                                \
		{ .name = "Interval",                                                              \
		  MC_OPT_TIME(struct page, interval),                                              \
		  .sample = "60",                                                                  \
		  .min = 0.001,                                                                    \
		  .max = 1e9,                                                                      \
		  .help = "Seconds between two reads; by default the "                             \
			  "interval of the plugin." },                                             \
		MC_QUOTA_SOURCE_OPTIONS(struct page, limits, "document", "10000", "1000"),         \
	{                                                                                          \
		.name = "Key", MC_OPT_BLOCKS(struct page, keys),                                   \
		.block = &(const struct mc_block){ .size = sizeof(struct key),                     \
						   .options = key_options },                       \
		.required = true, .help = "A value of the document."                               \
	}

static const struct mc_option url_options[] = {
	{ .name = "",
	  MC_OPT_STRING(struct page, http.url),
	  .required = true,
	  .sample = "http://localhost:5984/_stats",
	  .help = "URL of the document." },
	PAGE_OPTIONS,
	{ .name = "Statistics",
	  MC_OPT_BLOCKS(struct page, statistics),
	  .block = &mc_scrape_statistics_block,
	  .help = "What is measured of each read." },
	MC_SCRAPE_OPTIONS(struct page, http),
	MC_SCRAPE_PAGE_OPTIONS(struct page, http),
	{ 0 },
};

static const struct mc_option socket_options[] = {
	{ .name = "",
	  MC_OPT_STRING(struct page, http.stream),
	  .required = true,
	  .sample = "/run/uwsgi.stats.socket",
	  .help = "Path of the unix socket." },
	PAGE_OPTIONS,
	MC_SCRAPE_TIMEOUT(struct page, http),
	MC_SCRAPE_MAX_BODY_SIZE(struct page, http),
	{ 0 },
};

static const struct mc_option options[] = {
	{ .name = "URL",
	  MC_OPT_BLOCKS(struct curl_json, urls),
	  .block = &(const struct mc_block){ .size = sizeof(struct page), .options = url_options },
	  .help = "A document that is read by HTTP." },
	{ .name = "Sock",
	  MC_OPT_BLOCKS(struct curl_json, sockets),
	  .block = &(const struct mc_block){ .size = sizeof(struct page),
					     .options = socket_options },
	  .help = "A document that a program sends to each client of its unix socket." },
	{ 0 }
};

MC_PLUGIN(curl_json) = {
	MC_NAMED(curl_json),
	.help = "Reads numbers from JSON documents.",
	.self_size = sizeof(struct curl_json),
	.options = options,
	.types = (const char *const[]){ "bitrate", "bytes", "count", "duration", NULL },
	.check = curl_json_check,
	.start = curl_json_start,
	.run = curl_json_run,
	.stop = curl_json_stop,
	.lenient = true,
};
