/* SPDX-License-Identifier: MIT */
/* Facts: the OTLP specification, "OTLP/HTTP"; RFC 9110 for what a status means. */
#include "request.h"

#include <collector/serve.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

#include "formats/otlp/json.h"
#include "ingest.h"
#include "peer.h"
#include "server.h"

#define METRICS "/v1/metrics"
#define LOGS "/v1/logs"
#define JOURNAL_FULL "the journal is full of what writers have not taken"
#define TOO_FAST "the client sends more values than MaxValuesPerClient"
#define SAFE_MAX (10 * MC_SECOND) /* For the journal to be on disk. */

#define PROTOBUF "application/x-protobuf"
#define JSON "application/json"

struct request {
	struct mc_httpd_request *http;
	struct take take;
	int rc;         /* Of the commit, once the request goes on. */
	bool committed; /* 'rc' is the result; it is not answered yet. */
};

/* --- Answers ------------------------------------------------------------- */

static bool is_json(const struct mc_httpd_request *http)
{
	return mc_httpd_is_type(http, JSON);
}

/* The answer is in the encoding of the request. */
static void answer(struct mc_httpd_request *http, unsigned status, const void *body, size_t size)
{
	mc_httpd_answer(http, status, is_json(http) ? JSON : PROTOBUF, body, size);
}

void request_refuse(struct mc_httpd_request *http, unsigned status, const char *why)
{
	unsigned char body[MC_OTLP_REPLY_SIZE];
	char text[JSON_REPLY_SIZE];

	if (is_json(http))
		answer(http, status, text, json_error(text, why));
	else
		answer(http, status, body, mc_otlp_error(body, why));
}

static void answer_taken(struct mc_httpd_request *http, const struct take *take)
{
	const struct mc_otlp_result *result = &take->result;
	struct server *server = mc_httpd_argument(http);
	unsigned char reply[MC_OTLP_REPLY_SIZE];
	char text[JSON_REPLY_SIZE];

	if (take->status != 200) {
		mc_httpd_refuse(http, take->status, result->why);
		return;
	}
	client_count(&server->clients, take->client, result->samples);
	atomic_fetch_add(&server->requests, 1);
	atomic_fetch_add(&server->rejected, result->rejected);
	if (take->json)
		answer(http, 200, text,
		       json_reply(text, take->logs, result->rejected, result->why));
	else
		answer(http, 200, reply, mc_otlp_reply(reply, result->rejected, result->why));
}

/* --- From its head to the end -------------------------------------------- */

static unsigned on_head(struct mc_httpd_request *http, const char **why)
{
	struct server *server = mc_httpd_argument(http);

	*why = "only " PROTOBUF " and " JSON;
	if (!mc_httpd_is_type(http, PROTOBUF) && !is_json(http))
		return 415;
	*why = TOO_FAST;
	if (!client_may_send(&server->clients, mc_httpd_client(http)))
		return 429;
	*why = JOURNAL_FULL;
	return mc_journal_has_room(server->ctx) ? 0 : 503;
}

static bool is_intact(const struct mc_httpd_request *http)
{
	const char *sum = mc_httpd_header(http, "X-Body-CRC32C");
	size_t size;
	const unsigned char *body = mc_httpd_body(http, &size);

	return sum == NULL || strtoul(sum, NULL, 16) == mc_otlp_crc(body, size);
}

static void committed(void *argument, int rc)
{
	struct request *request = argument;

	request->rc = rc;
	mc_httpd_resume(request->http);
}

/* The batch is committed, or cannot be. */
static void on_resume(struct mc_httpd_request *http)
{
	struct request *request = mc_httpd_state(http);

	request->committed = false;
	ingest_end(mc_httpd_argument(http), &request->take, request->rc);
	answer_taken(http, &request->take);
}

/* However slow the disk is, all that come while it writes are written next,
 * together: a request waits for it, and the thread serves others. */
static void commit(struct request *request, struct mc_batch *batch)
{
	struct mc_httpd_request *http = request->http;

	mc_httpd_free_body(http);
	request->committed = true;
	request->rc = -ECANCELED;
	if (mc_httpd_hold(http)) {
		mc_commit_then(batch, SAFE_MAX, committed, request);
		return;
	}
	mc_discard(batch);
	on_resume(http);
}

static void on_body(struct mc_httpd_request *http)
{
	const struct listen_options *listen =
		(const struct listen_options *)mc_httpd_listener(http);
	struct server *server = mc_httpd_argument(http);
	struct request *request;
	struct mc_batch *batch;

	/* The body differs from that of the sender, which must send it again. */
	if (!is_intact(http)) {
		mc_httpd_refuse(http, 503, "checksum differs");
		return;
	}
	/* Others may have filled it since the head came. */
	if (!mc_journal_has_room(server->ctx)) {
		mc_httpd_refuse(http, 503, JOURNAL_FULL);
		return;
	}
	request = mc_alloc_zero(sizeof(*request));
	mc_httpd_set_state(http, request);
	request->http = http;
	request->take = (struct take){
		.http = http,
		.logs = strcmp(mc_httpd_path(http), LOGS) == 0,
		.own_hosts = listen->hosts == LISTEN_OWN,
		.json = is_json(http),
		.stream = mc_httpd_header(http, "X-Stream"),
		.numbers = mc_httpd_header(http, "X-Seq"),
		.gap = mc_httpd_header(http, "Collector-Gap"),
		.peer = mc_httpd_peer(http),
		.client = mc_httpd_client(http),
	};
	peer_sender(http, request->take.sender);
	batch = ingest_begin(server, &request->take);
	if (batch == NULL)
		answer_taken(http, &request->take);
	else
		commit(request, batch);
}

static void on_done(struct mc_httpd_request *http)
{
	struct request *request = mc_httpd_state(http);
	struct server *server = mc_httpd_argument(http);

	if (request != NULL && request->committed) /* The client has gone. */
		ingest_end(server, &request->take, request->rc);
	free(request);
}

const struct mc_httpd_route request_routes[] = {
	{ .path = METRICS,
	  .method = "POST",
	  .head = on_head,
	  .handle = on_body,
	  .resume = on_resume,
	  .done = on_done },
	{ .path = LOGS,
	  .method = "POST",
	  .head = on_head,
	  .handle = on_body,
	  .resume = on_resume,
	  .done = on_done },
	{ 0 },
};
