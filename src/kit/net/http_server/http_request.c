/* SPDX-License-Identifier: MIT */
/* Facts: RFC 9110 for what a status means; RFC 9112, sections 3.2 and 6.3, for heads that are
 * refused.
 *
 * Refusals by the head of a request come before its body is read. */
#include "kit/net/http_server/http_request.h"

#include <assert.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <collector/kit/alloc.h>

#include "kit/net/http_server/http_answer.h"
#include "kit/net/http_server/http_route.h"
#include "kit/net/http_server/http_unpack.h"
#include "kit/net/http_server/peer/http_proxy.h"

#define PATHS_SIZE 256

static struct mc_httpd *server_of(const struct mc_httpd_request *request)
{
	return request->thread->server;
}

static struct http_body_limits limits_of(const struct mc_httpd_request *request)
{
	const struct mc_httpd *server = server_of(request);

	return (struct http_body_limits){
		.clients = &server->clients,
		.client = request->client,
		.memory = &server->memory,
		.size_max = (size_t)server->options.limits.body_max,
	};
}

/* --- The head ------------------------------------------------------------ */

static unsigned check_password(struct mc_httpd_request *request, const char **why)
{
	const char *client = request->client_key;
	unsigned status;
	bool news;

	if (request->thread->users == NULL)
		return 0;
	status = http_users_judge(request->thread->users, mc_httpd_header(request, "Authorization"),
				  client, &news);
	if (news)
		mc_log(server_of(request)->ctx, MC_WARN,
		       "blocks '%s' for 60 s after %d wrong passwords", client, HTTP_USERS_TRIES);
	*why = status == 429 ? "too many wrong passwords" : "no valid password";
	if (status == 429)
		request->retry_after = HTTP_USERS_WINDOW;
	return status;
}

/* A server in front may add a header of its own after that of its client: the last one counts. */
static enum MHD_Result keep_forwarded(void *argument, enum MHD_ValueKind kind, const char *name,
				      const char *value)
{
	const char **forwarded = argument;

	(void)kind;
	if (strcasecmp(name, "X-Forwarded-For") == 0 && value != NULL)
		*forwarded = value;
	return MHD_YES;
}

static void find_client(struct mc_httpd_request *request)
{
	const struct mc_strings *trusted = server_of(request)->options.trusted_proxies;
	const struct mc_httpd_peer *peer = mc_httpd_peer(request);
	const char *forwarded = NULL;

	memcpy(request->client_key, peer->client, sizeof(request->client_key));
	if (!http_proxy_is_trusted(trusted, peer->address))
		return;
	MHD_get_connection_values(request->connection, MHD_HEADER_KIND, keep_forwarded, &forwarded);
	if (forwarded != NULL)
		http_proxy_client(trusted, forwarded, request->client_key);
}

struct head_counts {
	unsigned hosts, lengths;
};

static enum MHD_Result count_header(void *argument, enum MHD_ValueKind kind, const char *name,
				    const char *value)
{
	struct head_counts *counts = argument;

	(void)kind, (void)value;
	counts->hosts += strcasecmp(name, "Host") == 0;
	counts->lengths += strcasecmp(name, "Content-Length") == 0 ||
			   strcasecmp(name, "Transfer-Encoding") == 0;
	return MHD_YES;
}

/* A proxy in front and libmicrohttpd could take two of them in two ways. */
static unsigned check_headers(struct mc_httpd_request *request, const char **why)
{
	struct head_counts counts = { 0 };

	MHD_get_connection_values(request->connection, MHD_HEADER_KIND, count_header, &counts);
	*why = counts.hosts > 1 ? "more than one Host" : "more than one length";
	return counts.hosts > 1 || counts.lengths > 1 ? 400 : 0;
}

/* 0, or the status of a refusal.  An unauthorized client does not learn what exists here. */
static unsigned check_peer(struct mc_httpd_request *request, const char **why)
{
	const struct mc_httpd_listen *listen = request->thread->listen;
	unsigned status;

	*why = "no memory";
	if (request->peer == NULL)
		return 503;
	http_watch_enter(&request->peer->line, HTTP_WATCH_SENDING);
	*why = "no valid certificate";
	if (!http_peer_identify(request->peer, request->connection, listen->ca != NULL))
		return 403;
	find_client(request);
	status = check_headers(request, why);
	if (status != 0)
		return status;
	*why = "not by this name";
	if (!http_route_host(listen->host_names, mc_httpd_header(request, "Host")))
		return 421;
	return check_password(request, why);
}

