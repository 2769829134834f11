/* SPDX-License-Identifier: MIT */
/* amqp1 - sends values and notifications to routers and brokers of AMQP 1.0.
 *
 * Options as in collectd.conf(5), "Plugin amqp1".  write() returns 0 when the receivers have
 * accepted all messages of a batch, so that the queue or the journal keeps the rest.  The loop and
 * the connections belong to one thread at a time: write()'s while it sends, otherwise run()'s,
 * which connects and answers heartbeats. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/check.h>
#include <collector/kit/alloc.h>
#include <collector/plugin.h>
#include <collector/writer.h>

#include "kit/net/certificate.h"
#include "kit/net/shared_loop.h"
#include "kit/series/graphite_check.h"
#include "transport.h"

/* For receivers to accept what they have been given. */
static const mc_time patience = 500 * MC_MILLISECOND;

struct amqp1 {
	struct mc_blocks blocks; /* struct transport_options */

	struct shared_loop shared; /* The loop of the next. */
	struct transport *transports;
	size_t transports_len;
};

/* --- Options -------------------------------------------------------------- */

static const struct mc_option instance_options[] = {
	{ "", MC_OPT_STRING(struct instance_options, name), .required = true,
	  .help = "The address of its messages is /ADDRESS/NAME.", .sample = "telemetry" },
	{ "Format", MC_OPT_WORD(struct instance_options, text.format), .default_value = "JSON",
	  .words = (const char *const[]){ MC_SAMPLE_FORMATS, NULL },
	  .help = "Format of the messages, each of a value list or a notification." },
	{ "PreSettle", MC_OPT_BOOL(struct instance_options, pre_settle), .default_value = "false",
	  .help = "Does not wait for the receiver to accept messages: those under way are lost "
		  "with a connection." },
	{ "Notify", MC_OPT_BOOL(struct instance_options, notify), .default_value = "false",
	  .help = "Sends notifications instead of values, as JSON." },
	{ "StoreRates", MC_OPT_BOOL(struct instance_options, text.store_rates),
	  .default_value = "false",
	  .help = "Sends changes per second instead of raw counters, as JSON and Graphite." },
	MC_SAMPLE_TEXT_OPTIONS(struct instance_options, text, "_"),
	{ 0 }
};

static const struct mc_block instance_block = { sizeof(struct instance_options), instance_options };

static const struct mc_option transport_options[] = {
	{ "", MC_OPT_STRING(struct transport_options, name), .required = true,
	  .help = "Name of this container, as the receiver shows it.", .sample = "collector" },
	{ "Host", MC_OPT_STRING(struct transport_options, host), .default_value = "localhost",
	  .help = "Name or address of the router or broker." },
	{ "Port", MC_OPT_STRING(struct transport_options, port), .default_value = "5672",
	  .help = "Port or name of a service." },
	{ "User", MC_OPT_STRING(struct transport_options, user),
	  .help = "User at the receiver; by default none, without SASL.", .sample = "guest" },
	{ "Password", MC_OPT_STRING(struct transport_options, password),
	  .help = "Password of that user.", .secret = true, .sample = "guest" },
	{ "Address", MC_OPT_STRING(struct transport_options, address), .default_value = "collectd",
	  .help = "First part of the addresses of messages." },
	{ "RetryDelay", MC_OPT_TIME(struct transport_options, retry_delay), .default_value = "1",
	  .help = "Seconds between two tries to connect, at most.", .min = 1, .max = 3600 },
	{ "SendQueueLimit", MC_OPT_INT(struct transport_options, messages_max),
	  .default_value = "0",
	  .help = "Messages of an instance that are under way at most; further values wait in "
		  "the queue or the journal.  0: 1000.",
	  .max = 100000 },
	{ "CACert", MC_OPT_STRING(struct transport_options, ca),
	  .help = "File with the authorities that must have signed the receiver's certificate; "
		  "with it TLS is used.",
	  .sample = "/etc/collector/ca.pem" },
	{ "CertificateFile", MC_OPT_STRING(struct transport_options, certificate),
	  .help = "File with the certificate of this client.",
	  .sample = "/etc/collector/agent.pem" },
	{ "CertificateKeyFile", MC_OPT_STRING(struct transport_options, key),
	  .help = "File with the key of that certificate.", .sample = "/etc/collector/agent.key" },
	{ "Instance", MC_OPT_BLOCKS(struct transport_options, instances), .block = &instance_block,
	  .required = true, .help = "What is sent: values, or notifications." },
	{ 0 }
};

static const struct mc_block transport_block = { sizeof(struct transport_options),
						 transport_options };

static const struct mc_option options[] = { { "Transport", MC_OPT_BLOCKS(struct amqp1, blocks),
					      .block = &transport_block, .required = true,
					      .help = "A connection to a router or broker." },
					    { 0 } };

static void check_instance(struct mc_ctx *ctx, const struct instance_options *instance)
{
	mc_graphite_check(ctx, &instance->text.path);
	if (instance->notify && instance->text.format != MC_SAMPLE_JSON)
		mc_check_error(ctx, &instance->text.format,
			       "is no format of notifications: they are JSON");
}

static void check_transport(struct mc_ctx *ctx, const struct transport_options *transport)
{
	const struct instance_options *instances = transport->instances.items;

	mc_check_address(ctx, &transport->host, &transport->port);
	mc_check_password(ctx, &transport->password);
	mc_check_certificates(ctx, &transport->ca);
	mc_check_key_pair(ctx, &transport->certificate, &transport->key);
	if (transport->certificate != NULL && transport->ca == NULL)
		mc_check_error(ctx, &transport->certificate, "is without CACert");
	for (size_t i = 0; i < transport->instances.len; i++)
		check_instance(ctx, &instances[i]);
}

