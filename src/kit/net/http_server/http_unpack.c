/* SPDX-License-Identifier: MIT */
#include "kit/net/http_server/http_unpack.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "kit/net/http_dictionary.h"
#include "kit/net/http_server/http_request.h"

/* Whether the client has the server keep the body for its next one. */
static bool wants_dictionary(const struct mc_httpd_request *request,
			     struct http_dictionary_numbers *numbers)
{
	const char *value = mc_httpd_header(request, HTTP_DICTIONARY_HEADER);

	return value != NULL && request->body.encoding == MC_INFLATE_ZSTD &&
	       request->thread->server->dictionaries.size_max > 0 &&
	       http_dictionary_read(value, numbers);
}

static void keep(struct mc_httpd_request *request, uint32_t number)
{
	struct http_dictionaries *all = &request->thread->server->dictionaries;
	const struct mc_inflated *body = &request->body.inflated;
	char text[16];

	if (body->size > HTTP_DICTIONARY_MAX)
		return;
	http_dictionaries_keep(all, request->client_key, number, body->bytes, body->size);
	snprintf(text, sizeof(text), "%08" PRIx32, number);
	mc_httpd_add_header(request, HTTP_DICTIONARY_HEADER, text);
}

static unsigned inflate(struct mc_httpd_request *request, const struct mc_inflate_limits *limits,
			const char **why)
{
	struct http_body *body = &request->body;
	unsigned status = mc_httpd_status_of(
		mc_inflate_body(body->encoding, body->bytes, body->size, limits, &body->inflated));

	if (status != 0)
		*why = status == 503 ? "too much at once"
				     : "not in the encoding it says, or too large";
	return status;
}

/* A checksum in the body shows whether it refers to another one. */
static unsigned inflate_by(struct mc_httpd_request *request,
			   const struct http_dictionary_numbers *numbers, const char **why)
{
	struct mc_httpd *server = request->thread->server;
	struct mc_inflate_limits limits = server->memory;
	struct http_dictionary *dictionary = NULL;
	unsigned status;

	if (numbers->refers) {
		*why = "the body that it refers to is not here";
		dictionary = http_dictionaries_take(&server->dictionaries, request->client_key,
						    numbers->use);
		if (dictionary == NULL)
			return HTTP_DICTIONARY_MISSING;
		limits.prefix = http_dictionaries_bytes(dictionary, &limits.prefix_size);
	}
	status = inflate(request, &limits, why);
	free(dictionary);
	if (status == 0)
		keep(request, numbers->keep);
	return status == 400 && numbers->refers ? HTTP_DICTIONARY_MISSING : status;
}

unsigned http_unpack(struct mc_httpd_request *request, const char **why)
{
	const struct http_body *body = &request->body;
	struct http_dictionary_numbers numbers;

	if (body->encoding == MC_INFLATE_NONE || body->inflated.bytes != NULL)
		return 0;
	if (wants_dictionary(request, &numbers))
		return inflate_by(request, &numbers, why);
	return inflate(request, &request->thread->server->memory, why);
}
