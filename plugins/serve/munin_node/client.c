/* SPDX-License-Identifier: MIT */
/* Commands and their answers are those of munin-node 2.0.73. */
#include "client.h"
#include "line.h"

#include <string.h>
#include <strings.h>

#include <collector/kit/number.h>

enum {
	LINE_MAX_SIZE = 2048,
	OUT_MAX = 1 << 20, /* Bytes that wait; then no line is read. */
};
#define SPOOL_STEP (300 * MC_SECOND)       /* Of masters, and their files. */
#define HANDSHAKE_TIMEOUT (10 * MC_SECOND) /* As other servers have. */
#define TURN (50 * MC_MILLISECOND)         /* Before others have theirs. */

const struct mc_refusal client_refusals[CLIENT_REFUSALS] = {
	[REFUSED_ADDRESS] = { "address", "Allow has not its address" },
	[REFUSED_CLIENTS] = { "clients", "MaxClients is reached" },
	[REFUSED_PLAIN] = { "plain", "it asks without TLS: see TLSRequired" },
	[REFUSED_TLS] = { "tls", "its handshake of TLS failed" },
	[REFUSED_SLOW] = { "slow", "its handshake of TLS takes more than ten "
				   "seconds" },
	[REFUSED_LINE] = { "line", "its line is longer than 2,048 bytes" },
	[REFUSED_ANSWER] = { "answer", "it does not take its answer within "
				       "Timeout" },
};

static struct mc_buffer *out_of(struct client *client)
{
	return &client->base.stream.out;
}

static struct client_shared *shared_of(const struct client *client)
{
	return client->base.listener->argument;
}

static bool has_tls(const struct client *client)
{
	return client->base.stream.layer != NULL;
}

/* --- Commands ------------------------------------------------------------ */

static const char *or_own(const struct client *client, const char *host)
{
	return host != NULL ? host : shared_of(client)->ctx->host;
}

static void do_list(struct client *client, const char *host)
{
	graphs_make(&client->graphs, shared_of(client)->ctx, or_own(client, host));
	text_list(out_of(client), &client->graphs, &client->knows);
}

static void do_plugin(struct client *client, const char *name, bool config)
{
	const struct graphs_plugin *plugin;

	if (client->graphs.host == NULL)
		graphs_make(&client->graphs, shared_of(client)->ctx, shared_of(client)->ctx->host);
	plugin = name != NULL ? graphs_find(&client->graphs, name) : NULL;
	if (plugin == NULL)
		line_add_text(out_of(client), "# Unknown service\n.\n");
	else if (config)
		text_config(out_of(client), shared_of(client)->ctx, plugin, &client->knows);
	else
		text_fetch(out_of(client), shared_of(client)->ctx, plugin);
}

static void do_cap(struct client *client, char *words)
{
	const char *word;

	while ((word = strsep(&words, " \t")) != NULL) {
		client->knows.multigraph |= strcmp(word, "multigraph") == 0;
		client->knows.dirtyconfig |= strcmp(word, "dirtyconfig") == 0;
	}
	line_add_text(out_of(client), shared_of(client)->spool > 0
					      ? "cap multigraph dirtyconfig spool\n"
					      : "cap multigraph dirtyconfig\n");
}

/* --- The spool ----------------------------------------------------------- */

static void spool_series(struct client *client, const struct graphs_plugin *plugin)
{
	const struct graph *graph = &plugin->items[client->graph];

	client->field = text_spool(out_of(client), shared_of(client)->ctx, graph, client->field,
				   &client->span);
	if (client->field < graph->fields_len)
		return;
	client->field = 0;
	if (++client->graph == plugin->items_len) {
		client->graph = 0;
		client->plugin++;
	}
}

static bool is_full(const struct client *client)
{
	return mc_stream_unsent(&client->base.stream) > OUT_MAX;
}

/* As much of the answer as may wait, and as there is time for. */
static bool spool_more(struct mc_stream *stream)
{
	struct client *client = (struct client *)stream;
	mc_time until = mc_now() + TURN;

	while (client->spooling && !is_full(client) && mc_now() < until) {
		if (client->plugin == client->graphs.len) {
			client->spooling = false;
			line_add_text(out_of(client), ".\n");
		} else {
			spool_series(client, client->graphs.sorted[client->plugin]);
		}
	}
	return client->spooling;
}

/* The complete interval: each series has had a value since, unless it is rarer. */
static void do_spool(struct client *client, const char *argument)
{
	mc_time now = mc_wall(), oldest = now - shared_of(client)->spool;
	struct text_span *span = &client->span;
	uint64_t seconds;

	if (argument == NULL ||
	    !mc_number_unsigned(argument, 10, (uint64_t)(INT64_MAX / 2 / MC_SECOND), &seconds)) {
		line_add_text(out_of(client), "# spoolfetch needs a time\n.\n");
		return;
	}
	span->step = SPOOL_STEP;
	span->to = now - SPOOL_STEP - SPOOL_STEP / 10;
	span->to -= span->to % SPOOL_STEP;
	span->from = (mc_time)seconds * MC_SECOND;
	if (span->from < oldest)
		span->from = oldest;
	span->from -= span->from % SPOOL_STEP;
	graphs_make(&client->graphs, shared_of(client)->ctx,
		    client->graphs.host != NULL ? client->graphs.host
						: shared_of(client)->ctx->host);
	client->plugin = client->graph = client->field = 0;
	client->spooling = span->from < span->to;
	if (!client->spooling)
		line_add_text(out_of(client), ".\n");
}

