/* SPDX-License-Identifier: MIT */
/* bind: statistics of the name server named (collectd.conf(5), "Plugin bind"). */
#include <collector/plugin.h>

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include <collector/kit/number.h>
#include <collector/kit/scrape.h>
#include <collector/quota.h>
#include <collector/serve.h>

#include "names.h"

struct view { /* A View block. */
	const char *name;
	bool qtypes, resolver_stats, cache_rrsets;
	struct mc_strings zones;
};

struct bind {
	struct mc_scrape_settings http;
	bool parse_time, opcodes, qtypes, server_stats, zone_maint_stats, resolver_stats,
		memory_stats;
	struct mc_blocks views; /* struct view */
	struct mc_quota_limits limits;
	struct mc_quota *quota;
};

/* --- Which values ---------------------------------------------------------------- */

static const struct view *find_view(const struct bind *self, const char *name)
{
	const struct view *views = self->views.items;

	for (size_t i = 0; i < self->views.len; i++)
		if (strcasecmp(views[i].name, name) == 0)
			return &views[i];
	return NULL;
}

/* The zone as the options call it, or NULL. */
static const char *find_zone(const struct view *view, const char *name)
{
	for (size_t i = 0; i < view->zones.len; i++)
		if (strcasecmp(view->zones.items[i], name) == 0)
			return view->zones.items[i];
	return NULL;
}

/* As in collectd: '_' for all that is no letter, digit, '-' or '_'. */
static void make_plain(char *text)
{
	for (; *text != '\0'; text++)
		if (!isalnum((unsigned char)*text) && *text != '-' && *text != '_')
			*text = '_';
}

/* Of the whole server; NULL: it is not wanted. */
static const char *global_instance(const struct bind *self, enum statistics_group group)
{
	switch (group) {
	case STATISTICS_OPCODES:
		return self->opcodes ? "global-opcodes" : NULL;
	case STATISTICS_QTYPES:
		return self->qtypes ? "global-qtypes" : NULL;
	case STATISTICS_SERVER:
		return self->server_stats ? "global-server_stats" : NULL;
	case STATISTICS_ZONE_MAINTENANCE:
		return self->zone_maint_stats ? "global-zone_maint_stats" : NULL;
	case STATISTICS_RESOLVER:
		return self->resolver_stats ? "global-resolver_stats" : NULL;
	case STATISTICS_MEMORY:
		return self->memory_stats ? "global-memory_stats" : NULL;
	default:
		return NULL;
	}
}

static const char *view_instance(const struct view *view, enum statistics_group group)
{
	switch (group) {
	case STATISTICS_VIEW_QTYPES:
		return view->qtypes ? "qtypes" : NULL;
	case STATISTICS_VIEW_RESOLVER:
		return view->resolver_stats ? "resolver_stats" : NULL;
	case STATISTICS_VIEW_CACHE:
		return view->cache_rrsets ? "cache_rr_sets" : NULL;
	default:
		return NULL;
	}
}

/* The plugin instance of a value; false: it is not wanted. */
static bool make_instance(const struct bind *self, const struct statistics_value *value,
			  char out[STATISTICS_NAME_SIZE])
{
	const struct view *view = value->view[0] != '\0' ? find_view(self, value->view) : NULL;
	const char *part;

	if (value->view[0] == '\0') {
		part = global_instance(self, value->group);
		snprintf(out, STATISTICS_NAME_SIZE, "%s", part != NULL ? part : "");
		return part != NULL;
	}
	if (view == NULL)
		return false;
	part = value->zone[0] != '\0' ? find_zone(view, value->zone)
				      : view_instance(view, value->group);
	if (part == NULL)
		return false;
	snprintf(out, STATISTICS_NAME_SIZE, "%s%s%s", view->name,
		 value->zone[0] != '\0' ? "-zone-" : "-", part);
	make_plain(out);
	return true;
}

/* --- Values ------------------------------------------------------------------------ */

struct putting {
	const struct bind *self;
	const struct mc_scrape_reply *reply;
	struct mc_batch *batch;
	size_t put;
};

static struct mc_stamp stamp_of(const struct putting *to, const struct statistics_value *value)
{
	struct mc_stamp stamp = to->reply->stamp;
	struct tm tm = { 0 };

	if (to->self->parse_time && strptime(value->time, "%Y-%m-%dT%T", &tm) != NULL)
		stamp.time = (mc_time)timegm(&tm) * MC_SECOND;
	return stamp;
}

static void put(void *argument, const struct statistics_value *found)
{
	struct putting *to = argument;
	bool is_level = found->group == STATISTICS_MEMORY || found->group == STATISTICS_VIEW_CACHE;
	char instance[STATISTICS_NAME_SIZE], type_instance[STATISTICS_NAME_SIZE];
	struct names_of_value names;
	union mc_value value;
	int64_t number;

	to->put++;
	if (!make_instance(to->self, found, instance) || !names_of_value(found, &names) ||
	    !mc_number_signed(found->number, INT64_MIN, INT64_MAX, &number))
		return;
	snprintf(type_instance, sizeof(type_instance), "%s", names.type_instance);
	make_plain(type_instance);
	value.derive = number;
	if (is_level)
		value.gauge = (double)number;
	mc_put_at(to->batch,
		  mc_series(to->batch, MC_ID(.plugin_instance = instance, .type = names.type,
					     .type_instance = type_instance)),
		  stamp_of(to, found), &value, 1);
}

