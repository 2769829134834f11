/* SPDX-License-Identifier: MIT */
/* write_graphite - sends values to Graphite, carbon-c-relay or whatever else
 * takes its plaintext protocol, by TCP or UDP.
 *
 * Options and names of series as in collectd.conf(5), "Plugin write_graphite".
 *
 * A batch is done with when one node has taken all of it.  While none does, it
 * stays where it is, in the queue or the journal; for a node that is away while
 * others take what comes, a buffer keeps the newest lines.  run() sends them
 * when it is back, and what a connection has lost on the next one. */
#include <collector/check.h>
#include <collector/kit/alloc.h>
#include <collector/plugin.h>
#include <collector/writer.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kit/net/shared_loop.h"
#include "kit/series/graphite_check.h"
#include "lines.h"
#include "node.h"

enum {
	PIECE_SIZE = 64 << 10, /* Lines that are sent at once. */
	NODES_MAX = 64,
};
/* For a node to take what it has been given. */
static const mc_time patience = 500 * MC_MILLISECOND;

struct write_graphite {
	struct mc_blocks blocks; /* struct node_options */
	int64_t buffer_limit;
	bool report_stats;

	struct shared_loop shared; /* The loop of the nodes, as of all that follows. */
	struct node *nodes;
	size_t nodes_len;
	struct lines lines;

	/* Of a batch to be offered again: the last sample whose lines were made, NULL: none. */
	const struct mc_sample *made;
};

/* --- Options -------------------------------------------------------------- */

static const struct mc_option node_options[] = {
	{ "", MC_OPT_STRING(struct node_options, name),
	  .help = "A name for it, in the log and in statistics.", .sample = "graphite" },
	{ "Host", MC_OPT_STRING(struct node_options, host), .default_value = "localhost",
	  .help = "Name or address of Graphite." },
	{ "Port", MC_OPT_STRING(struct node_options, port), .default_value = "2003",
	  .help = "Port or name of a service." },
	{ "Protocol", MC_OPT_WORD(struct node_options, protocol), .default_value = "tcp",
	  .words = (const char *const[]){ "tcp", "udp", NULL },
	  .help = "tcp, or udp: losses are then not noticed." },
	{ "ReconnectInterval", MC_OPT_TIME(struct node_options, reconnect_interval),
	  .default_value = "0",
	  .help = "Seconds after which a new connection is made, for load "
		  "balancers; 0: never.",
	  .max = 1e9 },
	{ "LogSendErrors", MC_OPT_BOOL(struct node_options, log_errors), .default_value = "true",
	  .help = "Logs that the node cannot be reached." },
	{ "Prefix", MC_OPT_STRING(struct node_options, path.prefix),
	  .help = "Text before the host; with UseTags before the name.", .sample = "collectd." },
	{ "Postfix", MC_OPT_STRING(struct node_options, path.postfix),
	  .help = "Text after the host; with UseTags after the name, also more tags.",
	  .sample = ".collectd" },
	{ "EscapeCharacter", MC_OPT_STRING(struct node_options, path.escape), .default_value = "_",
	  .help = "Takes the place of dots, blanks and what else a path "
		  "cannot have." },
	{ "StoreRates", MC_OPT_BOOL(struct node_options, store_rates), .default_value = "true",
	  .help = "Sends changes per second instead of raw counters." },
	{ "SeparateInstances", MC_OPT_BOOL(struct node_options, path.separate_instances),
	  .default_value = "false",
	  .help = "Instances are components of their own: cpu.0.cpu.idle." },
	{ "AlwaysAppendDS", MC_OPT_BOOL(struct node_options, append_source),
	  .default_value = "false",
	  .help = "Appends the name of the source also where there is one "
		  "only." },
	{ "PreserveSeparator", MC_OPT_BOOL(struct node_options, path.preserve_separator),
	  .default_value = "false",
	  .help = "Leaves dots in names; they separate components then." },
	{ "DropDuplicateFields", MC_OPT_BOOL(struct node_options, path.drop_duplicates),
	  .default_value = "false",
	  .help = "Drops a component that is the one before: load.shortterm "
		  "instead of load.load.shortterm." },
	{ "UseTags", MC_OPT_BOOL(struct node_options, path.use_tags), .default_value = "false",
	  .help = "Sends tagged series, for Graphite 1.1 and later." },
	{ "ForeignNames", MC_OPT_BOOL(struct node_options, foreign_names), .default_value = "false",
	  .help = "Sends metrics that came with a name and tags of their own as NAME;TAG=VALUE; "
		  "not in collectd." },
	{ "ReverseHost", MC_OPT_BOOL(struct node_options, path.reverse_host),
	  .default_value = "false", .help = "Reverses the parts of the host: com.example.www." },
	{ 0 }
};

