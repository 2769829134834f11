/* SPDX-License-Identifier: MIT */
/* Commands and their answers are those of munin-node 2.0.73. */
#include "client.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#include <collector/kit/alloc.h>
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

struct client *client_new(struct client_shared *shared, int fd, uint64_t from)
{
	struct client *client = mc_alloc_zero(sizeof(*client));

	client->shared = shared;
	client->from = from;
	client->seen = mc_now();
	mc_tls_stream_init(&client->stream, fd);
	text_add(&client->out, "# munin node at ");
	text_add(&client->out, shared->ctx->host);
	text_add(&client->out, "\n");
	return client;
}

void client_free(struct client *client)
{
	mc_tls_stream_close(&client->stream);
	graphs_done(&client->graphs);
	mc_buffer_free(&client->in);
	mc_buffer_free(&client->out);
	free(client);
}

void client_refuse(struct client_shared *shared, enum client_refusal reason, int fd,
		   const char *why)
{
	struct sockaddr_storage sender = { 0 };
	socklen_t size = sizeof(sender);
	bool known = getpeername(fd, (struct sockaddr *)&sender, &size) == 0;

	mc_refuse(&shared->refusals, shared->ctx, reason,
		  &(struct mc_refused){
			  .what = "a connection",
			  .text = why,
			  .size = why != NULL ? strlen(why) : 0,
			  .sender = known ? &sender : NULL,
		  });
}

static bool is_full(const struct client *client)
{
	return client->out.size - client->out_used > OUT_MAX;
}

/* --- Commands --------------------------------------------------------------
 */

static const char *or_own(const struct client *client, const char *host)
{
	return host != NULL ? host : client->shared->ctx->host;
}

static void do_list(struct client *client, const char *host)
{
	graphs_make(&client->graphs, client->shared->ctx, or_own(client, host));
	text_list(&client->out, &client->graphs, &client->knows);
}

static void do_plugin(struct client *client, const char *name, bool config)
{
	const struct graphs_plugin *plugin;

	if (client->graphs.host == NULL)
		graphs_make(&client->graphs, client->shared->ctx, client->shared->ctx->host);
	plugin = name != NULL ? graphs_find(&client->graphs, name) : NULL;
	if (plugin == NULL)
		text_add(&client->out, "# Unknown service\n.\n");
	else if (config)
		text_config(&client->out, client->shared->ctx, plugin, &client->knows);
	else
		text_fetch(&client->out, client->shared->ctx, plugin);
}

static void do_cap(struct client *client, char *words)
{
	const char *word;

	while ((word = strsep(&words, " \t")) != NULL) {
		client->knows.multigraph |= strcmp(word, "multigraph") == 0;
		client->knows.dirtyconfig |= strcmp(word, "dirtyconfig") == 0;
	}
	text_add(&client->out, client->shared->spool > 0 ? "cap multigraph dirtyconfig spool\n"
							 : "cap multigraph dirtyconfig\n");
}

/* --- The spool -------------------------------------------------------------
 */

static const struct graphs_plugin *next_plugin(const struct client *client)
{
	return (const struct graphs_plugin *)mc_map_next(
		&client->graphs.plugins, client->plugin != NULL ? &client->plugin->node : NULL);
}

static void spool_series(struct client *client)
{
	const struct graph *graph = &client->plugin->items[client->graph];

	client->field =
		text_spool(&client->out, client->shared->ctx, graph, client->field, &client->span);
	if (client->field == graph->fields_len) {
		client->graph++;
		client->field = 0;
	}
}

/* As much of the answer as may wait, and as there is time for.  While it is
 * being made it is not the client who is silent. */
static void spool_more(struct client *client, mc_time until)
{
	while (client->spooling && !is_full(client) && mc_now() < until) {
		client->seen = mc_now();
		if (client->plugin == NULL || client->graph == client->plugin->items_len) {
			client->plugin = next_plugin(client);
			client->graph = client->field = 0;
		}
		if (client->plugin == NULL) {
			client->spooling = false;
			text_add(&client->out, ".\n");
		} else {
			spool_series(client);
		}
	}
}

/* The complete interval: each series has had a value since, unless it is rarer. */
static void do_spool(struct client *client, const char *argument)
{
	mc_time now = mc_wall(), oldest = now - client->shared->spool;
	struct text_span *span = &client->span;
	uint64_t seconds;

	if (argument == NULL ||
	    !mc_number_unsigned(argument, 10, (uint64_t)(INT64_MAX / 2 / MC_SECOND), &seconds)) {
		text_add(&client->out, "# spoolfetch needs a time\n.\n");
		return;
	}
	span->step = SPOOL_STEP;
	span->to = now - SPOOL_STEP - SPOOL_STEP / 10;
	span->to -= span->to % SPOOL_STEP;
	span->from = (mc_time)seconds * MC_SECOND;
	if (span->from < oldest)
		span->from = oldest;
	span->from -= span->from % SPOOL_STEP;
	graphs_make(&client->graphs, client->shared->ctx,
		    client->graphs.host != NULL ? client->graphs.host : client->shared->ctx->host);
	client->plugin = NULL;
	client->graph = client->field = 0;
	client->spooling = span->from < span->to;
	if (!client->spooling)
		text_add(&client->out, ".\n");
}

