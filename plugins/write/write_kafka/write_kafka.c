/* SPDX-License-Identifier: MIT */
/* write_kafka - sends values to topics of Kafka, by librdkafka.
 *
 * write() returns 0 when all messages of the batch are in the queues of all topics; the journal's
 * cursor moves when they have acknowledged them and all before.  Options and formats as in
 * collectd.conf(5), "Plugin write_kafka"; OTLP is our own. */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include <collector/check.h>
#include <collector/journal.h>
#include <collector/kit/alloc.h>
#include <collector/kit/condition.h>
#include <collector/kit/lock.h>
#include <collector/kit/wait.h>
#include <collector/plugin.h>
#include <collector/writer.h>

#include "kit/base/tenant_text.h"
#include "kit/series/graphite_check.h"
#include "sender.h"

/* Real time, which librdkafka goes by. */
#define PATIENCE_MS 500 /* Without an answer. */
#define SLICE_MS 50
#define STOP_MS 3000 /* For answers at the end. */

#define TOPIC_SIZE_MAX 249 /* Kafka takes no longer name. */

struct write_kafka {
	struct mc_strings properties;
	struct mc_blocks blocks; /* struct topic_options */
	int64_t size_max;
	mc_time linger;

	struct sender *senders; /* One for each topic. */
	size_t senders_len;
	int wake, timer; /* An eventfd and a timerfd of PATIENCE_MS. */

	pthread_mutex_t lock;
	pthread_cond_t progress;             /* Answers came. */
	const struct mc_batch *batch;        /* That write() has, NULL: none; ... */
	const struct mc_sample *first;       /* ... another may come to the same address. */
	struct unacked_batch *unacked_batch; /* Its own. */
	struct unacked_batches batches MC_GUARDED_BY(lock);
	uint64_t waiting MC_GUARDED_BY(lock); /* Samples that are not acknowledged. */
	uint64_t answers MC_GUARDED_BY(lock);
};

/* --- Options -------------------------------------------------------------- */