static const struct mc_block node_block = { sizeof(struct node_options), node_options };

static const struct mc_option options[] = {
	{ "Node", MC_OPT_BLOCKS(struct write_graphite, blocks), .alias = "Carbon",
	  .block = &node_block, .required = true, .help = "A Graphite that gets all values." },
	{ "BufferLimit", MC_OPT_INT(struct write_graphite, buffer_limit), .default_value = "16",
	  .help = "MiB of lines that wait for a node that is away while "
		  "another is not; not in collectd.",
	  .min = 1, .max = 65536 },
	{ "ReportStats", MC_OPT_BOOL(struct write_graphite, report_stats), .default_value = "false",
	  .help = "Reports lines that were sent, wait, or were dropped, for "
		  "each node; not in collectd." },
	{ 0 }
};

static void check_node(struct mc_ctx *ctx, const struct node_options *node)
{
	mc_check_address(ctx, &node->host, &node->port);
	mc_graphite_check(ctx, &node->path);
}

/* The figures of two Nodes of one name would be one series. */
static void check_name(struct mc_ctx *ctx, const struct node_options *node)
{
	char key[512];

	snprintf(key, sizeof(key), "node of %s named %s", ctx->name,
		 node->name != NULL ? node->name : "");
	mc_check_only(ctx, &node->name, key);
}

static void write_graphite_check(struct mc_ctx *ctx)
{
	const struct write_graphite *self = ctx->self;
	const struct node_options *nodes = self->blocks.items;

	if (self->blocks.len > NODES_MAX)
		mc_check_error(ctx, &self->blocks, "is there more than %d times", NODES_MAX);
	for (size_t i = 0; i < self->blocks.len; i++) {
		check_node(ctx, &nodes[i]);
		if (self->report_stats)
			check_name(ctx, &nodes[i]);
	}
}

/* --- Writing -------------------------------------------------------------- */

/* Whether a node has taken all that it was given. */
static bool push(struct write_graphite *self)
{
	bool any = false;

	for (size_t i = 0; i < self->nodes_len; i++)
		any |= node_push(&self->nodes[i]);
	return any;
}

static bool any_is_trying(const struct write_graphite *self)
{
	for (size_t i = 0; i < self->nodes_len; i++)
		if (node_is_trying(&self->nodes[i]))
			return true;
	return false;
}

/* Gives all nodes what there is, and waits until one has taken it. */
static bool push_all(struct write_graphite *self)
{
	mc_time until;

	if (push(self))
		return true;
	if (mc_loop_round(&self->shared.loop, 0) != 0)
		return false;
	until = self->shared.loop.now + patience;
	while (!push(self))
		if (!any_is_trying(self) || self->shared.loop.now >= until ||
		    mc_loop_round(&self->shared.loop, until) != 0)
			return false;
	return true;
}

static size_t least_waiting(const struct write_graphite *self)
{
	size_t least = SIZE_MAX;

	for (size_t i = 0; i < self->nodes_len; i++)
		if (backlog_waiting(&self->nodes[i].backlog) < least)
			least = backlog_waiting(&self->nodes[i].backlog);
	return least;
}

static int wait_more(struct mc_ctx *ctx)
{
	struct write_graphite *self = ctx->self;
	const struct node *node = &self->nodes[0];

	if (!node->options->log_errors)
		return -EAGAIN;
	return mc_fail(ctx, EAGAIN, "lines wait: %s",
		       node->why[0] != '\0' ? node->why : "Graphite is slow");
}

static int write_batch(struct mc_ctx *ctx, const struct mc_batch *batch)
{
	struct write_graphite *self = ctx->self;
	const struct mc_sample *sample = self->made;

	if (sample != NULL && !push_all(self))
		return wait_more(ctx);
	/* At the stop a batch is not always offered again: this may be another,
	 * and that sample be gone.  Lines that come twice change nothing. */
	if (mc_stopping(ctx))
		sample = NULL;
	while ((sample = mc_next(batch, sample)) != NULL) {
		lines_add(&self->lines, ctx, sample, self->nodes, self->nodes_len);
		self->made = sample;
		if (least_waiting(self) >= PIECE_SIZE && !push_all(self))
			return wait_more(ctx);
	}
	if (!push_all(self))
		return wait_more(ctx);
	self->made = NULL;
	return 0;
}

