/* SPDX-License-Identifier: MIT */
#include "listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peer.h"
#include "server.h"

#define FILE_MAX 262144 /* Bytes of a file with certificates. */
#define HEAD_MAX 16384  /* Bytes for the head of a request. */
#define TLS13 "NORMAL:-VERS-ALL:+VERS-TLS1.3"
#define TLS12 "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"

/* The text of a file, to be freed; NULL of NULL. */
static int load(struct mc_ctx *ctx, const char *path, char **out)
{
	FILE *file;
	size_t size;
	char *text;

	*out = NULL;
	if (path == NULL)
		return 0;
	file = fopen(path, "re");
	if (file == NULL)
		return mc_fail(ctx, errno, "cannot read '%s'", path);
	text = calloc(1, FILE_MAX + 1);
	size = text != NULL ? fread(text, 1, FILE_MAX, file) : 0;
	fclose(file);
	if (size == 0) {
		free(text);
		return mc_fail(ctx, EINVAL, "'%s' is empty", path);
	}
	*out = text;
	return 0;
}

static bool is_loopback(const struct sockaddr *address)
{
	if (address->sa_family == AF_INET6)
		return IN6_IS_ADDR_LOOPBACK(
			&((const struct sockaddr_in6 *)(const void *)address)
				 ->sin6_addr);
	return ntohl(((const struct sockaddr_in *)(const void *)address)
			     ->sin_addr.s_addr) >>
		       24 ==
	       IN_LOOPBACKNET;
}

/* What makes a socket for that address: "::" is every address, IPv4's too. */
static unsigned family_flag(const struct sockaddr *address)
{
	if (address->sa_family != AF_INET6)
		return 0;
	return IN6_IS_ADDR_UNSPECIFIED(
		       &((const struct sockaddr_in6 *)(const void *)address)
				->sin6_addr)
		       ? MHD_USE_DUAL_STACK
		       : MHD_USE_IPv6;
}

static int resolve(struct mc_ctx *ctx, const struct listen_options *options,
		   struct addrinfo **found)
{
	struct addrinfo hints = { .ai_flags = AI_PASSIVE,
				  .ai_socktype = SOCK_STREAM };
	int rc = getaddrinfo(options->host, options->port, &hints, found);

	if (rc != 0)
		return mc_fail(ctx, EINVAL, "cannot find '%s' port '%s': %s",
			       options->host, options->port, gai_strerror(rc));
	if (options->hosts == LISTEN_OWN && options->ca == NULL) {
		freeaddrinfo(*found);
		return mc_fail(ctx, EINVAL,
			       "ClientHosts own at '%s' needs TLSClientCA",
			       options->host);
	}
	if (options->certificate == NULL && !options->allow_plain &&
	    !is_loopback((*found)->ai_addr)) {
		freeaddrinfo(*found);
		return mc_fail(ctx, EPERM,
			       "'%s' is not this host alone: it needs "
			       "TLSCertificate, or AllowPlain",
			       options->host);
	}
	return 0;
}

/* Errors of libmicrohttpd are about clients: nothing a person must act upon. */
static void hear(void *argument, const char *fmt, va_list args)
{
	struct mc_ctx *ctx = argument;
	char line[256];

	vsnprintf(line, sizeof(line), fmt, args);
	line[strcspn(line, "\n")] = '\0';
	mc_log(ctx, MC_DEBUG, "libmicrohttpd: %s", line);
}

static struct MHD_Daemon *make_daemon(struct mc_ctx *ctx, struct listen *listen,
				      const struct listen_options *options,
				      const struct listen_limits *limits,
				      const struct sockaddr *address)
{
	unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_ERROR_LOG |
			 MHD_ALLOW_SUSPEND_RESUME;
	struct MHD_OptionItem tls[] = {
		{ MHD_OPTION_HTTPS_MEM_CERT, 0, listen->certificate },
		{ MHD_OPTION_HTTPS_MEM_KEY, 0, listen->key },
		{ MHD_OPTION_HTTPS_PRIORITIES, 0,
		  (void *)(uintptr_t)(options->tls12 ? TLS12 : TLS13) },
		{ listen->ca != NULL ? MHD_OPTION_HTTPS_MEM_TRUST
				     : MHD_OPTION_END,
		  0, listen->ca },
		{ MHD_OPTION_END, 0, NULL },
	};

	if (listen->certificate != NULL)
		flags |= MHD_USE_TLS;
	else
		tls[0].option = MHD_OPTION_END;
	flags |= family_flag(address);
	return MHD_start_daemon(
		flags, 0, NULL, NULL, request_handle, &listen->door,
		MHD_OPTION_EXTERNAL_LOGGER, hear, ctx,
		MHD_OPTION_NOTIFY_CONNECTION, peer_notify,
		&listen->door.server->watch, MHD_OPTION_NOTIFY_COMPLETED,
		request_done, &listen->door, MHD_OPTION_SOCK_ADDR, address,
		MHD_OPTION_THREAD_POOL_SIZE, (unsigned)limits->threads,
		MHD_OPTION_CONNECTION_LIMIT, (unsigned)limits->clients,
		MHD_OPTION_PER_IP_CONNECTION_LIMIT,
		(unsigned)limits->clients_per_address,
		MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)WATCH_IDLE,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HEAD_MAX,
		MHD_OPTION_ARRAY, tls, MHD_OPTION_END);
}

/* Signals are for the daemon's main thread: those of the library take none. */
static struct MHD_Daemon *begin(struct mc_ctx *ctx, struct listen *listen,
				const struct listen_options *options,
				const struct listen_limits *limits,
				const struct sockaddr *address)
{
	struct MHD_Daemon *daemon;
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	daemon = make_daemon(ctx, listen, options, limits, address);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return daemon;
}

int listen_open(struct mc_ctx *ctx, struct listen *listen,
		struct server *server, const struct listen_options *options,
		const struct listen_limits *limits)
{
	struct addrinfo *found;
	int rc = resolve(ctx, options, &found);

	if (rc < 0)
		return rc;
	listen->door = (struct request_door){ server, options->ca != NULL,
					      options->hosts == LISTEN_OWN };
	rc = load(ctx, options->certificate, &listen->certificate);
	if (rc == 0)
		rc = load(ctx, options->key, &listen->key);
	if (rc == 0)
		rc = load(ctx, options->ca, &listen->ca);
	if (rc == 0) {
		errno = 0;
		listen->daemon =
			begin(ctx, listen, options, limits, found->ai_addr);
		if (listen->daemon == NULL)
			rc = mc_fail(ctx, errno != 0 ? errno : EINVAL,
				     "cannot listen at '%s' port '%s'",
				     options->host, options->port);
	}
	freeaddrinfo(found);
	if (rc < 0)
		listen_close(listen);
	return rc;
}

void listen_close(struct listen *listen)
{
	if (listen->daemon != NULL)
		MHD_stop_daemon(listen->daemon);
	free(listen->certificate);
	free(listen->key);
	free(listen->ca);
	*listen = (struct listen){ 0 };
}