static const struct mc_option topic_options[] = {
	{ "", MC_OPT_STRING(struct topic_options, name), .required = true,
	  .help = "Name of the topic; with \"%{tenant}\" each tenant has its own.",
	  .sample = "metrics" },
	{ "Format", MC_OPT_WORD(struct topic_options, messages.text.format),
	  .default_value = "JSON",
	  .words = (const char *const[]){ MC_SAMPLE_FORMATS, "OTLP", NULL },
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
	{ "MaxTenants", MC_OPT_INT(struct topic_options, tenants_max), .default_value = "1000",
	  .help = "With \"%{tenant}\": values of more tenants than these are refused.", .min = 1,
	  .max = 100000 },
	{ "MissingTopicTimeout", MC_OPT_TIME(struct topic_options, patience), .default_value = "60",
	  .help = "With \"%{tenant}\": seconds that values wait for a topic that is missing or "
		  "not allowed; they are refused then.",
	  .max = 3600 },
	{ "StoreRates", MC_OPT_BOOL(struct topic_options, messages.text.store_rates),
	  .default_value = "true",
	  .help = "Sends changes per second instead of raw counters, as JSON and Graphite." },
	MC_SAMPLE_TEXT_OPTIONS(struct topic_options, messages.text, "."),
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

/* Also that of a tenant whose name is as long as it can be. */
static void check_name(struct mc_ctx *ctx, const struct topic_options *topic)
{
	char tenant[TOPIC_SIZE_MAX + 1], *name;

	memset(tenant, 'x', sizeof(tenant) - 1);
	tenant[sizeof(tenant) - 1] = '\0';
	name = mc_tenant_fill(topic->name, tenant);
	if (strlen(name) > TOPIC_SIZE_MAX)
		mc_check_error(ctx, &topic->name, "is longer than Kafka takes");
	free(name);
}

static void check_topic(struct mc_ctx *ctx, const struct topic_options *topic)
{
	check_name(ctx, topic);
	mc_kafka_check(ctx, &topic->properties);
	mc_graphite_check(ctx, &topic->messages.text.path);
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

static int start_senders(struct mc_ctx *ctx)
{
	struct write_kafka *self = ctx->self;
	const struct topic_options *topics = self->blocks.items;
	int rc = 0;

	self->senders = mc_alloc_array(self->blocks.len, sizeof(*self->senders));
	memset(self->senders, 0, self->blocks.len * sizeof(*self->senders));
	for (size_t i = 0; rc == 0 && i < self->blocks.len; i++) {
		self->senders_len++;
		rc = sender_start(&self->senders[i], ctx,
				  &(struct sender_settings){
					  .topic = &topics[i],
					  .properties = &self->properties,
					  .number = i,
					  .size_max = (size_t)self->size_max,
					  .wake = self->wake,
				  });
	}
	return rc;
}

static int write_kafka_start(struct mc_ctx *ctx) MC_NO_LOCK
{
	struct write_kafka *self = ctx->self;

	pthread_mutex_init(&self->lock, NULL);
	mc_condition_init(&self->progress);
	self->batches.topics_len = self->blocks.len;
	mc_linger(ctx, self->linger);
	self->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	self->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (self->wake < 0 || self->timer < 0)
		return mc_fail(ctx, errno, "cannot make an eventfd or a timerfd");
	return start_senders(ctx);
}

/* Without a journal what was not acknowledged is lost. */
static void write_kafka_stop(struct mc_ctx *ctx) MC_NO_LOCK
{
	struct write_kafka *self = ctx->self;
	bool recorded = self->batches.last != NULL && self->batches.last->recorded;
	uint64_t left;

	for (size_t i = 0; i < self->senders_len; i++)
		sender_stop(&self->senders[i]);
	left = unacked_free_batches(&self->batches);
	if (left > 0 && recorded) {
		mc_log(ctx, MC_NOTE,
		       "%" PRIu64
		       " values are not acknowledged at the end; they stay in the journal",
		       left);
	} else if (left > 0) {
		mc_drop(ctx, left, 0, "%" PRIu64 " values are not acknowledged at the end", left);
		mc_set_waiting(ctx, 0);
	}
	free(self->senders);
	if (self->wake > 0)
		close(self->wake);
	if (self->timer > 0)
		close(self->timer);
	pthread_cond_destroy(&self->progress);
	pthread_mutex_destroy(&self->lock);
}

/* --- Writing -------------------------------------------------------------- */

static void begin(struct write_kafka *self, const struct mc_batch *batch) MC_REQUIRES(self->lock)
{
	if (self->batch != NULL) /* It was given up. */
		self->unacked_batch->whole = true;
	self->batch = batch;
	self->first = mc_next(batch, NULL);
	self->unacked_batch = unacked_begin(&self->batches);
	for (size_t i = 0; i < self->senders_len; i++)
		sender_begin(&self->senders[i], batch);
}

/* Puts messages into the queues.  Whether these are all. */
static bool go_on(struct write_kafka *self, const struct mc_batch *batch) MC_REQUIRES(self->lock)
{
	bool all = true;

	for (size_t i = 0; i < self->senders_len; i++)
		all &= sender_go_on(&self->senders[i], batch, self->unacked_batch);
	return all;
}

static void end(struct mc_ctx *ctx) MC_NO_LOCK /* The caller holds it. */
{
	struct write_kafka *self = ctx->self;
	struct unacked_batch *batch = self->unacked_batch;

	batch->whole = true;
	batch->recorded = mc_offset_end(ctx, &batch->end);
	for (size_t i = 0; i < self->senders_len; i++)
		if (self->senders[i].samples > batch->samples)
			batch->samples = self->senders[i].samples;
	self->waiting += batch->samples;
	self->batch = NULL;
}

/* Gives the lock up meanwhile.  False: no answer came for some time. */
static bool wait_for_room(struct mc_ctx *ctx) MC_NO_LOCK /* The caller holds it. */
{
	struct write_kafka *self = ctx->self;
	uint64_t answers = self->answers;

	for (int ms = 0; ms < PATIENCE_MS && answers == self->answers; ms += SLICE_MS) {
		if (mc_stopping(ctx))
			return false;
		struct timespec until = mc_condition_until(SLICE_MS * MC_MILLISECOND);

		pthread_cond_timedwait(&self->progress, &self->lock, &until);
	}
	return answers != self->answers;
}

static void wake(const struct write_kafka *self)
{
	static const uint64_t one = 1;

	if (write(self->wake, &one, sizeof(one)) < 0)
		return; /* It can be read already. */
}

static int write_kafka_write(struct mc_ctx *ctx, const struct mc_batch *batch)
{
	struct write_kafka *self = ctx->self;
	bool all, room = true;

	pthread_mutex_lock(&self->lock);
	if (self->batch != batch || self->first != mc_next(batch, NULL))
		begin(self, batch);
	while (!(all = go_on(self, batch)) && room)
		room = wait_for_room(ctx);
	if (all)
		end(ctx);
	else if (mc_stopping(ctx)) /* It may be gone when the next one comes. */
		self->first = NULL;
	pthread_mutex_unlock(&self->lock);
	wake(self);
	return all ? 0 : mc_fail(ctx, EAGAIN, "values wait for room in the queue of librdkafka");
}

/* --- Answers -------------------------------------------------------------- */

/* Takes the answers that are there, and reports them to the core.  Whether there were some. */
static bool step(struct mc_ctx *ctx)
{
	struct write_kafka *self = ctx->self;
	struct unacked_result result = { 0 };
	char why[MC_KAFKA_WHY_SIZE] = "";
	uint64_t answers = 0;
	bool progress;

	pthread_mutex_lock(&self->lock);
	for (size_t i = 0; i < self->senders_len; i++) {
		sender_step(&self->senders[i]);
		answers += self->senders[i].answers;
		if (self->senders[i].refusal[0] != '\0')
			memcpy(why, self->senders[i].refusal, sizeof(why));
	}
	unacked_settle(&self->batches, &result);
	self->waiting -= result.samples;
	mc_set_waiting(ctx, self->waiting);
	progress = answers != self->answers;
	if (progress)
		pthread_cond_signal(&self->progress);
	self->answers = answers;
	pthread_mutex_unlock(&self->lock);
	if (result.refused > 0)
		mc_drop(ctx, result.refused, 0, "Kafka refuses messages: %s", why);
	if (result.recorded)
		mc_ack(ctx, result.end);
	return progress;
}

/* Reports topics that do not answer. */
static void look(struct mc_ctx *ctx)
{
	struct write_kafka *self = ctx->self;
	char why[MC_KAFKA_WHY_SIZE], failure[MC_KAFKA_WHY_SIZE + 300] = "";
	bool waits;

	for (size_t i = 0; i < self->senders_len; i++) {
		struct sender *sender = &self->senders[i];
		const char *topic = sender->options->name;

		pthread_mutex_lock(&self->lock);
		waits = sender_waits(sender);
		snprintf(why, sizeof(why), "%s",
			 sender->producer.why[0] != '\0' ? sender->producer.why
							 : "Kafka does not answer");
		pthread_mutex_unlock(&self->lock);
		if (waits) {
			snprintf(failure, sizeof(failure), "values for topic '%s' wait: %s", topic,
				 why);
			mc_complain(ctx, &sender->once, 0, "%s", failure);
		} else {
			mc_works(ctx, &sender->once, "topic '%s' takes values again", topic);
		}
	}
	mc_set_failure(ctx, failure);
}

static bool is_idle(struct write_kafka *self)
{
	bool idle;

	pthread_mutex_lock(&self->lock);
	idle = self->batches.first == NULL;
	pthread_mutex_unlock(&self->lock);
	return idle;
}

/* Some time for what is under way, as long as answers come. */
static void finish(struct mc_ctx *ctx)
{
	struct write_kafka *self = ctx->self;
	struct pollfd fd = { self->wake, POLLIN, 0 };
	uint64_t count;
	int silent = 0;

	for (int i = 0; i < STOP_MS / SLICE_MS && silent < PATIENCE_MS; i++) {
		silent = step(ctx) ? 0 : silent + SLICE_MS;
		if (is_idle(self))
			return;
		if (poll(&fd, 1, SLICE_MS) > 0 && read(self->wake, &count, sizeof(count)) > 0)
			silent -= SLICE_MS; /* It came before. */
	}
}

static int write_kafka_run(struct mc_ctx *ctx)
{
	struct write_kafka *self = ctx->self;
	const struct timespec patience = { 0, PATIENCE_MS * MC_MILLISECOND };
	struct pollfd fds[] = { { self->wake, POLLIN, 0 }, { self->timer, POLLIN, 0 } };
	uint64_t count;
	int rc;

	timerfd_settime(self->timer, 0, &(struct itimerspec){ patience, patience }, NULL);
	while ((rc = mc_wait(ctx, fds, 2, INT64_MAX)) >= 0) {
		if (fds[0].revents != 0 && read(self->wake, &count, sizeof(count)) < 0 &&
		    errno != EAGAIN)
			rc = -errno;
		step(ctx);
		if (fds[1].revents != 0 && read(self->timer, &count, sizeof(count)) > 0)
			look(ctx);
	}
	finish(ctx);
	return rc == -ECANCELED ? 0 : mc_fail(ctx, -rc, "cannot wait");
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
	.acks_async = true,
};

MC_PLUGIN(write_kafka) = {
	MC_NAMED(write_kafka),
	.help = "Sends values to topics of Kafka.",
	.self_size = sizeof(struct write_kafka),
	.options = options,
	.check = write_kafka_check,
	.start = write_kafka_start,
	.writer = &writer,
	.run = write_kafka_run,
	.stop = write_kafka_stop,
	.wants_journal = true,
	.lenient = true,
};
