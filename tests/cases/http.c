/* SPDX-License-Identifier: MIT */
#include "http.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

void http_done(struct http *http)
{
	free(http->headers);
	http->headers = NULL;
}

void http_header(struct http *http, const char *header)
{
	char *all = NULL;
	size_t size;
	FILE *out = open_memstream(&all, &size);

	fprintf(out, "%s%s\r\n", http->headers != NULL ? http->headers : "", header);
	fclose(out);
	free(http->headers);
	http->headers = all;
}

static bool has(const struct http *http, const char *name)
{
	return http->headers != NULL && strstr(http->headers, name) != NULL;
}

/* Headers and body; the headers are used up. */
static void add_rest(struct http *http, const char *body, size_t body_size, FILE *out)
{
	bool chunked = has(http, "Transfer-Encoding:");

	if (!chunked && !has(http, "Content-Length:"))
		fprintf(out, "Content-Length: %zu\r\n", body_size);
	fprintf(out, "%s\r\n", http->headers != NULL ? http->headers : "");
	fwrite(body, 1, body_size, out);
	http_done(http);
}

char *http_request(struct http *http, const char *method, const char *path, const char *body,
		   size_t body_size, size_t *size)
{
	char *bytes = NULL;
	FILE *out = open_memstream(&bytes, size);

	fprintf(out, "%s %s HTTP/1.1\r\n", method, path);
	if (!has(http, "Host:"))
		fprintf(out, "Host: localhost\r\n");
	add_rest(http, body, body_size, out);
	fclose(out);
	return bytes;
}

char *http_answer(struct http *http, const char *status, const char *body, size_t body_size,
		  size_t *size)
{
	char *bytes = NULL;
	FILE *out = open_memstream(&bytes, size);

	fprintf(out, "HTTP/1.1 %s %s\r\n", status, *status == '2' ? "OK" : "No");
	add_rest(http, body, body_size, out);
	fclose(out);
	return bytes;
}