static bool take(void *argument, const struct mc_scrape_reply *reply, struct mc_batch *batch,
		 char why[MC_SCRAPE_WHY_SIZE])
{
	const struct bind *self = argument;
	struct putting to = { self, reply, batch, 0 };
	const char *fault;

	mc_charge(batch, self->quota);
	if (!mc_scrape_is_okay(reply, why))
		return false;
	fault = statistics_read(reply->body, reply->size, put, &to);
	if (fault == NULL && to.put == 0)
		fault = "has no statistics";
	if (fault != NULL)
		snprintf(why, MC_SCRAPE_WHY_SIZE, "%s", fault);
	return fault == NULL;
}

/* --- Life -------------------------------------------------------------------------- */

static void bind_check(struct mc_ctx *ctx)
{
	const struct bind *self = ctx->self;

	mc_scrape_check(ctx, &self->http);
}

static int bind_start(struct mc_ctx *ctx)
{
	struct bind *self = ctx->self;

	self->quota = mc_quota_new(ctx, MC_QUOTA_SOURCE, self->http.url, &self->limits);
	return 0;
}

static int bind_run(struct mc_ctx *ctx)
{
	struct bind *self = ctx->self;
	const struct mc_scrape_target target = {
		.settings = &self->http,
		.take = take,
		.argument = self,
	};

	return mc_scrape_run(ctx, &target, 1);
}

static void bind_stop(struct mc_ctx *ctx)
{
	struct bind *self = ctx->self;

	mc_quota_free(self->quota);
	self->quota = NULL;
}

/* --- The options ------------------------------------------------------------------- */

static const struct mc_option view_options[] = {
	{ .name = "",
	  MC_OPT_STRING(struct view, name),
	  .required = true,
	  .sample = "_default",
	  .help = "Name of the view; without views in named's configuration it is _default." },
	{ .name = "QTypes",
	  MC_OPT_BOOL(struct view, qtypes),
	  .default_value = "true",
	  .help = "Counts queries that named sends for the view, by type." },
	{ .name = "ResolverStats",
	  MC_OPT_BOOL(struct view, resolver_stats),
	  .default_value = "true",
	  .help = "Counts queries, answers and retries of the view's resolver." },
	{ .name = "CacheRRSets",
	  MC_OPT_BOOL(struct view, cache_rrsets),
	  .default_value = "true",
	  .help = "Counts sets of records in the view's cache, by type." },
	{ .name = "Zone",
	  MC_OPT_STRINGS(struct view, zones),
	  .sample = "example.org/IN",
	  .help = "Zone with its class, of which queries are counted; named needs "
		  "\"zone-statistics full\"." },
	{ 0 }
};

static const struct mc_option options[] = {
	{ .name = "URL",
	  MC_OPT_STRING(struct bind, http.url),
	  .default_value = "http://localhost:8053/",
	  .help = "URL of the statistics channel of named." },
	{ .name = "ParseTime",
	  MC_OPT_BOOL(struct bind, parse_time),
	  .default_value = "true",
	  .help = "Values have the time that the page says; else that of the read." },
	{ .name = "OpCodes",
	  MC_OPT_BOOL(struct bind, opcodes),
	  .default_value = "true",
	  .help = "Counts requests by operation." },
	{ .name = "QTypes",
	  MC_OPT_BOOL(struct bind, qtypes),
	  .default_value = "true",
	  .help = "Counts queries that come in, by type." },
	{ .name = "ServerStats",
	  MC_OPT_BOOL(struct bind, server_stats),
	  .default_value = "true",
	  .help = "Counts requests, answers and refusals of the server." },
	{ .name = "ZoneMaintStats",
	  MC_OPT_BOOL(struct bind, zone_maint_stats),
	  .default_value = "true",
	  .help = "Counts notifications and transfers of zones." },
	{ .name = "ResolverStats",
	  MC_OPT_BOOL(struct bind, resolver_stats),
	  .default_value = "false",
	  .help = "Counts queries of the resolver of the server; BIND has those of views." },
	{ .name = "MemoryStats",
	  MC_OPT_BOOL(struct bind, memory_stats),
	  .default_value = "true",
	  .help = "Measures the memory of named." },
	{ .name = "View",
	  MC_OPT_BLOCKS(struct bind, views),
	  .block = &(const struct mc_block){ .size = sizeof(struct view), .options = view_options },
	  .help = "A view that is measured for itself." },
	MC_SCRAPE_OPTIONS(struct bind, http),
	MC_SCRAPE_MAX_BODY_SIZE(struct bind, http),
	MC_QUOTA_SOURCE_OPTIONS(struct bind, limits, "server", "10000", "1000"),
	{ 0 }
};

MC_PLUGIN(bind) = {
	MC_NAMED(bind),
	.help = "Reads statistics of the name server BIND.",
	.self_size = sizeof(struct bind),
	.options = options,
	.types = (const char *const[]){ "dns_notify", "dns_opcode", "dns_qtype", "dns_qtype_cached",
					"dns_query", "dns_rcode", "dns_reject", "dns_request",
					"dns_resolver", "dns_response", "dns_transfer", "memory",
					NULL },
	.check = bind_check,
	.start = bind_start,
	.run = bind_run,
	.stop = bind_stop,
	.lenient = true,
};
