/* SPDX-License-Identifier: MIT */
/* mqtt - values to and from brokers of MQTT.
 *
 * Options as in collectd.conf(5), "Plugin mqtt".  write() returns when the brokers have taken all
 * of a batch, so that the journal keeps the rest. */
#include <collector/check.h>
#include <collector/kit/alloc.h>
#include <collector/kit/wait.h>
#include <collector/plugin.h>
#include <collector/serve.h>
#include <collector/writer.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "publish.h"
#include "subscribe.h"

struct mqtt {
	struct mc_blocks publish_blocks, subscribe_blocks;
	bool report_stats;

	struct publish *publishes;
	struct subscribe *subscribes;
	size_t publishes_len;
	const char **topics; /* Of the subscriptions. */
};

static const struct mc_option publish_options[] = {
	BROKER_OPTIONS(struct publish_options, broker, "0"),
	{ "Prefix", MC_OPT_STRING(struct publish_options, prefix), .default_value = "collectd",
	  .help = "First part of topics; \"\": none." },
	{ "Retain", MC_OPT_BOOL(struct publish_options, retain), .default_value = "false",
	  .help = "Has the broker keep the last message of each topic." },
	{ "StoreRates", MC_OPT_BOOL(struct publish_options, store_rates), .default_value = "true",
	  .help = "Sends changes per second instead of raw counters." },
	{ 0 }
};

static const struct mc_option subscribe_options[] = {
	BROKER_OPTIONS(struct subscribe_options, broker, "2"),
	{ "Topic", MC_OPT_STRING(struct subscribe_options, topic), .default_value = "collectd/#",
	  .help = "Topics that are received, with the wildcards + and #." },
	{ "CleanSession", MC_OPT_BOOL(struct subscribe_options, clean_session),
	  .default_value = "true",
	  .help = "The broker forgets the client when it leaves; false: it keeps its messages." },
	{ 0 }
};

static const struct mc_block publish_block = { sizeof(struct publish_options), publish_options };
static const struct mc_block subscribe_block = { sizeof(struct subscribe_options),
						 subscribe_options };

static const struct mc_option options[] = {
	{ "Publish", MC_OPT_BLOCKS(struct mqtt, publish_blocks), .block = &publish_block,
	  .help = "A broker that gets all values." },
	{ "Subscribe", MC_OPT_BLOCKS(struct mqtt, subscribe_blocks), .block = &subscribe_block,
	  .help = "A broker that values come from." },
	{ "ReportStats", MC_OPT_BOOL(struct mqtt, report_stats), .default_value = "false",
	  .help = "Reports messages that were refused; not in collectd." },
	{ 0 }
};

static void mqtt_check(struct mc_ctx *ctx)
{
	const struct mqtt *self = ctx->self;
	const struct publish_options *publishes = self->publish_blocks.items;
	const struct subscribe_options *subscribes = self->subscribe_blocks.items;

	for (size_t i = 0; i < self->publish_blocks.len; i++) {
		broker_check(ctx, &publishes[i].broker);
		if (publishes[i].prefix != NULL && strpbrk(publishes[i].prefix, "+#") != NULL)
			mc_check_error(ctx, &publishes[i].prefix, "has a wildcard");
	}
	for (size_t i = 0; i < self->subscribe_blocks.len; i++) {
		broker_check(ctx, &subscribes[i].broker);
		if (mosquitto_sub_topic_check(subscribes[i].topic) != MOSQ_ERR_SUCCESS)
			mc_check_error(ctx, &subscribes[i].topic, "is no topic of MQTT");
	}
}

/* --- Life ----------------------------------------------------------------- */

static int open_publishes(struct mc_ctx *ctx)
{
	struct mqtt *self = ctx->self;
	const struct publish_options *blocks = self->publish_blocks.items;
	size_t len = self->publish_blocks.len;
	int rc = 0;

	self->publishes = mc_alloc_zero((len + 1) * sizeof(*self->publishes));
	while (self->publishes_len < len && rc == 0) {
		size_t i = self->publishes_len++;

		rc = publish_open(&self->publishes[i], ctx, &blocks[i], ctx->host);
	}
	return rc;
}

