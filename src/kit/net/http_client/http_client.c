/* SPDX-License-Identifier: MIT */
/* Facts: the OTLP specification, "OTLP/HTTP response", for what is sent again. */
#include <collector/kit/http_client.h>

#include <collector/kit/alloc.h>
#include <collector/kit/timed_call.h>

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "kit/base/tenant_text.h"
#include "kit/net/http_client/http_connection.h"
#include "kit/net/http_client/http_header.h"
#include "kit/net/http_client/http_pack.h"
#include "kit/net/http_client/http_similar.h"
#include "kit/net/http_client/http_url.h"
#include "kit/net/http_dictionary.h"

/* Some receivers, such as otlp, take no more than fifty times the size on the wire of a larger
 * body. */
#define SUSPECT_SIZE 65536
#define SUSPECT_RATIO 40
/* One that refers to a body of before may be smaller, down to twice the size of that. */
#define LONG_HEADER (sizeof(HTTP_DICTIONARY_HEADER ": 12345678 ") - 1)
#define HOME (60 * MC_SECOND) /* After this the first URL is tried again. */

struct target { /* A URL */
	const char *url;
	char shown[HTTP_URL_SIZE];   /* The printable part of it. */
	enum http_encoding encoding; /* That it understands. */
	struct http_similar similar; /* The body that it keeps. */
};

struct mc_http_client {
	struct mc_ctx *ctx;
	const struct mc_http_settings *settings;
	const struct mc_http_protocol *protocol;
	struct target *targets;
	size_t target; /* The one in use. */
	mc_time away;  /* Since when that is not the first. */
	struct http_headers headers;
	struct http_pack *pack;
	struct http_connection *connection;
	atomic_bool renew; /* Files are to be read anew before a request. */
	unsigned renewals;
};

/* --- Life ----------------------------------------------------------------- */

static int make_targets(struct mc_http_client *client)
{
	const struct mc_strings *urls = &client->settings->urls;

	client->targets = mc_alloc_array(urls->len, sizeof(*client->targets));
	for (size_t i = 0; i < urls->len; i++) {
		struct target *target = &client->targets[i];

		target->url = urls->items[i];
		target->encoding = client->settings->compression == MC_HTTP_AUTO
					   ? HTTP_GZIP
					   : (enum http_encoding)client->settings->compression;
		http_url_show(target->url, target->shown);
		if (!http_url_valid(target->url, client->protocol->whole_urls))
			return mc_fail(client->ctx, 0,
				       "'%s' is not of the form "
				       "https://host:port",
				       target->shown);
	}
	return 0;
}

static int read_headers(const struct mc_http_client *client, struct http_headers *headers)
{
	const struct mc_strings *words = &client->settings->header_words;
	const char *path = client->settings->header_file;
	struct mc_ctx *ctx = client->ctx;
	unsigned line;
	int rc = 0;

	headers->reserved = client->protocol->reserved;
	if (words->len % 2 != 0)
		return mc_fail(ctx, 0, "Header takes a name and a value");
	for (size_t i = 0; i < words->len && rc == 0; i += 2) {
		rc = http_header_add(headers, words->items[i], words->items[i + 1]);
		if (rc < 0)
			return mc_fail(ctx, -rc, "cannot send header '%.100s'", words->items[i]);
	}
	if (path == NULL)
		return 0;
	rc = mc_timed_file(ctx, path);
	if (rc < 0)
		return rc;
	rc = http_header_read(headers, path, &line);
	if (rc < 0 && line > 0)
		return mc_fail(ctx, -rc, "cannot use line %u of '%s'", line, path);
	return rc < 0 ? mc_fail(ctx, -rc, "cannot read '%s'", path) : 0;
}

/* A token may have been renewed; if the file cannot be used the old one is. */
static void renew_headers(struct mc_http_client *client)
{
	struct http_headers renewed = { 0 };

	if (client->settings->header_file == NULL)
		return;
	if (read_headers(client, &renewed) < 0) {
		http_header_free(&renewed);
		return;
	}
	http_header_free(&client->headers);
	client->headers = renewed;
}

int mc_http_client_new(struct mc_ctx *ctx, const struct mc_http_settings *settings,
		       const struct mc_http_protocol *protocol, struct mc_http_client **client)
{
	struct mc_http_client *made = mc_alloc_zero(sizeof(*made));
	int rc;

	made->ctx = ctx;
	made->settings = settings;
	made->protocol = protocol;
	made->pack = http_pack_new();
	rc = make_targets(made);
	if (rc == 0)
		rc = read_headers(made, &made->headers);
	if (rc == 0)
		rc = http_connection_new(ctx, settings, protocol, &made->connection);
	if (rc < 0)
		mc_http_client_free(made);
	else
		*client = made;
	return rc;
}