static void do_tls(struct client *client)
{
	struct mc_tls_start how = {
		.tls = mc_tls_latest(&client->shared->tls),
		.as_server = true,
		.early = client->in.at + client->in_used,
		.early_size = client->in.size - client->in_used,
	};

	/* The line goes in plain text: all before it has been sent. */
	if (client->out.size > client->out_used ||
	    mc_tls_stream_send(&client->stream, "TLS OK\n", 7) != 7 ||
	    mc_tls_stream_start(&client->stream, &how) < 0) {
		client->leaves = true;
		return;
	}
	client->in_used = client->in.size;
	client->shaking = true;
	client->seen = mc_now();
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
	else if (client->shared->spool > 0 && strcmp(word, "spoolfetch") == 0)
		do_spool(client, argument);
	else if (strcasecmp(word, "nodes") == 0)
		text_nodes(&client->out, client->shared->ctx);
	else if (strcasecmp(word, "version") == 0)
		text_add(&client->out, "munins node, the collector, version: "
				       "2.0.73\n");
	else
		text_add(&client->out, "# Unknown command. Try cap, list, "
				       "nodes, config, fetch, version or "
				       "quit\n");
}

static void take_line(struct client *client, char *line)
{
	char *word = strsep(&line, " \t");

	client->shared->requests++;
	if (strcasecmp(word, "quit") == 0 || strcmp(word, ".") == 0) {
		client->leaves = true;
	} else if (strcasecmp(word, "starttls") == 0 &&
		   mc_tls_latest(&client->shared->tls) != NULL && client->stream.session == NULL) {
		do_tls(client);
	} else if (client->shared->require_tls && client->stream.session == NULL) {
		client_refuse(client->shared, REFUSED_PLAIN, client->stream.fd, NULL);
		text_add(&client->out, "# I require TLS. Closing.\n");
		client->leaves = true;
	} else if (strcasecmp(word, "cap") == 0) {
		do_cap(client, line);
	} else {
		do_other(client, word, line);
	}
}

/* --- Bytes -----------------------------------------------------------------
 */

static void forget_lines(struct client *client)
{
	client->in.size -= client->in_used;
	if (client->in.size > 0)
		memmove(client->in.at, client->in.at + client->in_used, client->in.size);
	client->in_used = 0;
}

/* For one turn: each of many lines may look at all series.  False: a line is
 * too long. */
static bool take_lines(struct client *client)
{
	mc_time until = mc_now() + TURN;
	char *line, *end;

	spool_more(client, until);
	client->waits = client->spooling;
	while (!client->leaves && !client->shaking && !client->spooling &&
	       client->in_used < client->in.size) {
		size_t size = client->in.size - client->in_used;

		client->waits = is_full(client) || mc_now() >= until;
		if (client->waits)
			return true;
		line = client->in.at + client->in_used;
		end = memchr(line, '\n', size);
		if (end == NULL)
			return size <= LINE_MAX_SIZE;
		*end = '\0';
		if (end > line && end[-1] == '\r')
			end[-1] = '\0';
		client->in_used += (size_t)(end - line) + 1;
		take_line(client, line);
		spool_more(client, until);
		client->waits = client->spooling;
	}
	return true;
}

/* False: it has gone. */
static bool receive(struct client *client)
{
	/* As long as a record of TLS: poll(2) does not report bytes that GnuTLS keeps. */
	char bytes[16384];
	ssize_t size;

	forget_lines(client);
	if (client->in.size > LINE_MAX_SIZE)
		return true; /* They have not been taken yet. */
	size = mc_tls_stream_recv(&client->stream, bytes, sizeof(bytes));
	if (size == -EAGAIN)
		return true;
	if (size <= 0)
		return false;
	client->seen = mc_now();
	mc_buffer_add(&client->in, bytes, (size_t)size);
	return true;
}

static bool send_rest(struct client *client)
{
	while (client->out_used < client->out.size) {
		ssize_t size =
			mc_tls_stream_send_line(&client->stream, client->out.at + client->out_used,
						client->out.size - client->out_used);

		if (size == -EAGAIN)
			return true;
		if (size < 0)
			return false;
		client->out_used += (size_t)size;
		client->seen = mc_now();
	}
	mc_buffer_clear(&client->out);
	client->out_used = 0;
	return true;
}

mc_time client_due(const struct client *client)
{
	mc_time timeout = client->shared->timeout;

	if (client->shaking && timeout > HANDSHAKE_TIMEOUT)
		timeout = HANDSHAKE_TIMEOUT;
	return client->seen + timeout;
}

void client_late(struct client *client)
{
	bool unread = client->out_used < client->out.size || client->spooling;

	if (client->shaking || unread)
		client_refuse(client->shared, client->shaking ? REFUSED_SLOW : REFUSED_ANSWER,
			      client->stream.fd, NULL);
}

short client_events(const struct client *client)
{
	bool sends = client->shaking ? client->stream.wants_write
				     : client->out_used < client->out.size || client->waits;
	bool reads = client->shaking || (!is_full(client) && !client->leaves);

	return (short)((sends ? POLLOUT : 0) | (reads ? POLLIN : 0));
}

bool client_work(struct client *client)
{
	char why[MC_TLS_WHY];
	int rc;

	if (client->shaking) {
		rc = mc_tls_stream_handshake(&client->stream, why);
		if (rc == -EAGAIN)
			return true;
		client->shaking = false;
		if (rc < 0) {
			client_refuse(client->shared, REFUSED_TLS, client->stream.fd, why);
			return false;
		}
	}
	if (!send_rest(client) || (!client->leaves && !receive(client)))
		return false;
	if (!take_lines(client)) {
		client_refuse(client->shared, REFUSED_LINE, client->stream.fd, NULL);
		return false;
	}
	if (client->shaking)
		return true;
	return send_rest(client) && !(client->leaves && client->out_used == client->out.size);
}
