/* SPDX-License-Identifier: MIT */
/* collector/kit/http_server.h - a server of HTTP/1.1, plain or with TLS, in libkit_http_server,
 * which needs libmicrohttpd, GnuTLS, zlib, zstd and libcrypt.
 *
 * A plugin says in a table of routes what is there, and the server does the rest: threads, limits
 * for each client and for all, clients that are slow, certificates that are renewed, bodies and
 * their encodings.
 *
 *   static void hello(struct mc_httpd_request *request)
 *   {
 *           mc_httpd_answer(request, 200, "text/plain", "hello\n", 6);
 *   }
 *   static const struct mc_httpd_route routes[] = {
 *           { .path = "/hello", .method = "GET", .handle = hello },
 *           { 0 },
 *   };
 *
 * start() calls mc_httpd_new(), and mc_httpd_listen() for each address; run() calls mc_httpd_run(),
 * renew() mc_httpd_renew(), stop() mc_httpd_free().
 *
 * A request belongs to the thread that its callback is called in: its functions are called there,
 * but for mc_httpd_resume().  Their results stay until done().
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <collector/kit/inflate.h>
#include <collector/kit/listen_options.h>
#include <collector/plugin.h>
#include <collector/serve.h>

struct mc_httpd;
struct mc_httpd_request;

/* --- Routes -------------------------------------------------------------- */

struct mc_httpd_route {
	const char *path;   /* All of it; if it ends with '/', what begins so. */
	const char *method; /* "POST"; a route for GET answers HEAD, too. */

	/* May be NULL: the head has come.  Returns 0, or the status with which
	 * the request is refused before its body is read, and why. */
	unsigned (*head)(struct mc_httpd_request *, const char **why);

	/* May be NULL: a piece of the body has come; else all of it is kept
	 * until handle().  A body that is compressed comes as one piece. */
	void (*data)(struct mc_httpd_request *, const void *bytes, size_t size);

	/* All of it has come.  To be answered or refused now, or after
	 * mc_httpd_hold() by resume(). */
	void (*handle)(struct mc_httpd_request *);
	void (*resume)(struct mc_httpd_request *);

	/* handle() may wait for a disk or another program, or takes long: one of the pool_threads
	 * calls it, and others are served meanwhile.  It answers, and neither holds nor follows.
	 * If the client has left before its turn comes, it is not called. */
	bool may_block;

	/* Of a route that may block: handle() waits for a disk or another program.  Such requests
	 * have two thirds of the pool_threads at most, half of these for one client, so that the
	 * others go on while a disk hangs. */
	bool waits;

	/* Pages of other sites may show what it answers, as a picture.  Of another route they may
	 * only link to it: a browser gets 403 for what such a page makes it ask. */
	bool other_sites;

	/* May be NULL: it is over, answered or not.  Called once for each
	 * request that head() has let in, or handle() was called for. */
	void (*done)(struct mc_httpd_request *);
};

/* --- A server ------------------------------------------------------------ */

struct mc_httpd_limits {
	int64_t threads; /* That answer, for each address. */
	/* Connections at a time, for each address; then one that asks for nothing makes way. */
	int64_t clients;
	int64_t clients_per_address; /* Of these, from one address. */
	int64_t pool_threads;        /* For routes that may block, of all addresses;
				      * of one client half of them at most. */
	int64_t pool_waiting;        /* Requests that wait for these; then 503. */

	/* Clients are distinguished by certificate, or without one by address; in IPv6 by
	 * network. */
	int64_t requests_per_client; /* At a time; then it gets 429. */
	size_t bytes_per_client;     /* Bytes of their bodies; then 429. */
	size_t clients_len;          /* Remembered; more get 429. */

	size_t head_max;      /* Bytes of the head of a request, and of the memory that a
			       * connection keeps for it; then it is closed.  0: 16 KiB. */
	int64_t body_max;     /* Bytes of a body as it is sent; then 413. */
	int64_t inflated_max; /* Bytes of one, inflated; then 413. */
	int64_t memory_max;   /* Bytes of all bodies together; then 503. */

