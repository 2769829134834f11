/* SPDX-License-Identifier: MIT */
/* write_kafka - sends values to topics of Kafka, by librdkafka.
 *
 * write() returns 0 when all topics have acknowledged all messages of the batch, so the journal
 * keeps what they have not, and no more than a batch is in memory.  Options and formats as in
 * collectd.conf(5), "Plugin write_kafka"; OTLP is our own. */
#include <collector/check.h>
#include <collector/kit/alloc.h>
#include <collector/plugin.h>
#include <collector/writer.h>

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "messages.h"
#include "producer.h"

#define POLL_MS 50 /* Of real time, which librdkafka goes by. */
#define POLLS 10   /* Without an answer, after which the batch is offered again. */

struct topic_options {
	const char *name;
	struct mc_strings properties;
	struct messages_options messages;
};

struct topic {
	const struct topic_options *options;
	struct messages_options messages_options;
	char *stream;
	struct producer producer;
	struct messages messages;
	struct message message; /* The next one, if 'ready'. */
	bool ready;
	bool begun, done; /* Of the batch. */
};

struct write_kafka {
	struct mc_strings properties;
	struct mc_blocks blocks; /* struct topic_options */
	int64_t size_max;
	mc_time linger;

	struct topic *topics;
	size_t topics_len;
	const struct mc_batch *batch;  /* That is being sent, NULL: none; ... */
	const struct mc_sample *first; /* ... another may come to the same address. */
};

/* --- Options -------------------------------------------------------------- */

static const struct mc_option topic_options[] = {
	{ "", MC_OPT_STRING(struct topic_options, name), .required = true,
	  .help = "Name of the topic.", .sample = "metrics" },
	{ "Format", MC_OPT_WORD(struct topic_options, messages.format), .default_value = "JSON",
	  .words = (const char *const[]){ "JSON", "Command", "Graphite", "OTLP", NULL },
	  .help = "JSON, Command and Graphite as collectd, a message for each value; OTLP, not in "
		  "collectd, a message for each host and batch.",
	  .sample = "OTLP" },
	{ "Key", MC_OPT_STRING(struct topic_options, messages.key),
	  .help = "Key of all messages, or Random for any partition; by default the host, or the "
		  "uuid of a guest.",
	  .sample = "Random" },
	{ "Property", MC_OPT_STRINGS(struct topic_options, properties), .secret = true,
	  .help = "Name and value of a property of librdkafka, for this topic.",
	  .sample = "compression.codec lz4" },
	{ "StoreRates", MC_OPT_BOOL(struct topic_options, messages.store_rates),
	  .default_value = "true",
	  .help = "Sends changes per second instead of raw counters, as JSON and Graphite." },
	{ "GraphitePrefix", MC_OPT_STRING(struct topic_options, messages.path.prefix),
	  .help = "Text before the host; with GraphiteUseTags before the name.",
	  .sample = "collectd." },
	{ "GraphitePostfix", MC_OPT_STRING(struct topic_options, messages.path.postfix),
	  .help = "Text after the host; with GraphiteUseTags after the name.",
	  .sample = ".collectd" },
	{ "GraphiteEscapeChar", MC_OPT_STRING(struct topic_options, messages.path.escape),
	  .default_value = ".", .help = "Takes the place of what a path cannot have." },
	{ "GraphiteSeparateInstances",
	  MC_OPT_BOOL(struct topic_options, messages.path.separate_instances),
	  .default_value = "false",
	  .help = "Instances are components of their own: cpu.0.cpu.idle." },
	{ "GraphiteAlwaysAppendDS", MC_OPT_BOOL(struct topic_options, messages.append_source),
	  .default_value = "false",
	  .help = "Appends the name of the source also where there is one only." },
	{ "GraphitePreserveSeparator",
	  MC_OPT_BOOL(struct topic_options, messages.path.preserve_separator),
	  .default_value = "false",
	  .help = "Leaves dots in names; they separate components then." },
	{ "GraphiteUseTags", MC_OPT_BOOL(struct topic_options, messages.path.use_tags),
	  .default_value = "false", .help = "Sends tagged series, for Graphite 1.1 and later." },
	{ 0 }
};

static const struct mc_block topic_block = { sizeof(struct topic_options), topic_options };

