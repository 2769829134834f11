/* SPDX-License-Identifier: MIT */
/* One HTTP connection that posts requests, by libcurl. */
#ifndef FORWARD_POST_H
#define FORWARD_POST_H

#include <collector/journal.h>
#include <collector/otlp.h>

#include "header.h"
#include "pack.h"

struct post_options {
	const char *ca, *certificate, *key; /* Files; NULL: the system's, none.
					     */
	const char *sender;                 /* The name of this host. */
	const char *proxy; /* NULL: that of the environment, if any. */
	const struct headers *headers; /* To be sent with every request. */
	bool tls12;                    /* TLS 1.2 will do. */
	mc_time timeout, connect_timeout;
};

struct post;

/* For that instance; NULL if libcurl has no memory.  The options must outlive
 * it. */
struct post *post_new(struct mc_ctx *, const struct post_options *);
void post_free(struct post *);

/* If a certificate, the key or the authority has changed since the connection
 * began, the next request has a new one, in which nothing of the session before
 * is taken up. */
void post_renew(struct post *);

/* A request before it is sent: its body as it goes over the wire. */
struct post_body {
	const unsigned char *at; /* In the bytes given, or the post's own. */
	size_t size;
	enum pack_encoding encoding;
	uint32_t crc; /* CRC32C. */
};

/* Packs the bytes.  False: out of memory. */
bool post_prepare(struct post *, const unsigned char *bytes, size_t size,
		  enum pack_encoding, struct post_body *);

struct post_reply {
	long status;         /* Of HTTP; 0: no answer, 'why' is libcurl's. */
	int64_t retry_after; /* Seconds; 0: not said. */
	bool takes_zstd;     /* It says so, in Accept-Encoding. */
	uint64_t rejected;
	char why[MC_OTLP_WHY_SIZE];
};

/* Of a request: the receiver takes none that it has taken before. */
struct post_number {
	char stream[MC_DEDUP_ID_MAX + 1]; /* "SENDER/RUN" */
	uint64_t first, last; /* The places that it takes; 0: no number. */
	uint64_t gap;         /* Samples before it that never come; 0: none. */
};

/* Sends it to 'url' followed by 'path', and waits for the reply. */
void post_send(struct post *, const char *url, const char *path,
	       const struct post_body *, const struct post_number *,
	       struct post_reply *);

#endif