static unsigned check_size(struct mc_httpd_request *request, const char **why)
{
	struct mc_httpd *server = server_of(request);
	const char *length = mc_httpd_header(request, "Content-Length");

	*why = "only " MC_INFLATE_ENCODINGS;
	if (!mc_inflate_encoding(mc_httpd_header(request, "Content-Encoding"),
				 &request->body.encoding))
		return 415;
	*why = "too large";
	if (length != NULL &&
	    strtoull(length, NULL, 10) > (uint64_t)server->options.limits.body_max)
		return 413;
	*why = "too much at once";
	return atomic_load(&server->pool) > server->memory.pool_max ? 503 : 0;
}

static unsigned check_head(struct mc_httpd_request *request, const char **why)
{
	struct mc_httpd *server = server_of(request);
	unsigned status = check_peer(request, why);
	bool known;

	if (status != 0)
		return status;
	request->route =
		http_route_find(server->options.routes, request->path, request->method, &known);
	*why = "not with this method";
	if (request->route == NULL)
		return known ? 405 : 404;
	*why = "not for pages of other sites";
	if (!http_route_site(request->route, mc_httpd_header(request, "Sec-Fetch-Site"),
			     mc_httpd_header(request, "Sec-Fetch-Dest")))
		return 403;
	status = check_size(request, why);
	if (status != 0)
		return status;
	*why = "too many requests at a time";
	request->client = http_clients_enter(&server->clients, request->client_key);
	return request->client != NULL ? 0 : 429;
}

static void refuse_head(struct mc_httpd_request *request, unsigned status, const char *why)
{
	char paths[PATHS_SIZE], text[PATHS_SIZE + 20];

	if (status == 404) {
		http_route_paths(server_of(request)->options.routes, paths, sizeof(paths));
		snprintf(text, sizeof(text), "only %s are here", paths);
		why = text;
	}
	mc_httpd_refuse(request, status, why);
	http_answer_free_headers(request);
}

static enum MHD_Result begin(struct mc_httpd_request *draft, void **slot)
{
	struct mc_httpd_request *request;
	const char *why;
	unsigned status = check_head(draft, &why);

	if (status != 0) {
		refuse_head(draft, status, why);
		return draft->result;
	}
	request = mc_alloc_bytes(draft, sizeof(*draft));
	if (request->route->head != NULL)
		status = request->route->head(request, &why);
	if (status == 0) {
		*slot = request;
		return MHD_YES;
	}
	http_clients_leave(&server_of(request)->clients, request->client);
	refuse_head(request, status, why);
	draft->result = request->result;
	free(request);
	return draft->result;
}

/* --- The body ------------------------------------------------------------ */

/* Whether pieces go to the plugin as they come. */
static bool is_stream(const struct mc_httpd_request *request)
{
	return request->route->data != NULL && request->body.encoding == MC_INFLATE_NONE;
}

/* MHD_NO ends the connection: the client does not stop. */
static enum MHD_Result take_body(struct mc_httpd_request *request, const char *data, size_t size)
{
	const struct http_body_limits limits = limits_of(request);
	bool within, goes_on;

	atomic_fetch_add(&request->peer->line.size, size);
	if (!is_stream(request))
		return http_body_add(&request->body, &limits, data, size) ? MHD_YES : MHD_NO;
	goes_on = http_body_count(&request->body, limits.size_max, size, &within);
	if (within)
		request->route->data(request, data, size);
	return goes_on ? MHD_YES : MHD_NO;
}

unsigned mc_httpd_content(struct mc_httpd_request *request, const unsigned char **bytes,
			  size_t *size, const char **why)
{
	unsigned status = http_unpack(request, why);

	if (status != 0)
		return status;
	if (request->body.encoding == MC_INFLATE_NONE) {
		*bytes = mc_httpd_body(request, size);
		return 0;
	}
	*bytes = request->body.inflated.bytes;
	*size = request->body.inflated.size;
	return 0;
}

/* --- The end ------------------------------------------------------------- */

/* Calls what answers, or has another thread do so. */
static void start(struct mc_httpd_request *request)
{
	struct mc_httpd *server = server_of(request);

	if (!request->route->may_block) {
		request->route->handle(request);
		return;
	}
	request->held = http_hold_begin(&server->holds, &request->hold);
	if (!request->held) {
		mc_httpd_refuse(request, 503, "it ends");
	} else if (!http_pool_add(&server->threads, request)) {
		mc_httpd_resume(request);
		request->held = false;
		mc_httpd_refuse(request, 503, "too many wait");
	}
}

/* Whether the client has closed the connection, which libmicrohttpd does not see while it is
 * suspended.  One that has closed its half only, which none of HTTP has to, counts as gone, too:
 * TCP does not distinguish them. */