	/* Of the threads' time, for handshakes of TLS: beyond it they wait, and existing
	 * connections go on.  0: half. */
	double handshakes_share;
};

/* Rows for the connections of a struct mc_httpd_limits 'limits'. */
#define MC_HTTPD_CLIENTS_OPTIONS(self, limits, usual_clients, usual_per_address)                   \
	{ "MaxClients",                                                                            \
	  MC_OPT_INT(self, limits.clients),                                                        \
	  .default_value = (usual_clients),                                                        \
	  .help = "Largest number of connections, for each address.",                              \
	  .min = 1,                                                                                \
	  .max = 65536 },                                                                          \
		MC_CLIENTS_PER_ADDRESS_OPTION(self, limits.clients_per_address, usual_per_address)

/* Rows for those of a server that takes bodies: threads, connections, requests and sizes. */
#define MC_HTTPD_LIMIT_OPTIONS(self, limits, usual_threads, usual_clients, usual_body,             \
			       usual_memory)                                                       \
	{ "Threads",                                                                               \
	  MC_OPT_INT(self, limits.threads),                                                        \
	  .default_value = (usual_threads),                                                        \
	  .help = "Number of threads that answer requests, for each address.",                     \
	  .min = 1,                                                                                \
	  .max = 64 },                                                                             \
		MC_HTTPD_CLIENTS_OPTIONS(self, limits, usual_clients, "32"),                       \
		{ "MaxRequestsPerClient",                                                          \
		  MC_OPT_INT(self, limits.requests_per_client),                                    \
		  .default_value = "16",                                                           \
		  .help = "Largest number of requests of one client at a time; beyond it the "     \
			  "client is asked to try again later.",                                   \
		  .min = 1,                                                                        \
		  .max = 65536 },                                                                  \
		{ "MaxBodySize",                                                                   \
		  MC_OPT_INT(self, limits.body_max),                                               \
		  .default_value = (usual_body),                                                   \
		  .help = "Size in bytes of the largest request, as it is sent.",                  \
		  .min = 65536,                                                                    \
		  .max = 1 << 30 },                                                                \
		{ "MaxInflatedSize",                                                               \
		  MC_OPT_INT(self, limits.inflated_max),                                           \
		  .default_value = (usual_body),                                                   \
		  .help = "Size in bytes of the largest request after inflating; at most half of " \
			  "MaxMemory.",                                                            \
		  .min = 65536,                                                                    \
		  .max = 1 << 30 },                                                                \
	{                                                                                          \
		"MaxMemory", MC_OPT_INT(self, limits.memory_max),                                  \
			.default_value = (usual_memory),                                           \
			.help = "Size in bytes of all requests together, as received and "         \
				"inflated; beyond it clients are asked to try again later.",       \
			.min = 65536, .max = (double)((int64_t)1 << 40)                            \
	}

/* Finds mistakes in them, for check(); derives the limits that follow from them, for start(): the
 * share of a client is a quarter of the memory, but its largest request fits, in memory that
 * doubles as it grows; a body is inflated to half of it at most. */
void mc_httpd_check_limits(struct mc_ctx *, const struct mc_httpd_limits *);
void mc_httpd_derive_limits(struct mc_httpd_limits *);

struct mc_httpd_options {
	struct mc_httpd_limits limits;
	const struct mc_httpd_route *routes; /* Ends with path NULL. */
	void *argument;                      /* mc_httpd_argument() */

	/* Addresses, as numbers, and "local" for the unix sockets, of web servers in front: their
	 * X-Forwarded-For names the client, which limits are for.  Of all others it is ignored.
	 * NULL: no server is trusted. */
	const struct mc_strings *trusted_proxies;

	/* Bytes of bodies that are kept for clients whose next body refers to them (the header
	 * Collector-Dictionary of other collectors); 0: none is. */
	size_t dictionary_bytes;

	/* Its clients ask for what is known: see kit/descriptors.h.  Others are
	 * not let in when descriptors are short. */
	bool asks;

