/* SPDX-License-Identifier: MIT */
/* kafka - reads values from topics of Kafka, by librdkafka: those of write_kafka, and those of
 * collectd's plugin of that name. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/check.h>
#include <collector/kit/alloc.h>
#include <collector/plugin.h>

#include "reader.h"

enum assign { ASSIGN_GROUP, ASSIGN_FIXED };
enum start_at { START_AT_EARLIEST, START_AT_LATEST };

struct kafka {
	struct mc_blocks blocks; /* struct topic_options */
	int assign, start_at;
	const char *group;
	char *own_group; /* Where none is given. */

	struct reader_options options;
	struct reader reader;
};

/* --- Options -------------------------------------------------------------- */

static const struct mc_option topic_options[] = {
	{ "", MC_OPT_STRING(struct topic_options, name), .required = true,
	  .help = "Name of the topic.", .sample = "metrics" },
	{ "Format", MC_OPT_WORD(struct topic_options, format), .default_value = "Auto",
	  .words = (const char *const[]){ "Auto", "OTLP", "JSON", "Command", "Graphite", NULL },
	  .help = "Format of its records, as in write_kafka; Auto: by how each begins." },
	{ "Partitions", MC_OPT_INTS(struct topic_options, partitions),
	  .help = "Numbers of the partitions that are read with Assign fixed.", .sample = "0 1",
	  .min = 0, .max = 1e6 },
	{ "StateTopic", MC_OPT_STRING(struct topic_options, state_topic),
	  .help = "Name of a compacted topic of as many partitions, in which the members of the "
		  "group keep the states of thresholds for each other.",
	  .sample = "metrics.states" },
	MC_PATHS_OPTIONS(struct topic_options, paths),
	MC_QUOTA_SOURCE_OPTIONS(struct topic_options, limits, "topic", "1000000", "1000000"),
	{ 0 }
};

static const struct mc_block topic_block = { sizeof(struct topic_options), topic_options };

static const struct mc_option options[] = {
	{ "Property", MC_OPT_STRINGS(struct kafka, options.properties), .secret = true,
	  .help = "Name and value of a property of librdkafka, for all topics.",
	  .sample = "metadata.broker.list kafka.example:9092" },
	{ "Topic", MC_OPT_BLOCKS(struct kafka, blocks), .block = &topic_block, .required = true,
	  .help = "A topic that is read." },
	{ "Assign", MC_OPT_WORD(struct kafka, assign), .default_value = "group",
	  .words = (const char *const[]){ "group", "fixed", NULL },
	  .help = "group: the members of the group share the partitions, and take over those of "
		  "one that fails; fixed: it reads those of the option Partitions." },
	{ "Group", MC_OPT_STRING(struct kafka, group),
	  .help = "Name of the group; by default collector, or with Assign fixed collector. and "
		  "the name of this host.",
	  .sample = "judges" },
	{ "StartAt", MC_OPT_WORD(struct kafka, start_at), .default_value = "earliest",
	  .words = (const char *const[]){ "earliest", "latest", NULL },
	  .help = "Record at which a partition begins that the group has not read yet." },
	{ "MaxRecordSize", MC_OPT_INT(struct kafka, options.size_max), .default_value = "4194304",
	  .help = "Size in bytes of the largest record that is taken.", .min = 1024,
	  .max = 1 << 30 },
	{ "RefusedRecords", MC_OPT_INT(struct kafka, options.refused_max), .default_value = "16",
	  .help = "Number of refused records that are kept as files, the newest ones; 0: none.",
	  .max = 10000 },
	{ "TemplateCacheBytes", MC_OPT_INT(struct kafka, options.template_bytes),
	  .default_value = "67108864",
	  .help = "Size in bytes of the templates of requests, with which only "
		  "times and values are read; 0: no templates.",
	  .min = 0, .max = (double)((int64_t)1 << 40) },
	{ 0 }
};

