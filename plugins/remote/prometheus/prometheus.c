/* SPDX-License-Identifier: MIT */
/* prometheus: metrics of exporters, as Prometheus reads them.  Facts: prometheus.io/docs,
 * "Configuration" and "Jobs and instances". */
#include <collector/plugin.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/check.h>
#include <collector/kit/alloc.h>
#include <collector/kit/listen_options.h>

#include "target.h"

struct prometheus {
	struct mc_blocks targets; /* struct target */
};

/* --- Checks ------------------------------------------------------------------- */

/* The host in the names of its series; "": this one. */
static void host_of(const struct target *target, char *host, size_t size)
{
	char instance[300];

	host[0] = '\0';
	if (target->names.host != NULL)
		snprintf(host, size, "%s", target->names.host);
	else if (target->http.url != NULL)
		target_address(target->http.url, host, size, instance, sizeof(instance));
	if (target->names.host == NULL && mc_check_is_local(host))
		host[0] = '\0';
}

static bool same_names(const struct target *a, const struct target *b)
{
	char host[256], other[256];

	host_of(a, host, sizeof(host));
	host_of(b, other, sizeof(other));
	return strcmp(a->names.job, b->names.job) == 0 && strcmp(host, other) == 0;
}

static void prometheus_check(struct mc_ctx *ctx)
{
	const struct prometheus *self = ctx->self;
	const struct target *targets = self->targets.items;

	for (size_t i = 0; i < self->targets.len; i++) {
		mc_scrape_check(ctx, &targets[i].http);
		for (size_t j = 0; j < i; j++)
			if (same_names(&targets[i], &targets[j])) {
				mc_check_error(ctx, &targets[i].names.job,
					       "is that of another target of the same host: their "
					       "series would be the same");
				break;
			}
	}
}

/* --- Life --------------------------------------------------------------------- */

static int prometheus_start(struct mc_ctx *ctx)
{
	struct prometheus *self = ctx->self;
	struct target *targets = self->targets.items;

	for (size_t i = 0; i < self->targets.len; i++)
		target_start(ctx, &targets[i]);
	return 0;
}

static int prometheus_run(struct mc_ctx *ctx)
{
	struct prometheus *self = ctx->self;
	struct target *own = self->targets.items;
	size_t len = self->targets.len;
	struct mc_scrape_target *targets = mc_alloc_array(len, sizeof(*targets));
	int rc;

	for (size_t i = 0; i < len; i++) {
		own[i].http.accept = "application/openmetrics-text;version=1.0.0,"
				     "text/plain;version=0.0.4;q=0.5,*/*;q=0.1";
		targets[i] = (struct mc_scrape_target){
			.settings = &own[i].http,
			.interval = own[i].interval,
			.take = target_take,
			.fail = target_fail,
			.argument = &own[i],
		};
	}
	rc = mc_scrape_run(ctx, targets, len);
	free(targets);
	return rc;
}

static void prometheus_stop(struct mc_ctx *ctx)
{
	struct prometheus *self = ctx->self;
	struct target *targets = self->targets.items;

	for (size_t i = 0; i < self->targets.len; i++)
		target_stop(&targets[i]);
}

/* --- The options ---------------------------------------------------------------- */

static const struct mc_option target_options[] = {
	{ .name = "",
	  MC_OPT_STRING(struct target, http.url),
	  .required = true,
	  .sample = "http://localhost:9100/metrics",
	  .help = "URL of the page." },
	{ .name = "Job",
	  MC_OPT_STRING(struct target, names.job),
	  .default_value = "prometheus",
	  .sample = "node",
	  .help = "Plugin in the names of the series, and value of the label \"job\"; targets of "
		  "one host need different ones." },
	{ .name = "Instance",
	  MC_OPT_STRING(struct target, names.instance),
	  .sample = "web1:9100",
	  .help = "Value of the label \"instance\"; by default host and port of the URL." },
	{ .name = "Host",
	  MC_OPT_STRING(struct target, names.host),
	  .sample = "web1.example.org",
	  .help = "Host in the names of the series; by default that of the URL, or this one if "
		  "that is a name of it." },
	{ .name = "Interval",
	  MC_OPT_TIME(struct target, interval),
	  .sample = "60",
	  .min = 0.001,
	  .max = 1e9,
	  .help = "Seconds between two reads; by default the interval of the plugin." },
	{ .name = "HonorLabels",
	  MC_OPT_BOOL(struct target, names.honor_labels),
	  .default_value = "false",
	  .help = "Labels \"job\" and \"instance\" of the page stay; by default they are called "
		  "\"exported_job\" and \"exported_instance\"." },
	{ .name = "HonorTimestamps",
	  MC_OPT_BOOL(struct target, honor_timestamps),
	  .default_value = "false",
	  .help = "Values have the times that the page gives them; by default that of the "
		  "read." },
	{ .name = "SampleLimit",
	  MC_OPT_INT(struct target, sample_limit),
	  .default_value = "0",
	  .min = 0,
	  .max = 1e9,
	  .help = "Largest number of samples of a page; a larger one is not used.  0: no "
		  "limit." },
	MC_QUOTA_SOURCE_OPTIONS(struct target, limits, "page", "100000", "10000"),
	MC_SCRAPE_OPTIONS(struct target, http),
	{ .name = "Header",
	  MC_OPT_STRINGS(struct target, http.headers),
	  .sample = "\"Authorization: Bearer secret\"",
	  .help = "A header of the request, \"Name: value\"." },
	MC_CLIENT_CERTIFICATE_OPTIONS(struct target, http.certificate, http.key),
	MC_SCRAPE_MAX_BODY_SIZE(struct target, http),
	{ 0 }
};

static const struct mc_option options[] = {
	{ .name = "Target",
	  MC_OPT_BLOCKS(struct prometheus, targets),
	  .block = &(const struct mc_block){ .size = sizeof(struct target),
					     .options = target_options },
	  .help = "An exporter whose page is read." },
	{ 0 }
};

MC_PLUGIN(prometheus) = {
	MC_NAMED(prometheus),
	.help = "Reads metrics of exporters of Prometheus.",
	.self_size = sizeof(struct prometheus),
	.options = options,
	.types = (const char *const[]){ "derive", "gauge", "total_time_in_ms", NULL },
	.check = prometheus_check,
	.start = prometheus_start,
	.run = prometheus_run,
	.stop = prometheus_stop,
};