	/* Answers what is refused; NULL: with a line of text. */
	void (*refuse)(struct mc_httpd_request *, unsigned status, const char *why);

	/* May be NULL: what the plugin keeps of a client for as long as it is remembered,
	 * mc_httpd_client().  Thread: any. */
	void *(*client_new)(void *argument, const char *name);
	void (*client_free)(void *argument, void *client);

	/* May be NULL: has those that hold requests call mc_httpd_resume(): the
	 * server is to end.  Called again until they have. */
	void (*cancel)(void *argument);
};

/* Copies the options, but not what they point at.  Never NULL. */
struct mc_httpd *mc_httpd_new(struct mc_ctx *, const struct mc_httpd_options *);

/* --- Addresses ----------------------------------------------------------- */

struct mc_httpd_listen { /* A block Listen. */
	const char *host, *port;
	/* Files.  certificate NULL: plain HTTP; ca NULL: clients need no certificate. */
	const char *certificate, *key, *ca;
	/* File of htpasswd(1): users and passwords; NULL: any client.  With 'ca' a client needs
	 * both. */
	const char *passwords;
	/* A unix socket in place of host and port; the rest as in struct mc_listen_file. */
	const char *path, *group, *perms;
	bool delete_socket;
	bool allow_plain; /* At an address that others can reach. */
	bool tls12;       /* Not only TLS 1.3. */

	/* By which names it may be asked for in the header Host, beside
	 * addresses and "localhost"; others get 421, so that no page of the web
	 * reaches it by a name of its own.  NULL: by any. */
	const struct mc_strings *host_names;
};

/* Its options, for a block whose struct has a struct mc_httpd_listen 'field'. */
#define MC_HTTPD_LISTEN_OPTIONS(self, field)                                                       \
	MC_TLS_SERVER_OPTIONS(self, field.certificate, field.key, field.ca),                       \
		MC_TLS12_OPTION(self, field.tls12)

/* The option of a listener without TLS that others may reach. */
#define MC_HTTPD_PLAIN_OPTION(self, field)                                                         \
	{                                                                                          \
		"AllowPlain", MC_OPT_BOOL(self, field.allow_plain),                                \
			.default_value = "false",                                                  \
			.help = "Speaks plain HTTP at an address that others can reach."           \
	}

/* Those of a block that is a struct mc_httpd_listen, whose clients look at what is known. */
#define MC_HTTPD_VIEWERS_OPTIONS                                                                   \
	MC_TLS_SERVER_OPTIONS(struct mc_httpd_listen, certificate, key, ca),                       \
		MC_TLS12_OPTION(struct mc_httpd_listen, tls12),                                    \
	{                                                                                          \
		"PasswordFile", MC_OPT_STRING(struct mc_httpd_listen, passwords),                  \
			.help = "File of htpasswd(1) with the viewers and the hashes of their "    \
				"passwords, as htpasswd -B makes them; this or TLSClientCA is "    \
				"needed at an address that others can reach.",                     \
			.sample = "/etc/collector/htpasswd"                                        \
	}

/* Finds mistakes in one; for check().  The second one also if anybody could look, because neither
 * a certificate nor a password is asked for. */
void mc_httpd_check(struct mc_ctx *, const struct mc_httpd_listen *);
void mc_httpd_check_viewers(struct mc_ctx *, const struct mc_httpd_listen *);

/* Begins to answer there, of a name at all its addresses; the struct stays
 * until mc_httpd_free().  Returns 0, or what mc_fail() returned. */
int mc_httpd_listen(struct mc_httpd *, const struct mc_httpd_listen *);

/* The same for a block with MC_HTTPD_VIEWERS_OPTIONS; fails if anybody could look. */
int mc_httpd_listen_viewers(struct mc_httpd *, const struct mc_httpd_listen *);

/* Reads the files of all addresses again, for connections that begin from now
 * on; those that are there go on, and so do all with the files of before if
 * these cannot be used.  Returns 0, or what mc_fail() returned. */
int mc_httpd_renew(struct mc_httpd *);

