/* SPDX-License-Identifier: MIT */
/* One HTTP request, from its head to the answer: libmicrohttpd's callbacks,
 * each of which is called by one of its threads. */
#pragma once

#include <microhttpd.h>

#include <collector/kit/http_server.h>

#include "kit/net/http_server/http_body.h"
#include "kit/net/http_server/http_hold.h"
#include "kit/net/http_server/http_server.h"
#include "kit/net/http_server/peer/http_peer.h"

struct http_header {
	struct http_header *next;
	char *name, *value;
};

struct mc_httpd_request {
	struct http_thread *thread;
	struct MHD_Connection *connection;
	const struct mc_httpd_route *route; /* NULL: none was found. */
	const char *path, *method;
	struct http_peer *peer;
	char client_key[MC_HTTPD_NAME_SIZE]; /* Of limits: of the peer, or, by a server in front, of
						the viewer. */
	struct http_client *client;
	struct http_body body;
	struct http_hold hold;
	bool held;
	struct mc_httpd_request *next;  /* Of those that wait for a thread. */
	struct http_header *headers;    /* Of the answer. */
	struct http_follower *follower; /* NULL: the answer has an end. */
	bool answered;
	enum MHD_Result result;    /* Of that. */
	struct MHD_Response *kept; /* The answer, to be sent later, or NULL, */
	unsigned status;           /* and its status. */
	size_t answer_size;        /* Bytes, if it is a large one. */
	unsigned retry_after;      /* Seconds, with 429 and 503; 0: one. */
	void *state;               /* The plugin's. */
};

/* An MHD_AccessHandlerCallback; its first argument is struct http_thread. */
enum MHD_Result http_request_handle(void *thread, struct MHD_Connection *, const char *url,
				    const char *method, const char *version, const char *data,
				    size_t *size, void **request);

/* An MHD_RequestCompletedCallback. */
void http_request_done(void *thread, struct MHD_Connection *, void **request,
		       enum MHD_RequestTerminationCode);

/* The work of the server's pool on a request: see http_pool.h. */
void http_request_answer(struct mc_httpd_request *, bool ends);
