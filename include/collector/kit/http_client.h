/* SPDX-License-Identifier: MIT */
/* collector/kit/http_client.h - sends requests by HTTP, in libkit_http_client,
 * which needs libcurl, GnuTLS, zlib and zstd.
 *
 * A client has one connection, or several for mc_http_send_all(), to the first
 * of its URLs that answers.  A request blocks until it is answered, its timeout is over, or, if the
 * plugin is to stop, for two seconds more.  A writer goes like this:
 *
 *   if (!mc_http_ready(client, &stream))
 *           return mc_http_fail(ctx, EAGAIN, &stream.reply, NULL);
 *   switch (mc_http_send(client, &stream, &request)) ...
 *
 * All of it belongs to one thread at a time, but mc_http_client_renew().
 */
#pragma once

#include <collector/kit/backoff.h>
#include <collector/kit/listen_options.h>
#include <collector/plugin.h>

/* --- Settings ------------------------------------------------------------- */

/* Settings of the user: part of the plugin's state.  All zero is fine, but for the URLs and the
 * times. */
struct mc_http_settings {
	struct mc_strings urls;
	struct mc_strings header_words;     /* Name, value, name, value... */
	const char *header_file;            /* NULL: none. */
	const char *proxy;                  /* NULL: that of the environment, if any; "": none. */
	const char *user, *password;        /* NULL: none. */
	const char *ca, *certificate, *key; /* Files; NULL: the system's, none. */
	bool tls12;                         /* TLS 1.2 will do. */
	bool any_certificate, any_host;     /* The receiver's is not verified. */
	int compression;                    /* enum mc_http_compression */
	mc_time timeout, connect_timeout;
};

enum mc_http_compression {
	MC_HTTP_PLAIN,
	MC_HTTP_GZIP,
	MC_HTTP_ZSTD,
	MC_HTTP_AUTO, /* gzip, and zstd when the receiver says it takes it. */
};

/* Rows of an option table for 'field', the settings within 'self'; the URL is
 * the plugin's own row. */
#define MC_HTTP_COMPRESSIONS                                                                       \
	(const char *const[])                                                                      \
	{                                                                                          \
		"none", "gzip", "zstd", "auto", NULL                                               \
	}
#define MC_HTTP_PLAIN_OPTIONS(self, field)                                                         \
	{ "Header", MC_OPT_STRINGS(self, field.header_words),                                      \
	  .help = "Name and value of a header of each request, "                                   \
		  "such as Authorization.",                                                        \
	  .sample = "X-Scope-OrgID hosts" },                                                       \
		{ "HeaderFile", MC_OPT_STRING(self, field.header_file),                            \
		  .help = "File with headers, one \"Name: value\" per "                            \
			  "line; it is read again when the receiver "                              \
			  "answers 401 or 403.",                                                   \
		  .sample = "/etc/collector/http.headers" },                                       \
		{ "Proxy", MC_OPT_STRING(self, field.proxy),                                       \
		  .help = "URL of the proxy; by default that of the "                              \
			  "environment (https_proxy); empty: none.",                               \
		  .sample = "http://127.0.0.1:3128" },                                             \
		{ "CACert", MC_OPT_STRING(self, field.ca),                                         \
		  .help = "File with the authorities that must have "                              \
			  "signed the receiver's certificate; by default "                         \
			  "those of the system.",                                                  \
		  .sample = "/etc/collector/ca.pem" },                                             \
		MC_CLIENT_CERTIFICATE_OPTIONS(self, field.certificate, field.key),                 \
		MC_TLS12_OPTION(self, field.tls12),                                                \
		{ "Timeout",                                                                       \
		  MC_OPT_TIME(self, field.timeout),                                                \
		  .default_value = "30",                                                           \
		  .help = "Seconds that a request may take.",                                      \
		  .min = 0.1,                                                                      \
		  .max = 600 },                                                                    \
	{                                                                                          \
		"ConnectTimeout", MC_OPT_TIME(self, field.connect_timeout),                        \
			.default_value = "5", .help = "Seconds that connecting may take.",         \
			.min = 0.1, .max = 600                                                     \
	}

/* The same, and Compression, for receivers that may take it. */
#define MC_HTTP_OPTIONS(self, field)                                                               \
	MC_HTTP_PLAIN_OPTIONS(self, field),                                                        \
	{                                                                                          \
		"Compression", MC_OPT_WORD(self, field.compression),                               \
			.default_value = "auto", .words = MC_HTTP_COMPRESSIONS,                    \
			.help = "Compression of requests; auto: gzip, and "                        \
				"zstd as soon as the receiver announces it."                       \
	}

/* User and password, for receivers that most often want them. */
#define MC_HTTP_USER_OPTIONS(self, field)                                                          \
	{ "User", MC_OPT_STRING(self, field.user),                                                 \
	  .help = "User at the receiver; by default none.", .sample = "collector" },               \
	{                                                                                          \
		"Password", MC_OPT_STRING(self, field.password),                                   \
			.help = "Password of that user.", .secret = true, .sample = "secret"       \
	}

enum mc_http_verdict {
	MC_HTTP_DONE,
	MC_HTTP_LATER, /* The same again, here or elsewhere. */
	MC_HTTP_NEVER, /* It will never be taken. */
};

/* The meaning of a status of HTTP to OTLP and most others; 0 stands for a missing answer. */
enum mc_http_verdict mc_http_verdict(long status);