static void check_properties(struct mc_ctx *ctx, const struct kafka *self)
{
	const struct mc_strings *words = &self->options.properties;
	bool brokers = false;

	mc_kafka_check(ctx, words);
	for (size_t i = 0; i + 1 < words->len; i += 2) {
		const char *name = words->items[i];

		if (consumer_owns(name))
			mc_check_error(ctx, &words->items[i], "'%s' is set by the plugin", name);
		brokers |= strcmp(name, "metadata.broker.list") == 0 ||
			   strcmp(name, "bootstrap.servers") == 0 ||
			   strcmp(name, "test.mock.num.brokers") == 0;
	}
	if (!brokers)
		mc_check_error(ctx, words, "needs metadata.broker.list and the brokers");
}

static void kafka_check(struct mc_ctx *ctx)
{
	const struct kafka *self = ctx->self;
	const struct topic_options *topics = self->blocks.items;
	char key[512];

	check_properties(ctx, self);
	for (size_t i = 0; i < self->blocks.len; i++) {
		const struct topic_options *topic = &topics[i];

		snprintf(key, sizeof(key), "topic %s of %s", topic->name, ctx->name);
		mc_check_only(ctx, &topic->name, key);
		mc_paths_check(ctx, &topic->paths);
		if (self->assign == ASSIGN_FIXED && topic->partitions.len == 0)
			mc_check_error(ctx, &topic->partitions,
				       "is missing: Assign fixed reads only these");
		else if (self->assign == ASSIGN_GROUP && topic->partitions.len > 0)
			mc_check_warn(ctx, &topic->partitions, "has no effect with Assign group");
		if (self->assign == ASSIGN_FIXED && topic->state_topic != NULL)
			mc_check_warn(ctx, &topic->state_topic, "has no effect with Assign fixed");
	}
}

/* --- Life ----------------------------------------------------------------- */

/* Lines of collectd's write_kafka have its paths.  A group shares all partitions. */
static void adjust_topics(struct kafka *self)
{
	struct topic_options *topics = self->blocks.items;

	for (size_t i = 0; i < self->blocks.len; i++) {
		topics[i].paths.fallback = "collectd";
		if (self->assign == ASSIGN_GROUP)
			topics[i].partitions.len = 0;
	}
}

static void hear_state(struct mc_ctx *ctx, const struct mc_judge_state *state)
{
	struct kafka *self = ctx->self;

	reader_hear(&self->reader, state);
}

static int kafka_start(struct mc_ctx *ctx)
{
	struct kafka *self = ctx->self;

	adjust_topics(self);
	if (self->group == NULL)
		self->own_group = self->assign == ASSIGN_FIXED
					  ? mc_alloc_printf("collector.%s", ctx->host)
					  : mc_alloc_printf("collector");
	self->options.group = self->group != NULL ? self->group : self->own_group;
	self->options.topics = self->blocks.items;
	self->options.topics_len = self->blocks.len;
	self->options.shares = self->assign == ASSIGN_GROUP;
	self->options.from_latest = self->start_at == START_AT_LATEST;
	mc_hear_states(ctx, hear_state);
	return reader_start(&self->reader, ctx, &self->options);
}

static int kafka_run(struct mc_ctx *ctx)
{
	struct kafka *self = ctx->self;

	return reader_run(&self->reader);
}

static int kafka_read(struct mc_ctx *ctx, struct mc_batch *out)
{
	struct kafka *self = ctx->self;

	reader_report(&self->reader, out);
	return 0;
}

static void kafka_stop(struct mc_ctx *ctx)
{
	struct kafka *self = ctx->self;

	reader_stop(&self->reader);
	free(self->own_group);
}

MC_PLUGIN(kafka) = {
	MC_NAMED(kafka),
	.help = "Reads values from topics of Kafka.",
	.self_size = sizeof(struct kafka),
	.options = options,
	.types = (const char *const[]){ "errors", "gauge", "queue_length", "total_bytes",
					"total_objects", "total_values", NULL },
	.check = kafka_check,
	.start = kafka_start,
	.run = kafka_run,
	.read = kafka_read,
	.stop = kafka_stop,
	.wants_journal = true,
};
