/* SPDX-License-Identifier: MIT */
/* Facts: the OTLP specification, "OTLP/HTTP"; RFC 9110 for what a status means.
 *
 * What can be refused by the head of a request is refused before its body is
 * read.  A body has memory of a pool that all requests share. */
#include "request.h"

#include <collector/serve.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <collector/kit/alloc.h>
#include <collector/kit/inflate.h>

#include "ingest.h"
#include "json.h"
#include "peer.h"
#include "pending.h"
#include "server.h"

#define METRICS "/v1/metrics"
#define LOGS "/v1/logs"
#define JOURNAL_FULL "the journal is full of what writers have not taken"

struct request {
	struct server *server;
	bool logs, own_hosts, json;
	enum mc_inflate_encoding template;
	struct client *client;
	unsigned char *body;
	size_t size, room;
	size_t lost; /* Bytes that were too many. */
	bool busy;   /* Too many for the client, at this time. */

	struct take take;
	struct pending_request commit;
	bool committed; /* commit.rc is the result; it is not answered yet. */
};

#define PROTOBUF "application/x-protobuf"
#define JSON "application/json"

/* --- Answers ------------------------------------------------------------- */

static const char *header(struct MHD_Connection *connection, const char *name)
{
	return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

/* Whether the body is of that type, whatever parameters it has. */
static bool is_type(struct MHD_Connection *connection, const char *type)
{
	const char *said = header(connection, "Content-Type");
	size_t size = strlen(type);

	return said != NULL && strncasecmp(said, type, size) == 0 &&
	       (said[size] == '\0' || said[size] == ';' || said[size] == ' ');
}

/* The answer is in the form of the request. */
static enum MHD_Result answer(struct MHD_Connection *connection,
			      unsigned status, const void *body, size_t size)
{
	struct MHD_Response *response = MHD_create_response_from_buffer(
		size, (void *)(uintptr_t)body, MHD_RESPMEM_MUST_COPY);
	enum MHD_Result result;

	if (response == NULL)
		return MHD_NO;
	MHD_add_response_header(response, "Content-Type",
				is_type(connection, JSON) ? JSON : PROTOBUF);
	if (status == 503 || status == 429)
		MHD_add_response_header(response, "Retry-After", "1");
	if (status == 405)
		MHD_add_response_header(response, "Allow", "POST");
	if (status == 200 || status == 415) /* RFC 7694: what it may send. */
		MHD_add_response_header(response, "Accept-Encoding",
					MC_INFLATE_ENCODINGS);
	result = MHD_queue_response(connection, status, response);
	MHD_destroy_response(response);
	return result;
}

static enum MHD_Result refuse(struct server *server,
			      struct MHD_Connection *connection,
			      unsigned status, const char *why)
{
	unsigned char body[MC_OTLP_REPLY_SIZE];
	char text[JSON_REPLY_SIZE];

	atomic_fetch_add(&server->refused, 1);
	if (is_type(connection, JSON))
		return answer(connection, status, text, json_error(text, why));
	return answer(connection, status, body, mc_otlp_error(body, why));
}

/* --- The head ------------------------------------------------------------ */

/* 0, or the status of what is refused. */
static unsigned check_head(const struct request_listener *listener,
			   struct MHD_Connection *connection, const char *url,
			   const char *method, const char **why)
{
	const char *encoding = header(connection, "Content-Encoding");
	const char *length = header(connection, "Content-Length");
	struct peer *peer = peer_of(connection);
	enum mc_inflate_encoding template;

	*why = "no memory";
	if (peer == NULL)
		return 503;
	watch_enter(&peer->line, WATCH_SENDING);
	*why = "no valid certificate";
	if (!peer_identify(peer, connection, listener->identified))
		return 403;
	*why = "only " METRICS " and " LOGS " are here";
	if (strcmp(url, METRICS) != 0 && strcmp(url, LOGS) != 0)
		return 404;
	*why = "only POST";
	if (strcmp(method, "POST") != 0)
		return 405;
	*why = "only " PROTOBUF " and " JSON;
	if (!is_type(connection, PROTOBUF) && !is_type(connection, JSON))
		return 415;
	*why = "only " MC_INFLATE_ENCODINGS;
	if (!mc_inflate_encoding(encoding, &template))
		return 415;
	*why = "too large";
	if (length != NULL &&
	    strtoull(length, NULL, 10) > listener->server->body_max)
		return 413;
	*why = "too much at once";
	if (atomic_load(&listener->server->pool) > listener->server->pool_max)
		return 503;
	*why = JOURNAL_FULL;
	return mc_journal_has_room(listener->server->ctx) ? 0 : 503;
}

static enum MHD_Result begin(const struct request_listener *listener,
			     struct MHD_Connection *connection, const char *url,
			     const char *method, void **slot)
{
	struct clients *clients = &listener->server->clients;
	struct request *request;
	struct client *client;
	const char *why;
	unsigned status;

	status = check_head(listener, connection, url, method, &why);
	if (status != 0)
		return refuse(listener->server, connection, status, why);
	client = client_enter(clients, peer_of(connection)->client);
	if (client == NULL)
		return refuse(listener->server, connection, 429,
			      "too many requests at a time");
	request = mc_alloc_zero(sizeof(*request));
	request->client = client;
	request->server = listener->server;
	request->commit.worker = listener->worker;
	request->own_hosts = listener->own_hosts;
	request->logs = strcmp(url, LOGS) == 0;
	request->json = is_type(connection, JSON);
	mc_inflate_encoding(header(connection, "Content-Encoding"),
			    &request->template);
	*slot = request;
	return MHD_YES;
}

/* --- The body ------------------------------------------------------------ */

static bool make_room(struct request *request, size_t more)
{
	size_t room = request->room > 0 ? request->room : 4096;

	while (room < request->size + more)
		room *= 2;
	if (room == request->room)
		return true;
	if (!client_take(&request->server->clients, request->client,
			 room - request->room)) {
		request->busy = true;
		return false;
	}
	request->body = mc_alloc_resize(request->body, room, 1);
	atomic_fetch_add(&request->server->pool, room - request->room);
	request->room = room;
	return true;
}

/* MHD_NO ends the connection: the client does not stop. */
static enum MHD_Result take_body(struct request *request, const char *data,
				 size_t size)
{
	size_t body_max = request->server->body_max;

	if (size > body_max - request->size || request->lost > 0 ||
	    !make_room(request, size)) {
		request->lost += size;
		return request->lost < body_max ? MHD_YES : MHD_NO;
	}
	memcpy(request->body + request->size, data, size);
	request->size += size;
	return MHD_YES;
}

/* --- The end ------------------------------------------------------------- */

static bool is_intact(const struct request *request,
		      struct MHD_Connection *connection)
{
	const char *sum = header(connection, "X-Body-CRC32C");

	return sum == NULL || strtoul(sum, NULL, 16) ==
				      mc_otlp_crc(request->body, request->size);
}

static void free_body(struct request *request)
{
	client_give(request->client, request->room);
	atomic_fetch_sub(&request->server->pool, request->room);
	free(request->body);
	request->body = NULL;
	request->room = 0;
}

static enum MHD_Result answer_taken(struct request *request,
				    struct MHD_Connection *connection)
{
	const struct mc_otlp_result *result = &request->take.result;
	struct server *server = request->server;
	unsigned char reply[MC_OTLP_REPLY_SIZE];
	char text[JSON_REPLY_SIZE];

	if (request->take.status != 200)
		return refuse(server, connection, request->take.status,
			      result->why);
	atomic_fetch_add(&server->requests, 1);
	atomic_fetch_add(&server->rejected, result->rejected);
	if (request->json)
		return answer(connection, 200, text,
			      json_reply(text, request->logs, result->rejected,
					 result->why));
	return answer(connection, 200, reply,
		      mc_otlp_reply(reply, result->rejected, result->why));
}

/* What came is committed, or cannot be. */
static enum MHD_Result finish(struct request *request,
			      struct MHD_Connection *connection)
{
	request->committed = false;
	ingest_end(request->server, &request->take, request->commit.rc);
	return answer_taken(request, connection);
}

/* The whole body has come. */
static enum MHD_Result take(struct request *request,
			    struct MHD_Connection *connection)
{
	struct server *server = request->server;
	struct mc_batch *batch;

	watch_enter(&peer_of(connection)->line, WATCH_SERVED);
	if (request->busy)
		return refuse(server, connection, 429, "too much at once");
	if (request->lost > 0)
		return refuse(server, connection, 413, "too large");
	/* What the sender has is not this: it is to send it again. */
	if (!is_intact(request, connection))
		return refuse(server, connection, 503, "checksum differs");
	/* Others may have filled it since the head came. */
	if (!mc_journal_has_room(server->ctx))
		return refuse(server, connection, 503, JOURNAL_FULL);
	request->take = (struct take){
		.logs = request->logs,
		.own_hosts = request->own_hosts,
		.json = request->json,
		.template = request->template,
		.body = request->body,
		.size = request->size,
		.stream = header(connection, "X-Stream"),
		.numbers = header(connection, "X-Seq"),
		.gap = header(connection, "Collector-Gap"),
		.peer = peer_of(connection),
		.client = request->client,
	};
	peer_sender(request->take.peer, connection, request->take.sender);
	batch = ingest_begin(server, &request->take);
	if (batch == NULL)
		return answer_taken(request, connection);
	free_body(request);
	request->committed = true;
	request->commit.connection = connection;
	if (pending_commit(&server->pending, batch, &request->commit))
		return MHD_YES; /* It is called again when it goes on. */
	return finish(request, connection);
}

enum MHD_Result request_handle(void *listener,
			       struct MHD_Connection *connection,
			       const char *url, const char *method,
			       const char *version, const char *data,
			       size_t *size, void **slot)
{
	struct request *request = *slot;
	enum MHD_Result result;

	(void)version;
	if (request == NULL)
		return begin(listener, connection, url, method, slot);
	if (request->committed)
		return finish(request, connection);
	if (*size == 0)
		return take(request, connection);
	atomic_fetch_add(&peer_of(connection)->line.size, *size);
	result = take_body(request, data, *size);
	*size = 0;
	return result;
}

void request_done(void *listener, struct MHD_Connection *connection,
		  void **slot, enum MHD_RequestTerminationCode code)
{
	struct peer *peer = peer_of(connection);
	struct request *request = *slot;

	(void)listener, (void)code;
	if (peer != NULL)
		watch_enter(&peer->line, WATCH_ANSWERED);
	if (request == NULL)
		return;
	if (request->committed) /* The client has gone meanwhile. */
		ingest_end(request->server, &request->take, request->commit.rc);
	free_body(request);
	client_leave(&request->server->clients, request->client);
	free(request);
	*slot = NULL;
}