/* Ends connections that take too long, until the instance must stop; then mc_httpd_close(). */
void mc_httpd_run(struct mc_httpd *);

/* Answers no more; requests under way are answered before it returns.  Again is fine. */
void mc_httpd_close(struct mc_httpd *);

/* Closes it; NULL is fine.  client_free() is called for all clients. */
void mc_httpd_free(struct mc_httpd *);

/* Puts the series errors-REASON of what was refused: requests; clients, connections of which
 * there were too many, or that made way; tls, handshakes of which an address began too many or
 * that were too long; slow, connections that were ended.  Thread: any. */
void mc_httpd_report(const struct mc_httpd *, struct mc_batch *);

/* Handshakes of TLS that were completed: with the server's signature, or by a session that the
 * client had before, which costs less.  Such sessions live a week, also over restarts: their key is
 * in the file NAME.sessions in BaseDir.  Thread: any. */
struct mc_httpd_handshakes {
	uint64_t full, resumed;
	uint64_t queued; /* Handshakes that waited, as others had the time for them, */
	uint64_t left;   /* and of these those whose client has left meanwhile. */
};
struct mc_httpd_handshakes mc_httpd_handshakes(const struct mc_httpd *);

/* Bodies that referred to one that was kept, and to one that was not.  Thread: any. */
struct mc_httpd_dictionaries {
	uint64_t used, missed;
};
struct mc_httpd_dictionaries mc_httpd_dictionaries(const struct mc_httpd *);

/* --- What is asked ------------------------------------------------------- */

void *mc_httpd_argument(const struct mc_httpd_request *);

/* Where it came in. */
const struct mc_httpd_listen *mc_httpd_listener(const struct mc_httpd_request *);

const char *mc_httpd_path(const struct mc_httpd_request *);

/* The text after '?NAME='; "" without '=', NULL if it is not there. */
const char *mc_httpd_query(const struct mc_httpd_request *, const char *name);

/* The same for a name that may be there several times: the value with that number, from 0 on; NULL
 * if there are fewer. */
const char *mc_httpd_query_at(const struct mc_httpd_request *, const char *name, unsigned number);
const char *mc_httpd_header(const struct mc_httpd_request *, const char *name);

/* Whether the body is of that type, whatever parameters it has. */
bool mc_httpd_is_type(const struct mc_httpd_request *, const char *type);

/* The body as it was sent; handle() of a route without data().  NULL after mc_httpd_free_body(). */
const unsigned char *mc_httpd_body(const struct mc_httpd_request *, size_t *size);

/* The body, inflated if it is compressed; it lives as above.  Returns 0, or the status of the
 * refusal, and why. */
unsigned mc_httpd_content(struct mc_httpd_request *, const unsigned char **bytes, size_t *size,
			  const char **why);

/* Gives back the memory of the body, also of what mc_httpd_content() returned;
 * done anyway before the request is over. */
void mc_httpd_free_body(struct mc_httpd_request *);

/* The memory of bodies, for what is made of one: mc_inflate_reserve(). */
const struct mc_inflate_limits *mc_httpd_memory(const struct mc_httpd_request *);

/* The status with which a body is refused of which that is the result; 0: it is right. */
unsigned mc_httpd_status_of(enum mc_inflate_result);

/* The plugin's state of this request: head() or handle() may set it. */
void mc_httpd_set_state(struct mc_httpd_request *, void *state);
void *mc_httpd_state(const struct mc_httpd_request *);

/* --- The client ---------------------------------------------------------- */

#define MC_HTTPD_NAME_SIZE 128 /* As a part of a series' name. */

struct mc_httpd_peer {
	char address[64];                /* As a number, without the port. */
	bool certified;                  /* Has a certificate of the ca. */
	char name[MC_HTTPD_NAME_SIZE];   /* Name in the certificate; "" without one. */
	char client[MC_HTTPD_NAME_SIZE]; /* The key of limits: the name, else the address or its
					    network. */
};