/* The protocol on top of HTTP: a constant of the plugin.  All zero is fine. */
struct mc_http_protocol {
	bool whole_urls; /* No path is appended to a URL. */
	/* Headers that the plugin adds and the user may not; ends with NULL. */
	const char *const *reserved;
	enum mc_http_verdict (*verdict)(long status); /* NULL: as above. */
	size_t reply_max;         /* Bytes of a reply; the rest is cut.  0: 64 KiB. */
	long redirects_max;       /* That are followed. */
	const char *reply_header; /* Of which a reply has the value; NULL: none. */
	bool whole_replies;       /* A larger one is not cut, but ended, and fails. */
};

/* For check(): says what is wrong with the settings. */
void mc_http_check(struct mc_ctx *, const struct mc_http_settings *,
		   const struct mc_http_protocol *);

/* --- The client ----------------------------------------------------------- */

struct mc_http_client;

/* Makes a client in '*client'; connects with the first request.  Settings and protocol must outlive
 * it.  0, or what mc_fail() returned, and '*client' is unchanged. */
int mc_http_client_new(struct mc_ctx *, const struct mc_http_settings *,
		       const struct mc_http_protocol *, struct mc_http_client **client);
void mc_http_client_free(struct mc_http_client *); /* NULL is fine. */

/* For renew(): the next mc_http_ready() reads the file of headers anew, and has a new connection
 * if a certificate, the key or the authority has changed, in which nothing of the session before
 * is taken up.  Thread: any. */
void mc_http_client_renew(struct mc_http_client *);

/* The first URL as it may be shown, without user and password. */
const char *mc_http_client_url(const struct mc_http_client *);

/* Whether headers or URLs depend on the tenant of a request. */
bool mc_http_client_by_tenant(const struct mc_http_client *);

/* --- Requests ------------------------------------------------------------- */

struct mc_http_headers;

/* Adds a header, "Name: value"; it is cut at 255 bytes. */
void mc_http_header(struct mc_http_headers *, const char *fmt, ...) MC_PRINTF(2, 3);

struct mc_http_request {
	const char *method;       /* NULL: POST. */
	const char *path;         /* Appended to the URL; NULL: nothing is. */
	const char *content_type; /* NULL: none given. */
	const void *body;
	size_t size;
	/* It is like the one before: in zstd it refers to that, where the receiver keeps it. */
	bool similar;

	/* Adds headers of this request, when its body is as it goes over the
	 * wire: again, when it is compressed in another way.  May be NULL. */
	void (*add_headers)(void *argument, const void *body, size_t size,
			    struct mc_http_headers *);

	/* False: nobody waits for the reply any more; it is given up within a second.  May be
	 * NULL. */
	bool (*is_wanted)(void *argument);
	void *argument; /* Of both. */
	mc_time until;  /* Given up at that time of mc_now(); 0: after the timeout alone. */

	/* Replaces "%{tenant}" in headers and URLs of the user's, what is no letter, digit, '-',
	 * '_' or '.' as '_'; NULL, "": by "anonymous". */
	const char *tenant;
};

#define MC_HTTP_WHY_SIZE 128
struct mc_http_reply {
	const char *url;     /* Where it was sent, as it may be shown. */
	long status;         /* Of HTTP; 0: no answer. */
	mc_time retry_after; /* From now on; 0: not said. */
	mc_time duration;    /* Of real time, of the last try. */
	bool takes_zstd;     /* It says so, in Accept-Encoding. */
	const char *body;    /* With a '\0' after it; until the next request. */
	size_t size;
	char why[MC_HTTP_WHY_SIZE]; /* There is no answer; else "". */
	char dictionary[16];        /* Its header Collector-Dictionary; "": it has none. */
	char header[32]; /* That of the protocol's 'reply_header'; "": it is not there. */
};

/* Requests that are taken or refused independently of those of others. */
struct mc_http_stream {
	struct mc_backoff backoff;  /* 'longest' is set by the caller. */
	struct mc_http_reply reply; /* To the last request. */
	unsigned renewals;          /* Of the client, that it knows of. */
};

/* Whether the stream's next request is due; it is at once after a renewal. */
bool mc_http_ready(struct mc_http_client *, struct mc_http_stream *);

/* Sends a request to the URL in use, or else to the next that answers; a minute later the first is
 * tried again.  A body refused because it is compressed is sent again in a simpler form.  The body
 * must not change meanwhile.  After MC_HTTP_LATER the file of headers has been read again, if that
 * may help. */
enum mc_http_verdict mc_http_send(struct mc_http_client *, struct mc_http_stream *,
				  const struct mc_http_request *);

/* Sends several requests at once, each by a connection of its own, and waits for all.  The bodies
 * go as they are: none is compressed.  As mc_http_send() in all else; each has a verdict of its
 * own, and the result is MC_HTTP_LATER if one of them has that, else MC_HTTP_DONE.  'until' and
 * 'is_wanted' of the first request are those of all. */
struct mc_http_exchange {
	struct mc_http_request request;
	struct mc_http_reply reply;
	enum mc_http_verdict verdict;
};
enum mc_http_verdict mc_http_send_all(struct mc_http_client *, struct mc_http_stream *,
				      struct mc_http_exchange *exchanges, size_t len);

/* mc_fail() with what the last reply was; 'why' is what its body says, or NULL. */
int mc_http_fail(struct mc_ctx *, int errnum, const struct mc_http_reply *, const char *why);
