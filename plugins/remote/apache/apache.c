/* SPDX-License-Identifier: MIT */
/* apache: figures of mod_status about a web server, Apache or lighttpd (collectd.conf(5), "Plugin
 * apache"). */
#include <collector/plugin.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/kit/scrape.h>

#include "status.h"

#define PAGE_SIZE_MAX (4 << 20)

enum server { BY_HEADER, APACHE, LIGHTTPD, IBM };

struct instance {
	const char *name, *host;
	int server; /* enum server */
	struct mc_scrape_settings http;
	const char *ciphers; /* Not used. */
};

struct apache {
	struct mc_blocks instances;
};

struct slot { /* A character of the scoreboard. */
	unsigned char mark;
	const char *instance;
};

static const struct slot apache_slots[] = {
	{ '.', "open" },    { '_', "waiting" },   { 'S', "starting" },     { 'R', "reading" },
	{ 'W', "sending" }, { 'K', "keepalive" }, { 'D', "dnslookup" },    { 'C', "closing" },
	{ 'L', "logging" }, { 'G', "finishing" }, { 'I', "idle_cleanup" }, { 0 },
};

/* Under the names of collectd; but 'S' is "response_end" here, which collectd does not count. */
static const struct slot lighttpd_slots[] = {
	{ '.', "connect" },        { 'C', "close" },         { 'E', "hard_error" },
	{ 'r', "read" },           { 'R', "read_post" },     { 'W', "write" },
	{ 'h', "handle_request" }, { 'q', "request_start" }, { 'Q', "request_end" },
	{ 's', "response_start" }, { 'S', "response_end" },  { 0 },
};

/* --- Values --------------------------------------------------------------- */

struct putting {
	const struct instance *instance;
	const struct mc_scrape_reply *reply;
	struct mc_batch *batch;
};

static void put(const struct putting *to, const char *type, const char *type_instance,
		union mc_value value)
{
	struct mc_series *series = mc_series(
		to->batch, MC_ID(.host = to->instance->host, .plugin_instance = to->instance->name,
				 .type = type, .type_instance = type_instance));

	mc_put_at(to->batch, series, to->reply->stamp, &value, 1);
}

static void put_total(const struct putting *to, const char *type,
		      const struct status_figure *figure)
{
	if (figure->known)
		put(to, type, NULL, (union mc_value){ .derive = (int64_t)figure->value });
}

static void put_level(const struct putting *to, const char *type,
		      const struct status_figure *figure)
{
	if (figure->known)
		put(to, type, NULL, (union mc_value){ .gauge = (double)figure->value });
}

/* Apache unless something shows otherwise. */
static const struct slot *slots_of(const struct putting *to)
{
	const char *header = mc_scrape_header(to->reply, "Server");
	bool lighttpd = to->instance->server == LIGHTTPD;

	if (to->instance->server == BY_HEADER && header != NULL)
		lighttpd = strstr(header, "lighttpd") != NULL;
	return lighttpd ? lighttpd_slots : apache_slots;
}

static bool take(void *argument, const struct mc_scrape_reply *reply, struct mc_batch *batch,
		 char why[MC_SCRAPE_WHY_SIZE])
{
	struct putting to = { argument, reply, batch };
	struct status status;

	if (!mc_scrape_is_okay(reply, why))
		return false;
	if (!status_read(reply->body, &status)) {
		snprintf(why, MC_SCRAPE_WHY_SIZE,
			 "is not a page of mod_status: is \"?auto\" missing?");
		return false;
	}
	put_total(&to, "apache_requests", &status.requests);
	put_total(&to, "apache_bytes", &status.bytes);
	put_level(&to, "apache_connections", &status.busy);
	put_level(&to, "apache_idle_workers", &status.idle);
	for (const struct slot *slot = slots_of(&to); status.has_scoreboard && slot->mark != 0;
	     slot++)
		put(&to, "apache_scoreboard", slot->instance,
		    (union mc_value){ .gauge = status.slots[slot->mark] });
	return true;
}

/* --- Life ----------------------------------------------------------------- */

static void apache_check(struct mc_ctx *ctx)
{
	const struct apache *self = ctx->self;
	const struct instance *instances = self->instances.items;

	for (size_t i = 0; i < self->instances.len; i++)
		mc_scrape_check(ctx, &instances[i].http);
}

static int apache_run(struct mc_ctx *ctx)
{
	const struct apache *self = ctx->self;
	struct instance *instances = self->instances.items;
	size_t len = self->instances.len;
	struct mc_scrape_target *targets = mc_alloc_array(len, sizeof(*targets));
	int rc;

	for (size_t i = 0; i < len; i++) {
		instances[i].http.size_max = PAGE_SIZE_MAX;
		targets[i] = (struct mc_scrape_target){
			.settings = &instances[i].http,
			.take = take,
			.argument = &instances[i],
		};
	}
	rc = mc_scrape_run(ctx, targets, len);
	free(targets);
	return rc;
}

/* --- The options ---------------------------------------------------------- */

static const struct mc_option instance_options[] = {
	{ .name = "",
	  MC_OPT_STRING(struct instance, name),
	  .required = true,
	  .sample = "www",
	  .help = "Plugin instance of the series." },
	{ .name = "URL",
	  MC_OPT_STRING(struct instance, http.url),
	  .required = true,
	  .sample = "http://localhost/server-status?auto",
	  .help = "URL of the page of mod_status, with ?auto." },
	{ .name = "Host",
	  MC_OPT_STRING(struct instance, host),
	  .sample = "www.example.org",
	  .help = "Host in the names of the series; by default this one." },
	{ .name = "Server",
	  MC_OPT_WORD(struct instance, server),
	  .default_value = "auto",
	  .words = (const char *const[]){ "auto", "apache", "lighttpd", "ibm_http_server", NULL },
	  .help = "Kind of the server; auto: as its header says." },
	MC_SCRAPE_OPTIONS(struct instance, http),
	{ .name = "SSLCiphers",
	  MC_OPT_STRING(struct instance, ciphers),
	  .no_effect = true,
	  .help = "GnuTLS has its own names and a safe "
		  "choice." },
	{ 0 }
};

static const struct mc_option options[] = {
	{ .name = "Instance",
	  MC_OPT_BLOCKS(struct apache, instances),
	  .block = &(const struct mc_block){ .size = sizeof(struct instance),
					     .options = instance_options },
	  .help = "A web server." },
	{ 0 }
};

MC_PLUGIN(apache) = {
	MC_NAMED(apache),
	.help = "Reads the page of mod_status of web servers.",
	.self_size = sizeof(struct apache),
	.options = options,
	.types = (const char *const[]){ "apache_bytes", "apache_connections", "apache_idle_workers",
					"apache_requests", "apache_scoreboard", NULL },
	.check = apache_check,
	.run = apache_run,
	.lenient = true,
};
