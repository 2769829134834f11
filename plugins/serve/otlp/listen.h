/* SPDX-License-Identifier: MIT */
/* One address that is listened at, by threads of our own. */
#ifndef OTLP_LISTEN_H
#define OTLP_LISTEN_H

#include <collector/plugin.h>

#include "address.h"
#include "peer.h"
#include "request.h"
#include "worker.h"

/* Of which hosts a client may send. */
enum listen_hosts { LISTEN_ANY, LISTEN_OWN };

struct listen_options { /* Of a Listen block. */
	const char *host, *port;
	const char *certificate, *key, *ca; /* Files; certificate NULL: plain.
					     */
	bool allow_plain, tls12;
	int hosts; /* enum listen_hosts */
};

struct listen_limits {
	int64_t threads, clients, clients_per_address;
};

struct listen_files { /* Texts, to be freed; NULL: none is given. */
	char *certificate, *key, *ca;
};

struct listen_worker {
	struct worker worker;
	struct request_listener listener;
};

struct listen {
	int fd; /* Where connections are accepted. */
	struct server *server;
	struct listen_worker *workers;
	unsigned workers_len, workers_running;
	struct addresses addresses;
	struct peer_keepers keepers;
	struct credentials credentials;
	const struct listen_options *options;
	struct listen_files files; /* At the start. */
	struct listen_files now;   /* As they were read last. */
};

/* 0, or what mc_fail() returned. */
int listen_open(struct mc_ctx *, struct listen *, struct server *,
		const struct listen_options *, const struct listen_limits *);

/* Reads its files again, for connections that begin from now on; those that are
 * there go on, and so does all with the files of before if these cannot be
 * used. 0, or what mc_fail() returned. */
int listen_renew(struct mc_ctx *, struct listen *);

/* Answers no more; what is being answered is, before it returns. */
void listen_close(struct listen *);

#endif
