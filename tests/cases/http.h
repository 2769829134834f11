/* SPDX-License-Identifier: MIT */
/* Requests and answers of HTTP/1.1 as bytes, for peers (RFC 9112). */
#pragma once

#include <stddef.h>

struct http {          /* All zero at first. */
	char *headers; /* Of the next request or answer. */
};

void http_done(struct http *);

/* Adds "Name: value" to the next request or answer. */
void http_header(struct http *, const char *header);

/* The bytes of it, with Host and Content-Length unless they were added; freed by the caller. */
char *http_request(struct http *, const char *method, const char *path, const char *body,
		   size_t body_size, size_t *size);
char *http_answer(struct http *, const char *status, const char *body, size_t body_size,
		  size_t *size);
