/* SPDX-License-Identifier: MIT */
#include "listen.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <net/if.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <collector/kit/address.h>
#include <collector/kit/alloc.h>
#include <collector/kit/listen.h>

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
	text = mc_alloc_zero(FILE_MAX + 1);
	size = fread(text, 1, FILE_MAX, file);
	fclose(file);
	if (size == 0) {
		free(text);
		return mc_fail(ctx, 0, "'%s' is empty", path);
	}
	*out = text;
	return 0;
}

static void free_files(struct listen_files *files)
{
	free(files->certificate);
	free(files->key);
	free(files->ca);
	*files = (struct listen_files){ 0 };
}

/* What was read is to be freed in any case. */
static int load_files(struct mc_ctx *ctx, const struct listen_options *options,
		      struct listen_files *files)
{
	int rc;

	*files = (struct listen_files){ 0 };
	rc = load(ctx, options->certificate, &files->certificate);
	if (rc == 0)
		rc = load(ctx, options->key, &files->key);
	return rc == 0 ? load(ctx, options->ca, &files->ca) : rc;
}

static bool same(const char *a, const char *b)
{
	return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

/* Has connections use the files that were read last. */
static int use_files(struct mc_ctx *ctx, struct listen *listen,
		     const struct listen_files *files)
{
	const struct credentials_text text = { files->certificate, files->key,
					       files->ca };
	int rc;

	if (files->certificate == NULL || files->key == NULL)
		return 0;
	rc = credentials_set(&listen->credentials, &text);
	return rc == 0 ? 0
		       : mc_fail(ctx, 0, "cannot use '%s' with '%s': %s",
				 listen->options->certificate,
				 listen->options->key, gnutls_strerror(rc));
}

static int resolve(struct mc_ctx *ctx, const struct listen_options *options,
		   struct sockaddr_storage *at)
{
	struct mc_addresses found;
	int rc = mc_address_find(options->host, options->port, SOCK_STREAM,
				 AI_PASSIVE, &found);

	if (rc != 0)
		return mc_fail(ctx, 0, "cannot find '%s' port '%s': %s",
			       options->host, options->port, gai_strerror(rc));
	if (options->hosts == LISTEN_OWN && options->ca == NULL)
		return mc_fail(ctx, 0,
			       "ClientHosts own at '%s' needs TLSClientCA",
			       options->host);
	if (options->certificate == NULL && !options->allow_plain &&
	    !mc_address_loopback(&found.items[0]))
		return mc_fail(ctx, 0,
			       "'%s' is not this host alone: it needs "
			       "TLSCertificate, or AllowPlain",
			       options->host);
	*at = found.items[0];
	return 0;
}

/* Errors of libmicrohttpd are about clients: nothing a person must act upon. */
static void log_line(void *argument, const char *fmt, va_list args)
{
	struct mc_ctx *ctx = argument;
	char line[256];

	vsnprintf(line, sizeof(line), fmt, args);
	line[strcspn(line, "\n")] = '\0';
	mc_log(ctx, MC_DEBUG, "libmicrohttpd: %s", line);
}

static void address_text(const struct sockaddr *from, socklen_t size, char *out,
			 socklen_t room)
{
	if (getnameinfo(from, size, out, room, NULL, 0, NI_NUMERICHOST) != 0)
		snprintf(out, room, "unknown");
}

static enum MHD_Result may_enter(void *argument, const struct sockaddr *from,
				 socklen_t size)
{
	static const char *const whys[] = {
		[ADDRESS_FULL] = "has MaxClientsPerAddress connections",
		[ADDRESS_SPENT] = "begins TLS connections without a request",
	};
	struct listen *listen = argument;
	uint64_t news;
	enum address_verdict verdict =
		address_may_enter(&listen->addresses, from, &news);
	char last[INET6_ADDRSTRLEN + IF_NAMESIZE];

	if (verdict == ADDRESS_WELCOME)
		return MHD_YES;
	atomic_fetch_add(&listen->server->kept_out[verdict], 1);
	if (news > 0) {
		address_text(from, size, last, sizeof(last));
		mc_log(listen->server->ctx, MC_WARN,
		       "refused %" PRIu64 " connection%s at '%s' port '%s': "
		       "'%s' %s",
		       news, news == 1 ? "" : "s", listen->options->host,
		       listen->options->port, last, whys[verdict]);
	}
	return MHD_NO;
}

/* --- The threads --------------------------------------------------------- */

/* All accept at the same socket, each by a descriptor of its own, which its
 * daemon closes. */
static struct MHD_Daemon *make_daemon(struct listen *listen,
				      const struct listen_options *options,
				      unsigned clients,
				      struct request_listener *listener)
{
	unsigned flags =
		MHD_USE_EPOLL | MHD_USE_ERROR_LOG | MHD_ALLOW_SUSPEND_RESUME;
	struct MHD_OptionItem tls[] = {
		{ MHD_OPTION_HTTPS_MEM_CERT, 0, listen->files.certificate },
		{ MHD_OPTION_HTTPS_MEM_KEY, 0, listen->files.key },
		{ MHD_OPTION_HTTPS_PRIORITIES, 0,
		  (void *)(uintptr_t)(options->tls12 ? TLS12 : TLS13) },
		{ listen->files.ca != NULL ? MHD_OPTION_HTTPS_MEM_TRUST
					   : MHD_OPTION_END,
		  0, listen->files.ca },
		{ MHD_OPTION_END, 0, NULL },
	};
	int fd = fcntl(listen->fd, F_DUPFD_CLOEXEC, 0);
	struct MHD_Daemon *daemon;

	if (fd < 0)
		return NULL;
	if (listen->files.certificate != NULL)
		flags |= MHD_USE_TLS;
	else
		tls[0].option = MHD_OPTION_END;
	daemon = MHD_start_daemon(
		flags, 0, may_enter, listen, request_handle, listener,
		MHD_OPTION_EXTERNAL_LOGGER, log_line, listener->server->ctx,
		MHD_OPTION_NOTIFY_CONNECTION, peer_notify, &listen->keepers,
		MHD_OPTION_NOTIFY_COMPLETED, request_done, listener,
		MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT,
		clients, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)WATCH_IDLE,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HEAD_MAX,
		MHD_OPTION_ARRAY, tls, MHD_OPTION_END);
	return daemon;
}

