/* SPDX-License-Identifier: MIT */
/* network - collectd's binary protocol over UDP, both ways.  Options and their defaults as in
 * collectd.conf(5), section "Plugin network"; our own ones are described in manual.txt.
 *
 * Packets come in by the thread of run(), and others like it if asked for; they
 * go out in the writer's. */
#include "network.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include <collector/control.h>
#include <collector/kit/alloc.h>
#include <collector/kit/listen_options.h>
#include <collector/serve.h>
#include <collector/writer.h>

#include "check.h"
#include "count.h"
#include "ingest.h"
#include "listen.h"
#include "receive.h"
#include "seen.h"
#include "send.h"

struct network {
	struct network_options options;
	struct count count;
	struct seen seen;
	struct listen *listens; /* One per receiving thread. */
	unsigned listens_len;
	struct take take;
	struct send send;
};

/* The mark of batches that came in by any instance of this plugin. */
static const char network_received = 'r';

static const char *const levels[] = { "None", "Sign", "Encrypt", NULL };

static const struct mc_option user_options[] = {
	{ "", MC_OPT_STRING(struct network_user, name), .required = true,
	  .help = "A user of the AuthFile.", .sample = "alice" },
	{ "Host", MC_OPT_STRINGS(struct network_user, hosts), .required = true,
	  .help = "Hosts that the user may send for, as glob patterns; a user "
		  "without a block may send for all hosts.",
	  .sample = "alice*.example.net" },
	{ 0 },
};
static const struct mc_block user_block = { sizeof(struct network_user), user_options };

static const struct mc_option listen_options[] = {
	{ "", MC_OPT_STRING(struct network_listen, host), .required = true,
	  .help = "Name or address to listen at; a multicast group is joined.",
	  .sample = "239.192.74.66" },
	{ "", MC_OPT_STRING(struct network_listen, port), .default_value = NETWORK_PORT,
	  .help = "Port or name of a service." },
	{ "SecurityLevel", MC_OPT_WORD(struct network_listen, level), .default_value = "None",
	  .words = levels, .help = "Lowest security level of packets that are accepted." },
	{ "AuthFile", MC_OPT_STRING(struct network_listen, auth_file),
	  .help = "File with a line 'user: password' for each user; read again "
		  "when it changes.",
	  .sample = "/etc/collector/passwd" },
	{ "Interface", MC_OPT_STRING(struct network_listen, interface),
	  .help = "Network interface on which packets must arrive.", .sample = "eth0" },
	{ "User", MC_OPT_BLOCKS(struct network_listen, users), .block = &user_block,
	  .help = "Limits the hosts that a user may send for." },
	{ 0 },
};
static const struct mc_block listen_block = { sizeof(struct network_listen), listen_options };

static const struct mc_option server_options[] = {
	{ "", MC_OPT_STRING(struct network_server, host), .required = true,
	  .help = "Name or address to send to; or a multicast group.", .sample = "239.192.74.66" },
	{ "", MC_OPT_STRING(struct network_server, port), .default_value = NETWORK_PORT,
	  .help = "Port or name of a service." },
	{ "SecurityLevel", MC_OPT_WORD(struct network_server, level), .default_value = "None",
	  .words = levels, .help = "Whether packets are signed or encrypted." },
	{ "Username", MC_OPT_STRING(struct network_server, user),
	  .help = "User whose password signs or encrypts packets.", .sample = "alice" },
	{ "Password", MC_OPT_STRING(struct network_server, password),
	  .help = "The password, as in the receiver's AuthFile.", .secret = true,
	  .sample = "secret" },
	{ "Interface", MC_OPT_STRING(struct network_server, interface),
	  .help = "Network interface that packets are sent from.", .sample = "eth0" },
	{ "BindAddress", MC_OPT_STRING(struct network_server, bind_address),
	  .help = "Local address that packets are sent from.", .sample = "192.0.2.1" },
	{ "ResolveInterval", MC_OPT_TIME(struct network_server, resolve_interval),
	  .default_value = "0",
	  .help = "Seconds after which the name is looked up again; 0: never.", .max = 1e9 },
	{ 0 },
};
static const struct mc_block server_block = { sizeof(struct network_server), server_options };