void mc_http_client_free(struct mc_http_client *client)
{
	if (client == NULL)
		return;
	http_connection_free(client->connection);
	http_pack_free(client->pack);
	http_header_free(&client->headers);
	for (size_t i = 0; client->targets != NULL && i < client->settings->urls.len; i++)
		http_similar_done(&client->targets[i].similar);
	free(client->targets);
	free(client);
}

void mc_http_client_renew(struct mc_http_client *client)
{
	atomic_store(&client->renew, true);
}

const char *mc_http_client_url(const struct mc_http_client *client)
{
	return client->targets[0].shown;
}

bool mc_http_client_by_tenant(const struct mc_http_client *client)
{
	for (size_t i = 0; i < client->headers.len; i++)
		if (mc_tenant_is_in(client->headers.items[i]))
			return true;
	for (size_t i = 0; i < client->settings->urls.len; i++)
		if (mc_tenant_is_in(client->settings->urls.items[i]))
			return true;
	return false;
}

/* --- Sending -------------------------------------------------------------- */

enum mc_http_verdict mc_http_verdict(long status)
{
	switch (status) {
	case 200:
	case 202:
	case 204:
		return MC_HTTP_DONE;
	case 0:
	case 401: /* Somebody has to do something; until then we keep it. */
	case 403:
	case 429:
	case 502:
	case 503:
	case 504:
		return MC_HTTP_LATER;
	default:
		return MC_HTTP_NEVER;
	}
}

/* Requests that failed because of the former files are tried again at once. */
bool mc_http_ready(struct mc_http_client *client, struct mc_http_stream *stream)
{
	if (atomic_exchange(&client->renew, false)) {
		renew_headers(client);
		http_connection_renew(client->connection);
		client->renewals++;
	}
	if (stream->renewals != client->renewals)
		stream->backoff.until = 0;
	stream->renewals = client->renewals;
	return mc_now() >= stream->backoff.until;
}

/* Whether a receiver could take it for one that inflates without end: values
 * that hardly differ are packed a hundredfold, by zstd more than by gzip, which
 * is why that is tried before it goes as it is. */
static bool is_suspect(size_t size, size_t packed_size)
{
	return size > SUSPECT_SIZE && packed_size < size / SUSPECT_RATIO;
}

/* Packs the body, which refers to the one before if the receiver has that. */
static bool pack(struct mc_http_client *client, struct http_sending *sending, char dictionary[64])
{
	struct target *target = &client->targets[client->target];
	const struct mc_http_request *request = sending->request;
	struct http_body *body = &sending->body;
	bool refers = false;

	dictionary[0] = '\0';
	if (request->similar && body->encoding == HTTP_ZSTD)
		http_similar_header(&target->similar, request->size, dictionary, &refers);
	sending->dictionary = dictionary;
	if (refers)
		http_pack_refer(client->pack, target->similar.body.at, target->similar.body.size);
	return http_pack_body(client->pack, body->encoding, request->body, request->size, body);
}

/* Takes the answer to such a request; true: it is to be sent again, without. */
static bool is_missing(struct mc_http_client *client, const struct http_sending *sending,
		       const struct mc_http_reply *reply)
{
	struct target *target = &client->targets[client->target];

	if (sending->dictionary[0] == '\0')
		return false;
	http_similar_answer(&target->similar, sending->request->body, sending->request->size,
			    &(struct http_similar_answer){ reply->status, reply->dictionary });
	return reply->status == HTTP_DICTIONARY_MISSING;
}

/* Sends to the URL in use, in the form that it understands; as it is, what is
 * refused as too large when it is inflated. */
static void send_here(struct mc_http_client *client, const struct mc_http_request *request,
		      struct mc_http_reply *reply)
{
	struct target *target = &client->targets[client->target];
	struct http_sending sending = {
		.url = target->url,
		.request = request,
		.headers = &client->headers,
		.body.encoding = request->size > 0 ? target->encoding : HTTP_NONE,
	};
	struct http_body *body = &sending.body;
	unsigned again = 2; /* A receiver may lose it, but not for ever. */
	char dictionary[64];

	reply->url = target->shown;
	for (;;) {
		if (!pack(client, &sending, dictionary)) {
			*reply = (struct mc_http_reply){
				.url = target->shown,
				.why = "cannot compress",
			};
			return;
		}
		if (is_suspect(request->size, body->size) && strlen(dictionary) < LONG_HEADER) {
			body->encoding = http_pack_simpler(body->encoding);
			continue;
		}
		http_connection_send(client->connection, &sending, reply);
		if (body->encoding == HTTP_NONE)
			break;
		if (is_missing(client, &sending, reply) && again-- > 0)
			continue;
		if (reply->status == 415)
			body->encoding = target->encoding = http_pack_simpler(body->encoding);
		else if (reply->status == 413)
			body->encoding = HTTP_NONE;
		else
			break;
	}
	if (client->settings->compression == MC_HTTP_AUTO && reply->takes_zstd)
		target->encoding = HTTP_ZSTD;
}