/* Returns 0 or -errno. */
static int make_worker(struct listen *listen, struct listen_worker *made,
		       const struct listen_options *options, unsigned clients)
{
	made->listener = (struct request_listener){
		.server = listen->server,
		.worker = &made->worker,
		.identified = options->ca != NULL,
		.own_hosts = options->hosts == LISTEN_OWN,
	};
	errno = 0;
	made->worker.daemon =
		make_daemon(listen, options, clients, &made->listener);
	if (made->worker.daemon == NULL)
		return errno != 0 ? -errno : -EINVAL;
	return 0;
}

/* Returns 0 or -errno. */
static int begin(struct listen *listen, const struct listen_options *options,
		 const struct listen_limits *limits)
{
	unsigned threads = (unsigned)limits->threads;
	unsigned clients = ((unsigned)limits->clients + threads - 1) / threads;
	unsigned *made = &listen->workers_len;
	unsigned *running = &listen->workers_running;
	int rc = 0;

	listen->workers = mc_alloc_array(threads, sizeof(*listen->workers));
	for (; rc == 0 && *made < threads; *made += rc == 0)
		rc = make_worker(listen, &listen->workers[*made], options,
				 clients);
	for (; rc == 0 && *running < threads; *running += rc == 0)
		rc = worker_start(&listen->workers[*running].worker);
	return rc;
}

/* Returns 0 or -errno. */
static int open_at(struct listen *listen, const struct sockaddr_storage *at,
		   const struct listen_options *options,
		   const struct listen_limits *limits)
{
	const struct mc_listen how = { .type = SOCK_STREAM,
				       .both_families = true };

	listen->fd = mc_listen_at(at, &how);
	if (listen->fd < 0)
		return listen->fd;
	return begin(listen, options, limits);
}

int listen_open(struct mc_ctx *ctx, struct listen *listen,
		struct server *server, const struct listen_options *options,
		const struct listen_limits *limits)
{
	struct sockaddr_storage at;
	int rc = resolve(ctx, options, &at);

	if (rc < 0)
		return rc;
	*listen = (struct listen){ .fd = -1,
				   .server = server,
				   .options = options };
	address_init(&listen->addresses, (unsigned)limits->clients_per_address,
		     options->certificate != NULL);
	credentials_init(&listen->credentials);
	listen->keepers =
		(struct peer_keepers){ &server->watch, &listen->addresses,
				       &listen->credentials };
	rc = load_files(ctx, options, &listen->files);
	if (rc == 0)
		rc = use_files(ctx, listen, &listen->files);
	if (rc == 0) {
		rc = open_at(listen, &at, options, limits);
		if (rc < 0)
			rc = mc_fail(ctx, -rc,
				     "cannot listen at '%s' port '%s'",
				     options->host, options->port);
	}
	if (rc < 0)
		listen_close(listen);
	return rc;
}

int listen_renew(struct mc_ctx *ctx, struct listen *listen)
{
	const struct listen_files *before =
		listen->now.certificate != NULL ? &listen->now : &listen->files;
	struct listen_files files;
	int rc = load_files(ctx, listen->options, &files);

	if (rc < 0 ||
	    (same(files.certificate, before->certificate) &&
	     same(files.key, before->key) && same(files.ca, before->ca))) {
		free_files(&files);
		return rc;
	}
	rc = use_files(ctx, listen, &files);
	if (rc < 0) {
		free_files(&files);
		return rc;
	}
	free_files(&listen->now);
	listen->now = files;
	mc_log(ctx, MC_NOTE,
	       "new connections to '%s' port '%s' have a new certificate, key "
	       "or TLSClientCA",
	       listen->options->host, listen->options->port);
	return 0;
}

void listen_close(struct listen *listen)
{
	while (listen->workers_running > 0)
		worker_stop(&listen->workers[--listen->workers_running].worker);
	while (listen->workers_len > 0)
		MHD_stop_daemon(
			listen->workers[--listen->workers_len].worker.daemon);
	free(listen->workers);
	if (listen->fd >= 0)
		close(listen->fd);
	address_done(&listen->addresses);
	credentials_done(&listen->credentials);
	free_files(&listen->files);
	free_files(&listen->now);
	*listen = (struct listen){ .fd = -1 };
}
