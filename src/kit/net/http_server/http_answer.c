/* SPDX-License-Identifier: MIT */
/* A plugin's view of a request, and its answer.  Facts: RFC 9110, and RFC 7694 for Accept-Encoding
 * in an answer. */
#include "kit/net/http_server/http_answer.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <collector/kit/alloc.h>
#include <collector/kit/http_server.h>

#include "kit/net/http_server/http_request.h"
#include "kit/net/http_server/http_route.h"

#define METHODS_SIZE 128
#define REFUSAL_SIZE 512
#define LARGE_SIZE 65536               /* Answers of fewer bytes are small. */
#define ANSWERS_MAX ((size_t)64 << 20) /* Bytes of large ones; then 503. */

void *mc_httpd_argument(const struct mc_httpd_request *request)
{
	return request->thread->server->options.argument;
}

const struct mc_httpd_listen *mc_httpd_listener(const struct mc_httpd_request *request)
{
	return request->thread->listen;
}

const char *mc_httpd_path(const struct mc_httpd_request *request)
{
	return request->path;
}

const char *mc_httpd_query(const struct mc_httpd_request *request, const char *name)
{
	const char *value = NULL;

	if (MHD_lookup_connection_value_n(request->connection, MHD_GET_ARGUMENT_KIND, name,
					  strlen(name), &value, NULL) != MHD_YES)
		return NULL;
	return value != NULL ? value : "";
}

struct value_search {
	const char *name, *value;
	unsigned left; /* Until it is that. */
};

static enum MHD_Result look_at_value(void *argument, enum MHD_ValueKind kind, const char *name,
				     const char *value)
{
	struct value_search *search = argument;

	(void)kind;
	if (strcmp(name, search->name) != 0 || search->left-- > 0)
		return MHD_YES;
	search->value = value != NULL ? value : "";
	return MHD_NO;
}

const char *mc_httpd_query_at(const struct mc_httpd_request *request, const char *name,
			      unsigned number)
{
	struct value_search search = { .name = name, .left = number };

	MHD_get_connection_values(request->connection, MHD_GET_ARGUMENT_KIND, look_at_value,
				  &search);
	return search.value;
}

const char *mc_httpd_header(const struct mc_httpd_request *request, const char *name)
{
	return MHD_lookup_connection_value(request->connection, MHD_HEADER_KIND, name);
}

bool mc_httpd_is_type(const struct mc_httpd_request *request, const char *type)
{
	const char *content_type = mc_httpd_header(request, "Content-Type");
	size_t size = strlen(type);

	return content_type != NULL && strncasecmp(content_type, type, size) == 0 &&
	       (content_type[size] == '\0' || content_type[size] == ';' ||
		content_type[size] == ' ');
}

const unsigned char *mc_httpd_body(const struct mc_httpd_request *request, size_t *size)
{
	*size = request->body.bytes != NULL ? request->body.size : 0;
	return request->body.bytes;
}

unsigned mc_httpd_status_of(enum mc_inflate_result result)
{
	static const unsigned statuses[] = {
		[MC_INFLATE_OKAY] = 0,
		[MC_INFLATE_BROKEN] = 400,
		[MC_INFLATE_TOO_BIG] = 413,
		[MC_INFLATE_NO_MEMORY] = 503,
	};

	return statuses[result];
}

const struct mc_inflate_limits *mc_httpd_memory(const struct mc_httpd_request *request)
{
	return &request->thread->server->memory;
}

void mc_httpd_set_state(struct mc_httpd_request *request, void *state)
{
	request->state = state;
}

void *mc_httpd_state(const struct mc_httpd_request *request)
{
	return request->state;
}

const struct mc_httpd_peer *mc_httpd_peer(const struct mc_httpd_request *request)
{
	return &request->peer->known;
}

void *mc_httpd_client(const struct mc_httpd_request *request)
{
	return http_clients_own(request->client);
}

/* --- Answers ------------------------------------------------------------- */

void mc_httpd_add_header(struct mc_httpd_request *request, const char *name, const char *value)
{
	struct http_header *header = mc_alloc(sizeof(*header));

	*header = (struct http_header){ .next = request->headers,
					.name = mc_alloc_copy(name),
					.value = mc_alloc_copy(value) };
	request->headers = header;
}