/* The option of a server that web servers in front may forward to; 'field' is struct mc_strings. */
#define MC_HTTPD_PROXY_OPTION(self, field)                                                         \
	{                                                                                          \
		"TrustedProxy", MC_OPT_STRINGS(self, field),                                       \
			.help = "Address of a web server in front, or \"local\" for those that "   \
				"come by SocketFile: its X-Forwarded-For names the viewers, "      \
				"each of whom has limits of their own.",                           \
			.sample = "local"                                                          \
	}

/* Finds mistakes in it; for check(). */
void mc_httpd_check_proxies(struct mc_ctx *, const struct mc_strings *);

const struct mc_httpd_peer *mc_httpd_peer(const struct mc_httpd_request *);

/* Whether the client has closed the connection, while a route that may block works on its answer.
 * One that has closed its sending half only counts, too.  handle() of such a route. */
bool mc_httpd_has_left(const struct mc_httpd_request *);

/* Whether the peer's certificate is for that host: it has the name, or a
 * pattern for it, or the name followed by a domain. */
bool mc_httpd_peer_is(const struct mc_httpd_peer *, const char *host);

/* Whether it can be the host of a series, and stand in a header or a file. */
bool mc_httpd_is_name(const char *name);

/* The result of client_new() for this client. */
void *mc_httpd_client(const struct mc_httpd_request *);

/* --- The answer ---------------------------------------------------------- */

/* Adds a header to the answer that follows.  Both are copied. */
void mc_httpd_add_header(struct mc_httpd_request *, const char *name, const char *value);

/* Answers; the body is copied.  Once for each request.  The server adds Retry-After to 429 and 503
 * (a second; after too many wrong passwords a minute), Allow to 405, and what it inflates as
 * Accept-Encoding to a POST's 200 and 415.  While large answers of 64 MiB wait for clients to read
 * them, another one is refused with 503. */
void mc_httpd_answer(struct mc_httpd_request *, unsigned status, const char *type, const void *body,
		     size_t size);

/* Answers 200, in gzip if the peer takes that and it is worth it. */
void mc_httpd_answer_packed(struct mc_httpd_request *, const char *type, const void *body,
			    size_t size);
bool mc_httpd_takes_gzip(const struct mc_httpd_request *);

/* Answers with what options.refuse() makes of it, and counts that. */
void mc_httpd_refuse(struct mc_httpd_request *, unsigned status, const char *why);

/* The request as a question for mc_page() of <collector/serve.h>; it lives as long as the request.
 */
struct mc_page_question mc_httpd_question(struct mc_httpd_request *);

/* Answers with a page of mc_page(), and frees its bytes; a page of another status than 200 is a
 * refusal with its text. */
void mc_httpd_answer_page(struct mc_httpd_request *, struct mc_page *);

/* From handle(), which returns without an answer: the answer comes later.  Its
 * thread serves others until mc_httpd_resume() is called; resume() is called
 * then.  False: the server ends, so it is to be answered now. */
bool mc_httpd_hold(struct mc_httpd_request *);

/* Once after each mc_httpd_hold() that returned true, and nothing else of the request after that.
 * Thread: any, also before handle() returns. */
void mc_httpd_resume(struct mc_httpd_request *);

/* --- Server-Sent Events -------------------------------------------------- */

/* Answers with the events of a channel that are published from now on, until
 * the client leaves; done() is called then.  A channel is any number that the
 * plugin has chosen.  handle(), in place of an answer. */
void mc_httpd_follow(struct mc_httpd_request *, uint64_t channel);

#define MC_HTTPD_EVENTS_MAX 65536 /* Bytes that wait for one client. */

struct mc_httpd_event {
	const char *name; /* "sample" */
	const char *data; /* Of one line. */
	size_t data_size; /* At most a quarter of MC_HTTPD_EVENTS_MAX. */
	unsigned units;   /* Its weight when it is lost. */
};

/* Sends an event to all who follow the channel.  For whom there is no room it is lost: before the
 * next event that finds room comes an event "lost" with how many units were, {"v":1,"lost":12}.
 * Thread: any. */
void mc_httpd_publish(struct mc_httpd *, uint64_t channel, const struct mc_httpd_event *);