static void amqp1_check(struct mc_ctx *ctx)
{
	const struct amqp1 *self = ctx->self;
	const struct transport_options *transports = self->blocks.items;

	for (size_t i = 0; i < self->blocks.len; i++)
		check_transport(ctx, &transports[i]);
}

/* --- Writing -------------------------------------------------------------- */

struct offer { /* Offered to the senders: one of the two is NULL. */
	const struct mc_batch *batch;
	const struct mc_notification *notification;
};

/* Whether the sender has nothing to do with it, or its receiver has accepted all. */
static bool is_taken(struct sender *sender, const struct offer *offer)
{
	if (sender->options->notify != (offer->notification != NULL))
		return true;
	if (offer->notification != NULL)
		return sender_notify(sender, offer->notification);
	return sender_write(sender, offer->batch);
}

/* Gives each sender what it has room for; returns whether all receivers have all of it. */
static bool push(struct amqp1 *self, const struct offer *offer)
{
	bool taken = true;

	for (size_t i = 0; i < self->transports_len; i++) {
		struct transport *transport = &self->transports[i];

		for (size_t j = 0; j < transport->senders_len; j++)
			taken &= is_taken(&transport->senders[j], offer);
		transport_push(transport);
	}
	return taken;
}

static bool any_is_trying(const struct amqp1 *self)
{
	for (size_t i = 0; i < self->transports_len; i++)
		if (transport_is_trying(&self->transports[i]))
			return true;
	return false;
}

static bool push_all(struct amqp1 *self, const struct offer *offer)
{
	mc_time until;

	if (mc_loop_round(&self->shared.loop, 0) != 0)
		return false;
	until = self->shared.loop.now + patience;
	while (!push(self, offer))
		if (!any_is_trying(self) || self->shared.loop.now >= until ||
		    mc_loop_round(&self->shared.loop, until) != 0)
			return false;
	for (size_t i = 0; i < self->transports_len; i++)
		for (size_t j = 0; j < self->transports[i].senders_len; j++)
			sender_end(&self->transports[i].senders[j], offer->notification != NULL);
	return true;
}

/* The reason is that of the first receiver that has one. */
static int wait_more(struct mc_ctx *ctx)
{
	const struct amqp1 *self = ctx->self;

	for (size_t i = 0; i < self->transports_len; i++) {
		const struct transport *transport = &self->transports[i];

		if (transport->why[0] != '\0')
			return mc_fail(
				ctx, EAGAIN, "messages wait: cannot send to '%s' port '%s': %s",
				transport->options->host, transport->options->port, transport->why);
	}
	return mc_fail(ctx, EAGAIN, "messages wait: not every receiver accepts them");
}

static int take_offer(struct mc_ctx *ctx, const struct offer *offer)
{
	struct amqp1 *self = ctx->self;
	int rc;

	shared_loop_borrow(&self->shared);
	rc = push_all(self, offer) ? 0 : wait_more(ctx);
	shared_loop_return(&self->shared);
	return rc;
}

static int amqp1_write(struct mc_ctx *ctx, const struct mc_batch *batch)
{
	return take_offer(ctx, &(struct offer){ .batch = batch });
}

static int amqp1_notify(struct mc_ctx *ctx, const struct mc_notification *notification)
{
	return take_offer(ctx, &(struct offer){ .notification = notification });
}

static void amqp1_where(struct mc_ctx *ctx, const char *name, char *out, size_t size)
{
	const struct amqp1 *self = ctx->self;
	const struct transport_options *transport = self->blocks.items;

	(void)name;
	snprintf(out, size, "%s port %s, addresses /%s/...%s", transport->host, transport->port,
		 transport->address, self->blocks.len > 1 ? ", and others" : "");
}

/* --- Life ------------------------------------------------------------------- */

static int amqp1_run(struct mc_ctx *ctx)
{
	struct amqp1 *self = ctx->self;

	return shared_loop_run(&self->shared, NULL, NULL);
}

static int amqp1_start(struct mc_ctx *ctx)
{
	struct amqp1 *self = ctx->self;
	const struct transport_options *blocks = self->blocks.items;
	size_t len = self->blocks.len;
	int rc;

	rc = shared_loop_init(&self->shared, ctx);
	if (rc != 0)
		return rc;
	self->transports = mc_alloc_zero((len + 1) * sizeof(*self->transports));
	for (; self->transports_len < len; self->transports_len++) {
		struct transport *transport = &self->transports[self->transports_len];

		transport_init(transport, ctx, &blocks[self->transports_len], &self->shared.room);
		transport_open(transport);
	}
	return 0;
}

static void amqp1_stop(struct mc_ctx *ctx)
{
	struct amqp1 *self = ctx->self;

	for (size_t i = 0; i < self->transports_len; i++)
		transport_done(&self->transports[i]);
	free(self->transports);
	shared_loop_done(&self->shared);
}

static const struct mc_writer writer = {
	.write = amqp1_write,
	.notify = amqp1_notify,
	.where = amqp1_where,
	.durable = true,
	.repeatable = true,
};

MC_PLUGIN(amqp1) = {
	MC_NAMED(amqp1),
	.help = "Sends values and notifications to routers and brokers of AMQP 1.0.",
	.self_size = sizeof(struct amqp1),
	.options = options,
	.check = amqp1_check,
	.start = amqp1_start,
	.writer = &writer,
	.run = amqp1_run,
	.stop = amqp1_stop,
	.wants_journal = true,
	.lenient = true,
};