static void do_tls(struct client *client)
{
	const struct mc_tls_start how = {
		.tls = mc_tls_latest(&shared_of(client)->tls),
		.as_server = true,
	};

	/* The line goes in plain text: all before it has to be sent. */
	line_add_text(out_of(client), "TLS OK\n");
	if (mc_tls_stream_begin(&client->base.stream, &how) < 0)
		mc_stream_close(&client->base.stream);
}

static void do_other(struct client *client, const char *word, char *rest)
{
	char *argument = strsep(&rest, " \t");

	if (argument != NULL && *argument == '\0')
		argument = NULL;
	if (strcasecmp(word, "list") == 0)
		do_list(client, argument);
	else if (strcasecmp(word, "config") == 0)
		do_plugin(client, argument, true);
	else if (strcasecmp(word, "fetch") == 0)
		do_plugin(client, argument, false);
	else if (shared_of(client)->spool > 0 && strcmp(word, "spoolfetch") == 0)
		do_spool(client, argument);
	else if (strcasecmp(word, "nodes") == 0)
		text_nodes(out_of(client), shared_of(client)->ctx);
	else if (strcasecmp(word, "version") == 0)
		line_add_text(out_of(client), "munins node, the collector, version: "
					      "2.0.73\n");
	else
		line_add_text(out_of(client), "# Unknown command. Try cap, list, "
					      "nodes, config, fetch, version or "
					      "quit\n");
}

static void take_command(struct client *client, char *line)
{
	struct client_shared *shared = shared_of(client);
	struct mc_stream *stream = &client->base.stream;
	char *word = strsep(&line, " \t");

	shared->requests++;
	if (strcasecmp(word, "quit") == 0 || strcmp(word, ".") == 0) {
		mc_stream_end(stream);
	} else if (strcasecmp(word, "starttls") == 0 && mc_tls_latest(&shared->tls) != NULL &&
		   !has_tls(client)) {
		do_tls(client);
	} else if (shared->require_tls && !has_tls(client)) {
		mc_stream_server_refuse(&client->base, REFUSED_PLAIN, "a connection", NULL);
		line_add_text(out_of(client), "# I require TLS. Closing.\n");
		mc_stream_end(stream);
	} else if (strcasecmp(word, "cap") == 0) {
		do_cap(client, line);
	} else {
		do_other(client, word, line);
	}
}

/* --- The stream ----------------------------------------------------------- */

static void greet(struct mc_stream *stream)
{
	mc_stream_add_text(stream, "# munin node at ");
	mc_stream_add_text(stream, shared_of((struct client *)stream)->ctx->host);
	mc_stream_add_text(stream, "\n");
}

static void begin_turn(struct mc_stream *stream)
{
	((struct client *)stream)->turn_end = mc_now() + TURN;
}

/* Each of many lines may look at all series. */
static void take_line(struct mc_stream *stream, char *line, size_t size)
{
	struct client *client = (struct client *)stream;

	if (size > 0 && line[size - 1] == '\r')
		line[size - 1] = '\0';
	take_command(client, line);
	if (client->spooling || mc_now() >= client->turn_end)
		mc_stream_yield(stream);
}

static bool on_closed(struct mc_stream *stream)
{
	graphs_done(&((struct client *)stream)->graphs);
	return true;
}

struct mc_stream_kind client_kind(mc_time timeout)
{
	return (struct mc_stream_kind){
		.take = mc_stream_take_lines,
		.line = take_line,
		.opened = greet,
		.begin = begin_turn,
		.fill = spool_more,
		.closed = on_closed,
		.reasons = {
			[MC_STREAM_LONG] = REFUSED_LINE,
			[MC_STREAM_UNREAD] = REFUSED_ANSWER,
			[MC_STREAM_HANDSHAKE] = REFUSED_TLS,
			[MC_STREAM_SLOW_HANDSHAKE] = REFUSED_SLOW,
			[MC_STREAM_FORBIDDEN] = REFUSED_ADDRESS,
			[MC_STREAM_FULL] = REFUSED_CLIENTS,
			[MC_STREAM_EVICTED] = REFUSED_CLIENTS,
		},
		.rest_size_max = LINE_MAX_SIZE,
		.out_size_max = OUT_MAX,
		.pipelines = true,
		.line_records = true,
		.handshake_max = timeout < HANDSHAKE_TIMEOUT ? timeout : HANDSHAKE_TIMEOUT,
		.unread_max = timeout,
		.idle_max = timeout,
	};
}