static void make_subscribes(struct mqtt *self)
{
	const struct subscribe_options *blocks = self->subscribe_blocks.items;
	size_t len = self->subscribe_blocks.len;

	self->subscribes = mc_alloc_zero((len + 1) * sizeof(*self->subscribes));
	self->topics = mc_alloc_zero((len + 1) * sizeof(*self->topics));
	for (size_t i = 0; i < len; i++)
		self->topics[i] = blocks[i].topic;
}

static int mqtt_start(struct mc_ctx *ctx)
{
	make_subscribes(ctx->self);
	return open_publishes(ctx);
}

/* Values may come from here on. */
static int mqtt_run(struct mc_ctx *ctx)
{
	struct mqtt *self = ctx->self;
	const struct subscribe_options *blocks = self->subscribe_blocks.items;
	size_t len = 0;
	int rc = 0;

	for (; len < self->subscribe_blocks.len && rc == 0; len++)
		rc = subscribe_open(&self->subscribes[len], ctx, &blocks[len], ctx->host);
	if (rc == 0)
		while ((rc = mc_wait(ctx, NULL, 0, INT64_MAX)) >= 0)
			continue;
	for (size_t i = 0; i < len; i++)
		subscribe_close(&self->subscribes[i]);
	return rc == -ECANCELED ? 0 : rc;
}

static void mqtt_stop(struct mc_ctx *ctx)
{
	struct mqtt *self = ctx->self;

	for (size_t i = 0; i < self->publishes_len; i++)
		publish_close(&self->publishes[i]);
	free(self->publishes);
	free(self->subscribes);
	free(self->topics);
}

/* --- Writing -------------------------------------------------------------- */

static int mqtt_write(struct mc_ctx *ctx, const struct mc_batch *batch)
{
	struct mqtt *self = ctx->self;
	const struct mc_strings topics = { self->topics, self->subscribe_blocks.len };
	const struct mc_strings *skip = mc_origin(batch) == ctx ? &topics : NULL;
	const struct broker_options *failed = NULL;

	for (size_t i = 0; i < self->publishes_len; i++)
		if (!publish_batch(&self->publishes[i], batch, skip))
			failed = &self->publishes[i].options->broker;
	if (failed != NULL)
		return mc_fail(ctx, EAGAIN, "'%s' port %d does not take messages", failed->host,
			       (int)failed->port);
	for (size_t i = 0; i < self->publishes_len; i++)
		self->publishes[i].begun = self->publishes[i].done = false;
	return 0;
}

static void mqtt_where(struct mc_ctx *ctx, const char *name, char *out, size_t size)
{
	const struct mqtt *self = ctx->self;
	const struct publish_options *block = self->publish_blocks.items;

	if (self->publish_blocks.len > 0)
		snprintf(out, size, "%s port %d, topic %s/%s%s", block->broker.host,
			 (int)block->broker.port, block->prefix, name,
			 self->publish_blocks.len > 1 ? ", and others" : "");
}

static int mqtt_read(struct mc_ctx *ctx, struct mc_batch *out)
{
	const struct mqtt *self = ctx->self;
	const struct subscribe_options *blocks = self->subscribe_blocks.items;

	for (size_t i = 0; self->report_stats && i < self->subscribe_blocks.len; i++) {
		const union mc_value value = { .derive = (int64_t)self->subscribes[i].refused };

		mc_put(out,
		       mc_series(out, MC_ID(.plugin_instance = blocks[i].broker.name,
					    .type = "total_values", .type_instance = "refused")),
		       &value, 1);
	}
	return 0;
}

static const struct mc_writer writer = {
	.write = mqtt_write,
	.where = mqtt_where,
	.durable = true,
	.repeatable = true,
};

MC_PLUGIN(mqtt) = {
	MC_NAMED(mqtt),
	.help = "Publishes values at brokers of MQTT, and subscribes to them.",
	.self_size = sizeof(struct mqtt),
	.options = options,
	.types = (const char *const[]){ "total_values", NULL },
	.check = mqtt_check,
	.start = mqtt_start,
	.read = mqtt_read,
	.writer = &writer,
	.run = mqtt_run,
	.stop = mqtt_stop,
	.wants_journal = true,
	.lenient = true,
};