static const struct mc_option network_options[] = {
	{ "Listen", MC_OPT_BLOCKS(struct network, options.listens), .block = &listen_block,
	  .help = "Receives packets at an address." },
	{ "Server", MC_OPT_BLOCKS(struct network, options.servers), .block = &server_block,
	  .help = "Sends all values to an address." },
	{ "TimeToLive", MC_OPT_INT(struct network, options.time_to_live),
	  .help = "Number of routers that sent packets may pass; by default "
		  "that of the system.",
	  .min = 1, .max = 255, .lenient = true },
	{ "MaxPacketSize", MC_OPT_INT(struct network, options.packet_size), .default_value = "1452",
	  .help = "Size in bytes of the largest packet that is sent or "
		  "received.",
	  .min = 1024, .max = NETWORK_PACKET_MAX, .lenient = true },
	{ "Forward", MC_OPT_BOOL(struct network, options.forward), .default_value = "false",
	  .lenient = true, .help = "Also sends values that this plugin has received." },
	{ "ReportStats", MC_OPT_BOOL(struct network, options.report_stats),
	  .default_value = "false", .lenient = true,
	  .help = "Reports packets and values of this plugin, and errors once there are some." },
	MC_RECEIVE_BUFFER_OPTION(struct network, options.receive_buffer),
	{ "ReceiveThreads", MC_OPT_INT(struct network, options.receive_threads),
	  .default_value = "1",
	  .help = "Number of threads that receive; each has sockets and "
		  "receive buffers of its own.",
	  .min = 1, .max = 64 },
	{ "SenderSeriesLimit", MC_OPT_INT(struct network, options.sender_series),
	  .default_value = "250000",
	  .help = "Number of new series per hour that are accepted from a user "
		  "or, if packets are not signed, from an address.",
	  .min = 1, .max = 1e9 },
	{ "NoticeLimit", MC_OPT_INT(struct network, options.notice_limit), .default_value = "1000",
	  .help = "Largest number of notifications of one sender at once, and "
		  "in each hour after that; unknown senders share half of it. "
		  "0: no limit.",
	  .max = 1e9 },
	{ "TimeWindow", MC_OPT_TIME(struct network, options.time_window), .default_value = "0",
	  .help = "Seconds by which the time of a value may differ from the "
		  "local clock; 0: two intervals and 30 seconds on sockets "
		  "with a SecurityLevel, no limit on others.",
	  .max = 1e9 },
	{ "AllowUnsigned", MC_OPT_STRINGS(struct network, options.unsigned_sources),
	  .help = "Networks that may send unsigned packets; all other packets "
		  "must then be signed." },
	{ 0 },
};

static const char *const network_types[] = { "if_octets",    "if_packets", "total_values",
					     "queue_length", "errors",     NULL };

/* Whether any packets must be signed: only their times can be trusted. */
static bool any_level(const struct network_options *options)
{
	const struct network_listen *listens = options->listens.items;

	for (size_t i = 0; i < options->listens.len; i++)
		if (listens[i].level != NETWORK_NONE)
			return true;
	return false;
}

static void network_check(struct mc_ctx *ctx)
{
	struct network *self = ctx->self;

	check_options(ctx, &self->options);
}

static int start_listens(struct network *self, struct mc_ctx *ctx)
{
	unsigned len = (unsigned)self->options.receive_threads;
	const struct mc_quota_limits limits = { 0, 1 }; /* See SenderSeriesLimit. */
	int rc = 0;

	if (len == 0)
		return 0;
	self->listens = mc_alloc_array(len, sizeof(*self->listens));
	self->take.quotas[false] = mc_quota_new(ctx, MC_QUOTA_CROWD, "unsigned", &limits);
	self->take.quotas[true] = mc_quota_new(ctx, MC_QUOTA_CROWD, "signed", &limits);
	for (; rc == 0 && self->listens_len < len; self->listens_len++)
		rc = listen_start(&self->listens[self->listens_len], ctx, &self->options,
				  self->listens_len);
	return rc;
}

static int network_start(struct mc_ctx *ctx)
{
	struct network *self = ctx->self;
	const struct network_options *options = &self->options;
	int rc;

	seen_init(&self->seen);
	count_init(&self->count);
	self->take = (struct take){ .ctx = ctx,
				    .window = options->time_window,
				    .count = &self->count,
				    .seen = &self->seen };
	mc_sender_limit_init(&self->take.sender, options->sender_series);
	mc_notice_limit_init(&self->take.notices, options->notice_limit);
	if (!crypt_ready())
		return mc_fail(ctx, 0, "cannot use libgcrypt");
	rc = allow_start(&self->take.allow, ctx, &options->unsigned_sources);
	if (rc == 0 && any_level(options)) {
		times_start(&self->take.times, ctx);
		newest_start(&self->take.newest);
	}
	if (rc == 0)
		rc = send_start(&self->send, ctx, options, &self->count);
	if (rc == 0)
		rc = start_listens(self, ctx);
	if (rc < 0)
		return rc;
	if (options->listens.len + options->servers.len == 0)
		mc_log(ctx, MC_WARN, "has nothing to do: neither Listen nor Server is given");
	mc_obey_routes(ctx);
	mc_subscribe(ctx, options->servers.len > 0);
	return 0;
}

