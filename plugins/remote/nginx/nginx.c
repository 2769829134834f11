/* SPDX-License-Identifier: MIT */
/* nginx: figures of its module stub_status (collectd.conf(5), "Plugin nginx"). */
#include <collector/plugin.h>

#include <stdio.h>
#include <string.h>

#include <collector/kit/scrape.h>

#include "status.h"

#define PAGE_SIZE_MAX 16384

struct nginx {
	struct mc_scrape_settings http;
	const char *instance; /* Of "nginx.second" it is "second". */
};

struct putting {
	const struct nginx *self;
	const struct mc_scrape_reply *reply;
	struct mc_batch *batch;
};

static void put(const struct putting *to, const char *type, const char *type_instance,
		union mc_value value)
{
	struct mc_series *series =
		mc_series(to->batch, MC_ID(.plugin_instance = to->self->instance, .type = type,
					   .type_instance = type_instance));

	mc_put_at(to->batch, series, to->reply->stamp, &value, 1);
}

static void put_level(const struct putting *to, const char *type_instance, uint64_t level)
{
	put(to, "nginx_connections", type_instance, (union mc_value){ .gauge = (double)level });
}

static void put_total(const struct putting *to, const char *type, const char *type_instance,
		      uint64_t total)
{
	put(to, type, type_instance, (union mc_value){ .derive = (int64_t)total });
}

static bool take(void *argument, const struct mc_scrape_reply *reply, struct mc_batch *batch,
		 char why[MC_SCRAPE_WHY_SIZE])
{
	const struct putting to = { argument, reply, batch };
	struct status status;

	if (!mc_scrape_is_okay(reply, why))
		return false;
	if (!status_read(reply->body, &status)) {
		snprintf(why, MC_SCRAPE_WHY_SIZE, "is not a page of stub_status");
		return false;
	}
	put_level(&to, "active", status.active);
	put_level(&to, "reading", status.reading);
	put_level(&to, "writing", status.writing);
	put_level(&to, "waiting", status.waiting);
	put_total(&to, "connections", "accepted", status.accepted);
	put_total(&to, "connections", "handled", status.handled);
	if (status.accepted >= status.handled)
		put_total(&to, "connections", "failed", status.accepted - status.handled);
	put_total(&to, "nginx_requests", NULL, status.requests);
	return true;
}

static void nginx_check(struct mc_ctx *ctx)
{
	const struct nginx *self = ctx->self;

	mc_scrape_check(ctx, &self->http);
}

static int nginx_run(struct mc_ctx *ctx)
{
	struct nginx *self = ctx->self;
	const struct mc_scrape_target target = {
		.settings = &self->http,
		.take = take,
		.argument = self,
	};
	const char *dot = strchr(ctx->name, '.');

	self->instance = dot != NULL ? dot + 1 : NULL;
	self->http.size_max = PAGE_SIZE_MAX;
	return mc_scrape_run(ctx, &target, 1);
}

static const struct mc_option options[] = {
	{ .name = "URL",
	  MC_OPT_STRING(struct nginx, http.url),
	  .required = true,
	  .sample = "http://localhost/nginx_status",
	  .help = "URL of the page of stub_status." },
	{ .name = "Socket",
	  MC_OPT_STRING(struct nginx, http.unix_socket),
	  .sample = "/run/nginx.socket",
	  .help = "Unix socket that is asked by HTTP; by default the host of "
		  "the URL is." },
	MC_SCRAPE_OPTIONS(struct nginx, http),
	{ 0 }
};

MC_PLUGIN(nginx) = {
	MC_NAMED(nginx),
	.help = "Reads the page of nginx's stub_status.",
	.self_size = sizeof(struct nginx),
	.options = options,
	.types = (const char *const[]){ "connections", "nginx_connections", "nginx_requests",
					NULL },
	.check = nginx_check,
	.run = nginx_run,
	.lenient = true,
};