bool mc_httpd_has_left(const struct mc_httpd_request *request)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(request->connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	struct pollfd end = { .fd = info != NULL ? info->connect_fd : -1, .events = POLLRDHUP };

	return poll(&end, 1, 0) == 1;
}

void http_request_answer(struct mc_httpd_request *request, bool ends)
{
	if (ends)
		mc_httpd_refuse(request, 503, "it ends");
	else if (mc_httpd_has_left(request))
		mc_httpd_refuse(request, 503, "the client has left");
	else
		request->route->handle(request);
	mc_httpd_resume(request);
}

/* After it was held. */
static void go_on(struct mc_httpd_request *request)
{
	if (request->route->may_block)
		http_answer_send(request);
	else
		request->route->resume(request);
}

/* Calls what answers, at once or when it goes on. */
static enum MHD_Result proceed(struct mc_httpd_request *request,
			       void (*callback)(struct mc_httpd_request *))
{
	callback(request);
	while (request->held && !http_hold_suspend(&server_of(request)->holds, &request->hold,
						   request->connection)) {
		request->held = false;
		go_on(request);
	}
	if (request->held)
		return MHD_YES; /* It is called again when it goes on. */
	if (!request->answered)
		mc_httpd_refuse(request, 500, "no answer");
	return request->result;
}

static enum MHD_Result refuse(struct mc_httpd_request *request, unsigned status, const char *why)
{
	mc_httpd_refuse(request, status, why);
	return request->result;
}

/* The whole body has come. */
static enum MHD_Result finish(struct mc_httpd_request *request)
{
	const struct http_body *body = &request->body;
	const char *why;
	unsigned status;

	http_watch_enter(&request->peer->line, HTTP_WATCH_SERVED);
	request->thread->worker.linger.requests++;
	if (body->busy)
		return refuse(request, 429, "too much at once");
	if (body->lost > 0)
		return refuse(request, 413, "too large");
	if (request->route->data != NULL && !is_stream(request)) {
		status = http_unpack(request, &why);
		if (status != 0)
			return refuse(request, status, why);
		request->route->data(request, body->inflated.bytes, body->inflated.size);
	}
	return proceed(request, start);
}

enum MHD_Result http_request_handle(void *thread, struct MHD_Connection *connection,
				    const char *url, const char *method, const char *version,
				    const char *data, size_t *size, void **slot)
{
	struct mc_httpd_request *request = *slot;
	struct http_peer *peer = http_peer_of(connection);
	enum MHD_Result result;

	(void)version;
	if (peer != NULL)
		http_tls_serves(&peer->tls);
	if (request == NULL) {
		struct mc_httpd_request draft = {
			.thread = thread,
			.connection = connection,
			.path = url,
			.method = method,
			.peer = peer,
			.result = MHD_NO,
		};

		return begin(&draft, slot);
	}
	if (request->held) {
		request->held = false;
		return proceed(request, go_on);
	}
	if (*size == 0)
		return finish(request);
	result = take_body(request, data, *size);
	*size = 0;
	return result;
}

void http_request_done(void *thread, struct MHD_Connection *connection, void **slot,
		       enum MHD_RequestTerminationCode code)
{
	struct http_peer *peer = http_peer_of(connection);
	struct mc_httpd_request *request = *slot;

	(void)thread, (void)code;
	if (peer != NULL)
		http_watch_enter(&peer->line, HTTP_WATCH_ANSWERED);
	if (request == NULL)
		return;
	if (request->route->done != NULL)
		request->route->done(request);
	http_events_close(request->follower);
	if (request->kept != NULL)
		MHD_destroy_response(request->kept);
	mc_httpd_free_body(request);
	atomic_fetch_sub(&server_of(request)->answers, request->answer_size);
	http_clients_leave(&server_of(request)->clients, request->client);
	http_answer_free_headers(request);
	free(request);
	*slot = NULL;
}

/* --- Holding ------------------------------------------------------------- */

bool mc_httpd_hold(struct mc_httpd_request *request)
{
	assert(request->route->resume != NULL);
	request->held = http_hold_begin(&server_of(request)->holds, &request->hold);
	return request->held;
}

void mc_httpd_resume(struct mc_httpd_request *request)
{
	http_hold_resume(&server_of(request)->holds, &request->hold, request->connection,
			 &request->thread->worker);
}

void mc_httpd_free_body(struct mc_httpd_request *request)
{
	const struct http_body_limits limits = limits_of(request);

	http_body_free(&request->body, &limits);
}