static int write_graphite_write(struct mc_ctx *ctx, const struct mc_batch *batch)
{
	struct write_graphite *self = ctx->self;
	int rc;

	shared_loop_borrow(&self->shared);
	rc = write_batch(ctx, batch);
	shared_loop_return(&self->shared);
	return rc;
}

/* --- What is left --------------------------------------------------------- */

static void push_left(void *argument)
{
	push(argument);
}

static int write_graphite_run(struct mc_ctx *ctx)
{
	struct write_graphite *self = ctx->self;

	return shared_loop_run(&self->shared, push_left, self);
}

static void write_graphite_where(struct mc_ctx *ctx, const char *name, char *out, size_t size)
{
	const struct write_graphite *self = ctx->self;
	const struct node_options *node = self->blocks.items;

	(void)name;
	snprintf(out, size, "%s port %s%s", node->host, node->port,
		 self->blocks.len > 1 ? " and others" : "");
}

/* --- Statistics ----------------------------------------------------------- */

static void report(struct mc_batch *out, const char *node, const char *type, const char *what,
		   union mc_value value)
{
	mc_put(out,
	       mc_series(out, MC_ID(.plugin_instance = node, .type = type, .type_instance = what)),
	       &value, 1);
}

static int write_graphite_read(struct mc_ctx *ctx, struct mc_batch *out)
{
	struct write_graphite *self = ctx->self;

	for (size_t i = 0; i < self->nodes_len && self->report_stats; i++) {
		const struct node *node = &self->nodes[i];
		const char *name = node->options->name;

		report(out, name, "total_values", "sent",
		       (union mc_value){ .derive = (int64_t)node->backlog.sent });
		report(out, name, "total_values", "dropped",
		       (union mc_value){ .derive = (int64_t)node->backlog.dropped });
		report(out, name, "bytes", "waiting",
		       (union mc_value){ .gauge = (double)node->waiting });
	}
	return 0;
}

/* --- Life ----------------------------------------------------------------- */

static int write_graphite_start(struct mc_ctx *ctx)
{
	struct write_graphite *self = ctx->self;
	const struct node_options *nodes = self->blocks.items;
	size_t len = self->blocks.len;
	int rc;

	rc = shared_loop_init(&self->shared, ctx);
	if (rc != 0)
		return rc;
	if (len > NODES_MAX)
		return mc_fail(ctx, 0, "more than %d nodes", NODES_MAX);
	self->nodes = mc_alloc_array(len, sizeof(*self->nodes));
	for (; self->nodes_len < len; self->nodes_len++) {
		struct node *node = &self->nodes[self->nodes_len];

		/* For one that is alone, write() fails: all beyond a piece is with the kernel, and
		 * must not be given up. */
		node_init(node, ctx, &nodes[self->nodes_len], &self->shared.room,
			  len > 1 ? (size_t)self->buffer_limit << 20 : SIZE_MAX);
		node->speaks = len > 1 && node->options->log_errors;
	}
	return 0;
}

static void write_graphite_stop(struct mc_ctx *ctx)
{
	struct write_graphite *self = ctx->self;

	for (size_t i = 0; i < self->nodes_len; i++) {
		struct node *node = &self->nodes[i];

		if (node_waiting(node) > 0 && self->nodes_len > 1)
			mc_log(ctx, MC_WARN,
			       "%zu bytes of lines for '%s' port '%s' are lost "
			       "at the end",
			       node_waiting(node), node->options->host, node->options->port);
		node_done(node);
	}
	free(self->nodes);
	lines_done(&self->lines);
	shared_loop_done(&self->shared);
}

static void write_graphite_forget(struct mc_ctx *ctx, void *slot)
{
	(void)ctx;
	lines_forget(slot);
}

static const struct mc_writer writer = {
	.write = write_graphite_write,
	.where = write_graphite_where,
	.forget = write_graphite_forget,
	.durable = true,
};

MC_PLUGIN(write_graphite) = {
	MC_NAMED(write_graphite),
	.help = "Sends values to Graphite, by its plaintext protocol.",
	.self_size = sizeof(struct write_graphite),
	.options = options,
	.types = (const char *const[]){ "bytes", "total_values", NULL },
	.check = write_graphite_check,
	.start = write_graphite_start,
	.read = write_graphite_read,
	.writer = &writer,
	.run = write_graphite_run,
	.stop = write_graphite_stop,
	.wants_journal = true,
	.lenient = true,
};