static int network_read(struct mc_ctx *ctx, struct mc_batch *out)
{
	struct network *self = ctx->self;
	uint64_t queued = 0;

	mc_notice_limit_sum_up(&self->take.notices, ctx, mc_now());
	if (!self->options.report_stats)
		return 0;
	for (unsigned i = 0; i < self->listens_len; i++)
		queued += listen_queued(&self->listens[i]);
	count_report(&self->count, out, queued);
	return 0;
}

/* Loops end here: packets received by this protocol do not go out again. */
static int network_write(struct mc_ctx *ctx, const struct mc_batch *batch)
{
	struct network *self = ctx->self;

	if (mc_origin(batch) == &network_received && !self->options.forward)
		return 0;
	return send_batch(&self->send, batch);
}

static int network_notify(struct mc_ctx *ctx, const struct mc_notification *notification)
{
	struct network *self = ctx->self;

	/* Sent packets may come back: by multicast, or from a forwarder. */
	if (seen_add(&self->seen, notification, mc_now()) == SEEN_BEFORE && !self->options.forward)
		return 0;
	return send_notification(&self->send, notification);
}

static int network_flush(struct mc_ctx *ctx, mc_time age, const char *name)
{
	struct network *self = ctx->self;

	(void)age;
	(void)name;
	send_flush(&self->send);
	return 0;
}

static void network_where(struct mc_ctx *ctx, const char *name, char *out, size_t size)
{
	struct network *self = ctx->self;
	const struct network_server *servers = self->options.servers.items;
	size_t at = 0;

	(void)name;
	for (size_t i = 0; i < self->options.servers.len && at < size; i++) {
		int n = snprintf(out + at, size - at, "%s%s port %s", i > 0 ? ", " : "",
				 servers[i].host, servers[i].port);

		at += n > 0 ? (size_t)n : 0;
	}
}

static int network_run(struct mc_ctx *ctx)
{
	struct network *self = ctx->self;
	struct receive *receives = mc_alloc_array(self->listens_len, sizeof(*receives));
	int rc;

	for (unsigned i = 0; i < self->listens_len; i++)
		receives[i] = (struct receive){
			.ctx = ctx,
			.mark = &network_received,
			.listen = &self->listens[i],
			.take = &self->take,
			.count = &self->count,
			.packet_size = (size_t)self->options.packet_size,
			.send = i == 0 && self->options.servers.len > 0 ? &self->send : NULL,
		};
	rc = receive_run(receives, self->listens_len);
	free(receives);
	return rc;
}

static void network_stop(struct mc_ctx *ctx)
{
	struct network *self = ctx->self;

	send_stop(&self->send);
	for (unsigned i = 0; i < self->listens_len; i++)
		listen_stop(&self->listens[i]);
	free(self->listens);
	self->listens = NULL;
	self->listens_len = 0;
	mc_quota_free(self->take.quotas[false]);
	mc_quota_free(self->take.quotas[true]);
	times_stop(&self->take.times);
	newest_stop(&self->take.newest);
	mc_sender_limit_done(&self->take.sender);
	mc_notice_limit_done(&self->take.notices);
	allow_stop(&self->take.allow);
	seen_done(&self->seen);
	count_done(&self->count);
}

static const struct mc_writer writer = {
	.write = network_write,
	.notify = network_notify,
	.flush = network_flush,
	.where = network_where,
	.on_request = true, /* Nothing is queued where there is no Server. */
};

MC_PLUGIN(network) = {
	MC_NAMED(network),
	.help = "Sends and receives values over UDP, in collectd's binary "
		"protocol.",
	.self_size = sizeof(struct network),
	.options = network_options,
	.types = network_types,
	.check = network_check,
	.start = network_start,
	.read = network_read,
	.writer = &writer,
	.run = network_run,
	.stop = network_stop,
	.lenient = true,
};
