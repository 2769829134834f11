/* SPDX-License-Identifier: MIT */
/* collector/kit/stream_server.h - listeners, and the streams of their clients, in libkit.
 *
 * A client that admit() refuses, or whose address has 'address_max' already, is closed; with TLS,
 * also one of an address that begins handshakes and brings nothing.  When there are 'clients_max',
 * one makes way that has been idle for 'idle_min': one that has brought nothing yet before the one
 * that has been idle longest; for the first client of an address also a busier one of an address
 * that has several, so that no address can keep others out.  One that is at work, or has sent what
 * was not received yet, stays.  The same holds where descriptors are short, and for the HTTP
 * server.
 *
 * Each refusal is counted by its reason and logged once.
 *
 * Thread: the loop's, but for what says otherwise. */
#pragma once

#include <netinet/in.h>

#include <collector/kit/listen.h>
#include <collector/kit/refusals.h>
#include <collector/kit/stream.h>

struct mc_stream_server;
struct admission;

struct mc_stream_listener { /* All zero but the first four, which are the caller's. */
	const struct mc_stream_kind *kind;
	void *argument;
	bool asks; /* Its clients do: see mc_descriptors_left(). */
	bool tls;  /* They begin with a handshake. */

	struct mc_stream_server *server;
	struct mc_accept accept;
	struct mc_loop_file file;
	struct mc_loop_timer pause;
};

struct mc_stream_served { /* A client; the caller's struct begins with it. */
	struct mc_stream stream;
	struct mc_stream_listener *listener;

	/* src/kit/net/stream/stream_server.c's own. */
	struct mc_stream_served *previous, *next;
	struct mc_admitted admitted;
	union {
		struct sockaddr any;
		struct sockaddr_in ipv4;
		struct sockaddr_in6 ipv6;
	} address;
};

struct mc_stream_server {
	/* The caller's: */
	struct mc_ctx *ctx;
	struct mc_stream_room room; /* Its loop and its limits. */
	size_t client_size;         /* Bytes of the caller's struct. */
	int64_t clients_max;
	int64_t address_max; /* Of one address, as mc_address_client() has it; 0: any. */
	mc_time idle_min;

	/* By reason, with the first one unused; NULL: nothing is counted. */
	struct mc_refusals *refusals;

	/* Whether an address may connect.  NULL: any. */
	bool (*admit)(struct mc_stream_server *, const struct sockaddr_storage *);

	/* Gets a client ready, which is zero but for its base: by mc_tls_stream_begin(),
	 * for example.  False: it is closed at once.  NULL: true. */
	bool (*begin)(struct mc_stream_served *);

	_Atomic size_t len; /* Clients; to be read by any thread. */

	/* All of them, the newest first, by 'next'; to be read by callbacks. */
	struct mc_stream_served *first;

	/* src/kit/net/stream/stream_server.c's own. */
	struct admission *admission;
};

/* After the caller has set what is its own. */
void mc_stream_server_init(struct mc_stream_server *);

/* Accepts clients of this socket, which stays the caller's, from now on.  The listener
 * must not move.  0, or a negative errno. */
int mc_stream_server_listen(struct mc_stream_server *, struct mc_stream_listener *, int fd);

/* Closes all clients: at the end of run(). */
void mc_stream_server_close_clients(struct mc_stream_server *);

/* After that; fine with zeros. */
void mc_stream_server_done(struct mc_stream_server *);

/* The address of a client, for logs and quotas; AF_UNSPEC: it has none. */
void mc_stream_server_address(const struct mc_stream_served *, struct sockaddr_storage *);

/* Counts a reason for which what a client sends is refused, and logs it once; 'text'
 * of it, or a detail, may be NULL. */
void mc_stream_server_refuse(struct mc_stream_served *, unsigned reason, const char *what,
			     const char *text);