static enum mc_http_verdict verdict_of(const struct mc_http_client *client,
				       const struct mc_http_reply *reply)
{
	enum mc_http_verdict (*verdict)(long) = client->protocol->verdict;

	return verdict != NULL ? verdict(reply->status) : mc_http_verdict(reply->status);
}

static void go_home(struct mc_http_client *client)
{
	if (client->target > 0 && mc_now() - client->away > HOME)
		client->target = 0;
}

static void go_away(struct mc_http_client *client)
{
	client->target = (client->target + 1) % client->settings->urls.len;
	client->away = mc_now();
}

static enum mc_http_verdict send_somewhere(struct mc_http_client *client,
					   const struct mc_http_request *request,
					   struct mc_http_reply *reply)
{
	enum mc_http_verdict verdict = MC_HTTP_LATER;

	go_home(client);
	for (size_t i = 0; i < client->settings->urls.len; i++) {
		send_here(client, request, reply);
		verdict = verdict_of(client, reply);
		if (verdict != MC_HTTP_LATER)
			break;
		go_away(client);
	}
	return verdict;
}

/* Sets when the next request is due. */
static void settle(struct mc_http_client *client, struct mc_http_stream *stream,
		   enum mc_http_verdict verdict, const struct mc_http_reply *reply)
{
	if (verdict == MC_HTTP_LATER)
		mc_backoff_failed(&stream->backoff, mc_now(), reply->retry_after);
	else
		mc_backoff_done(&stream->backoff);
	if (verdict == MC_HTTP_LATER && (reply->status == 401 || reply->status == 403))
		renew_headers(client);
}

enum mc_http_verdict mc_http_send(struct mc_http_client *client, struct mc_http_stream *stream,
				  const struct mc_http_request *request)
{
	struct mc_http_reply *reply = &stream->reply;
	enum mc_http_verdict verdict = send_somewhere(client, request, reply);

	settle(client, stream, verdict, reply);
	return verdict;
}

/* --- Several at once ------------------------------------------------------ */

/* Sends those that are not taken yet to the URL in use. */
static void send_rest_here(struct mc_http_client *client, struct mc_http_exchange *exchanges,
			   size_t len)
{
	struct target *target = &client->targets[client->target];
	struct http_sending *sendings = mc_alloc_array(len, sizeof(*sendings));
	struct mc_http_reply **replies = mc_alloc_array(len, sizeof(*replies));
	size_t rest = 0;

	for (size_t i = 0; i < len; i++) {
		const struct mc_http_request *request = &exchanges[i].request;

		if (exchanges[i].verdict != MC_HTTP_LATER)
			continue;
		sendings[rest] = (struct http_sending){
			.url = target->url,
			.request = request,
			.headers = &client->headers,
			.body = { request->body, request->size, HTTP_NONE },
		};
		replies[rest] = &exchanges[i].reply;
		replies[rest++]->url = target->shown;
	}
	http_connection_send_all(client->connection, sendings, replies, rest);
	free(sendings);
	free(replies);
}

/* The first that is not taken; NULL: all are. */
static const struct mc_http_exchange *take_verdicts(const struct mc_http_client *client,
						    struct mc_http_exchange *exchanges, size_t len)
{
	const struct mc_http_exchange *first = NULL;

	for (size_t i = len; i-- > 0;) {
		if (exchanges[i].verdict == MC_HTTP_LATER)
			exchanges[i].verdict = verdict_of(client, &exchanges[i].reply);
		if (exchanges[i].verdict == MC_HTTP_LATER)
			first = &exchanges[i];
	}
	return first;
}

enum mc_http_verdict mc_http_send_all(struct mc_http_client *client, struct mc_http_stream *stream,
				      struct mc_http_exchange *exchanges, size_t len)
{
	const struct mc_http_exchange *later = NULL;
	enum mc_http_verdict verdict;

	go_home(client);
	for (size_t i = 0; i < len; i++)
		exchanges[i].verdict = MC_HTTP_LATER;
	for (size_t i = 0; i < client->settings->urls.len; i++) {
		send_rest_here(client, exchanges, len);
		later = take_verdicts(client, exchanges, len);
		if (later == NULL)
			break;
		go_away(client);
	}
	verdict = later != NULL ? MC_HTTP_LATER : MC_HTTP_DONE;
	stream->reply = later != NULL ? later->reply : exchanges[0].reply;
	settle(client, stream, verdict, &stream->reply);
	return verdict;
}

int mc_http_fail(struct mc_ctx *ctx, int errnum, const struct mc_http_reply *reply, const char *why)
{
	if (reply->status == 0)
		return mc_fail(ctx, errnum, "cannot send to '%s': %s", reply->url, reply->why);
	if (why == NULL)
		why = "";
	return mc_fail(ctx, errnum, "'%s' answers with status %ld%s%s", reply->url, reply->status,
		       why[0] != '\0' ? ": " : "", why);
}