void http_answer_free_headers(struct mc_httpd_request *request)
{
	struct http_header *next;

	for (struct http_header *h = request->headers; h != NULL; h = next) {
		next = h->next;
		free(h->name);
		free(h->value);
		free(h);
	}
	request->headers = NULL;
}

void http_answer_send(struct mc_httpd_request *request)
{
	if (request->kept == NULL)
		return;
	request->result = MHD_queue_response(request->connection, request->status, request->kept);
	MHD_destroy_response(request->kept);
	request->kept = NULL;
}

static bool has_body(const struct mc_httpd_request *request)
{
	return strcmp(request->method, "GET") != 0 && strcmp(request->method, "HEAD") != 0;
}

static void add_headers(const struct mc_httpd_request *request, unsigned status,
			struct MHD_Response *response)
{
	const struct mc_httpd_options *options = &request->thread->server->options;
	char methods[METHODS_SIZE], seconds[16];

	if (status == 503 || status == 429) {
		snprintf(seconds, sizeof(seconds), "%u",
			 request->retry_after > 0 ? request->retry_after : 1);
		MHD_add_response_header(response, "Retry-After", seconds);
	}
	if (status == 401)
		MHD_add_response_header(response, "WWW-Authenticate",
					"Basic realm=\"collector\", charset=\"UTF-8\"");
	if (status == 405) {
		http_route_methods(options->routes, request->path, methods, sizeof(methods));
		MHD_add_response_header(response, "Allow", methods);
	}
	if ((status == 200 || status == 415) && has_body(request))
		MHD_add_response_header(response, "Accept-Encoding", MC_INFLATE_ENCODINGS);
	for (const struct http_header *h = request->headers; h != NULL; h = h->next)
		MHD_add_response_header(response, h->name, h->value);
}

/* NULL: there was no memory for it. */
static void queue(struct mc_httpd_request *request, unsigned status, const char *type,
		  struct MHD_Response *response)
{
	request->answered = true;
	request->result = MHD_NO;
	if (response == NULL)
		return;
	MHD_add_response_header(response, "Content-Type", type);
	add_headers(request, status, response);
	request->kept = response;
	request->status = status;
	if (!request->held)
		http_answer_send(request);
}

/* False: clients that do not read let too much wait for them.  A refusal is small. */
static bool may_wait(struct mc_httpd_request *request, size_t size)
{
	atomic_size_t *answers = &request->thread->server->answers;

	if (size < LARGE_SIZE)
		return true;
	if (atomic_fetch_add(answers, size) >= ANSWERS_MAX) {
		atomic_fetch_sub(answers, size);
		return false;
	}
	request->answer_size = size;
	return true;
}

void mc_httpd_answer(struct mc_httpd_request *request, unsigned status, const char *type,
		     const void *body, size_t size)
{
	if (!may_wait(request, size)) {
		http_answer_free_headers(request);
		mc_httpd_refuse(request, 503, "too much at once");
		return;
	}
	queue(request, status, type,
	      MHD_create_response_from_buffer(size, (void *)(uintptr_t)body,
					      MHD_RESPMEM_MUST_COPY));
}

void mc_httpd_follow(struct mc_httpd_request *request, uint64_t channel)
{
	const struct http_events_client client = {
		.connection = request->connection,
		.worker = &request->thread->worker,
		.channel = channel,
	};

	assert(request->follower == NULL);
	request->follower = http_events_open(&request->thread->server->events, &client);
	queue(request, 200, "text/event-stream", http_events_response(request->follower));
}

void mc_httpd_refuse(struct mc_httpd_request *request, unsigned status, const char *why)
{
	struct mc_httpd *server = request->thread->server;
	char text[REFUSAL_SIZE];

	atomic_fetch_add(&server->refusals.counts[HTTP_REFUSED_REQUESTS], 1);
	if (server->options.refuse != NULL) {
		server->options.refuse(request, status, why);
		return;
	}
	snprintf(text, sizeof(text), "%s\n", why);
	mc_httpd_answer(request, status, "text/plain", text, strlen(text));
}