static const struct mc_option options[] = {
	{ "Property", MC_OPT_STRINGS(struct write_kafka, properties), .secret = true,
	  .help = "Name and value of a property of librdkafka, for all topics.",
	  .sample = "metadata.broker.list kafka.example:9092" },
	{ "Topic", MC_OPT_BLOCKS(struct write_kafka, blocks), .block = &topic_block,
	  .required = true, .help = "A topic that gets all values." },
	{ "BatchFlushTimeout", MC_OPT_TIME(struct write_kafka, linger), .default_value = "1",
	  .help = "Seconds that values wait for others, to share a message; 0: they do not wait.",
	  .max = 60 },
	{ "MaxMessageSize", MC_OPT_INT(struct write_kafka, size_max), .default_value = "900000",
	  .help = "Size in bytes of the largest message of OTLP, before compression.",
	  .min = MC_OTLP_SIZE_MIN, .max = 64 << 20 },
	{ 0 }
};

static void check_topic(struct mc_ctx *ctx, const struct topic_options *topic)
{
	const char *const *escape = &topic->messages.path.escape;

	mc_kafka_check(ctx, &topic->properties);
	if (**escape == '\0' || strchr(MC_GRAPHITE_FORBIDDEN ";", **escape) != NULL ||
	    iscntrl((unsigned char)**escape))
		mc_check_error(ctx, escape, "is nothing that a path can have");
	else if ((*escape)[1] != '\0')
		mc_check_warn(ctx, escape, "has more than one character: the first is used");
}

static void write_kafka_check(struct mc_ctx *ctx)
{
	const struct write_kafka *self = ctx->self;
	const struct topic_options *topics = self->blocks.items;

	mc_kafka_check(ctx, &self->properties);
	for (size_t i = 0; i < self->blocks.len; i++)
		check_topic(ctx, &topics[i]);
}

/* --- Life ----------------------------------------------------------------- */

static int open_producer(struct mc_ctx *ctx, struct topic *topic)
{
	const struct write_kafka *self = ctx->self;
	int rc = producer_open(&topic->producer,
			       &(struct producer_options){
				       .topic = topic->options->name,
				       .common = &self->properties,
				       .own = &topic->options->properties,
				       .compress = topic->options->messages.format == MESSAGES_OTLP,
			       });

	if (rc < 0)
		return mc_fail(ctx, 0, "cannot make a producer for topic '%s': %s",
			       topic->options->name, topic->producer.why);
	return 0;
}

static int start_topic(struct mc_ctx *ctx, struct topic *topic, const struct topic_options *given)
{
	const struct write_kafka *self = ctx->self;

	topic->options = given;
	topic->stream = mc_alloc_printf("%s/%s", ctx->name, given->name);
	topic->messages_options = given->messages;
	topic->messages_options.stream = topic->stream;
	topic->messages.options = &topic->messages_options;
	topic->messages.size_max = (size_t)self->size_max;
	messages_init(&topic->messages, ctx);
	return open_producer(ctx, topic);
}

static int write_kafka_start(struct mc_ctx *ctx)
{
	struct write_kafka *self = ctx->self;
	const struct topic_options *given = self->blocks.items;
	int rc = 0;

	mc_linger(ctx, self->linger);
	self->topics = mc_alloc_array(self->blocks.len, sizeof(*self->topics));
	while (rc == 0 && self->topics_len < self->blocks.len) {
		rc = start_topic(ctx, &self->topics[self->topics_len], &given[self->topics_len]);
		self->topics_len++;
	}
	return rc;
}

static void write_kafka_stop(struct mc_ctx *ctx)
{
	struct write_kafka *self = ctx->self;

	for (size_t i = 0; i < self->topics_len; i++) {
		producer_close(&self->topics[i].producer);
		messages_done(&self->topics[i].messages);
		free(self->topics[i].stream);
	}
	free(self->topics);
}

/* --- Writing -------------------------------------------------------------- */

/* Puts messages into the queue as long as they have room.  Whether that were all. */
static bool send_messages(struct mc_ctx *ctx, struct topic *topic, const struct mc_batch *batch)
{
	struct message *message = &topic->message;
	int rc;

	while (topic->ready || messages_next(&topic->messages, ctx, batch, message)) {
		topic->ready = true;
		rc = producer_send(
			&topic->producer,
			&(struct producer_message){
				.key = message->key,
				.key_size = message->key != NULL ? strlen(message->key) : 0,
				.bytes = message->bytes,
				.size = message->size,
				.stream = message->stream[0] != '\0' ? message->stream : NULL,
				.number = message->number,
				.samples_len = message->samples_len,
			});
		if (rc == -EAGAIN)
			return false;
		if (rc < 0)
			topic->producer.refused += message->samples_len;
		topic->ready = false;
	}
	return true;
}

