/* SPDX-License-Identifier: MIT */
/* RESP2, the protocol of Redis: replies are taken apart, requests put together. */
#pragma once

#include <collector/kit/buffer.h>

enum resp_type {
	RESP_STATUS, /* "OK" */
	RESP_ERROR,
	RESP_INTEGER,
	RESP_TEXT,
	RESP_NULL,
	RESP_ARRAY, /* Its elements are passed over. */
};

struct resp_reply {
	enum resp_type type;
	const char *text; /* In the bytes; need not end with '\0'.  Of an integer its digits. */
	size_t size;
};

/* Takes one reply; its size in bytes, 0: it is not complete, or -EINVAL: it is invalid. */
ssize_t resp_take(const char *bytes, size_t size, struct resp_reply *reply);

/* Adds a request of these words. */
void resp_ask(struct mc_buffer *out, const char *const *words, size_t len);

/* Adds a request of the words in a text, which blanks separate. */
void resp_ask_text(struct mc_buffer *out, const char *text);