/* Those of a batch that was given up count, too: they are waited for first. */
static void begin(struct topic *topic, const struct mc_batch *batch)
{
	if (topic->producer.waiting > 0)
		return;
	topic->producer.refused = 0;
	topic->producer.failed = false;
	topic->ready = false;
	messages_begin(&topic->messages, batch);
	topic->begun = true;
}

/* Goes on with the batch.  A message without success is sent again with all of the batch: the
 * receiver recognizes by their numbers those that it has. */
static int step(struct mc_ctx *ctx, struct topic *topic, const struct mc_batch *batch)
{
	struct producer *producer = &topic->producer;

	producer_poll(producer, 0);
	if (producer_is_broken(producer)) {
		producer_close(producer);
		topic->begun = false;
		return open_producer(ctx, topic);
	}
	if (!topic->begun)
		begin(topic, batch);
	if (!topic->begun || !send_messages(ctx, topic, batch) || producer->waiting > 0)
		return 0;
	topic->begun = false;
	topic->done = !producer->failed;
	return producer->failed ? -EAGAIN : 0;
}

static struct topic *first_undone(const struct write_kafka *self)
{
	for (size_t i = 0; i < self->topics_len; i++)
		if (!self->topics[i].done)
			return &self->topics[i];
	return NULL;
}

static int wait_more(struct mc_ctx *ctx, const struct topic *topic)
{
	struct write_kafka *self = ctx->self;
	const char *why = topic->producer.why;

	if (mc_stopping(ctx)) /* The batch may be gone when the next one comes. */
		self->batch = NULL;
	return mc_fail(ctx, EAGAIN, "values for topic '%s' wait: %s", topic->options->name,
		       why[0] != '\0' ? why : "Kafka does not answer");
}

/* Sends until all topics have everything, or one of them does not get on. */
static int send_batch(struct mc_ctx *ctx, const struct mc_batch *batch)
{
	struct write_kafka *self = ctx->self;
	struct topic *topic;
	unsigned polls = 0;
	uint64_t waiting;
	int rc;

	while ((topic = first_undone(self)) != NULL) {
		for (size_t i = 0; i < self->topics_len; i++) {
			rc = self->topics[i].done ? 0 : step(ctx, &self->topics[i], batch);
			if (rc < 0)
				return wait_more(ctx, &self->topics[i]);
		}
		if (topic->done)
			continue;
		waiting = topic->producer.waiting;
		producer_poll(&topic->producer, POLL_MS);
		polls = topic->producer.waiting < waiting ? 0 : polls + 1;
		if (polls >= POLLS || (polls > 0 && mc_stopping(ctx)))
			return wait_more(ctx, topic);
	}
	return 0;
}

/* A sample that several topics refuse is one. */
static void drop_refused(struct mc_ctx *ctx)
{
	const struct write_kafka *self = ctx->self;
	const struct topic *worst = &self->topics[0];

	for (size_t i = 1; i < self->topics_len; i++)
		if (self->topics[i].producer.refused > worst->producer.refused)
			worst = &self->topics[i];
	if (worst->producer.refused > 0)
		mc_drop(ctx, worst->producer.refused, 0, "topic '%s' refuses messages: %s",
			worst->options->name, worst->producer.why);
}

static int write_kafka_write(struct mc_ctx *ctx, const struct mc_batch *batch)
{
	struct write_kafka *self = ctx->self;
	const struct mc_sample *first = mc_next(batch, NULL);
	int rc;

	if (self->batch != batch || self->first != first)
		for (size_t i = 0; i < self->topics_len; i++)
			self->topics[i].begun = self->topics[i].done = false;
	self->batch = batch;
	self->first = first;
	rc = send_batch(ctx, batch);
	if (rc < 0)
		return rc;
	drop_refused(ctx);
	self->batch = NULL;
	return 0;
}

static void write_kafka_where(struct mc_ctx *ctx, const char *name, char *out, size_t size)
{
	const struct write_kafka *self = ctx->self;
	const struct topic_options *topic = self->blocks.items;

	(void)name;
	snprintf(out, size, "topic %s%s", topic->name, self->blocks.len > 1 ? " and others" : "");
}

static const struct mc_writer writer = {
	.write = write_kafka_write,
	.where = write_kafka_where,
	.durable = true,
};

MC_PLUGIN(write_kafka) = {
	MC_NAMED(write_kafka),
	.help = "Sends values to topics of Kafka.",
	.self_size = sizeof(struct write_kafka),
	.options = options,
	.check = write_kafka_check,
	.start = write_kafka_start,
	.writer = &writer,
	.stop = write_kafka_stop,
	.wants_journal = true,
	.lenient = true,
};
