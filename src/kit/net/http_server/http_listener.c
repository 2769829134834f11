/* SPDX-License-Identifier: MIT */
#include "kit/net/http_server/http_listener.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kit/net/descriptors.h"
#include <collector/kit/address.h>
#include <collector/kit/alloc.h>
#include <collector/kit/listen.h>
#include <collector/kit/timed_call.h>

#include "kit/net/http_server/http_request.h"
#include "kit/net/http_server/http_server.h"
#include "kit/net/http_server/peer/http_credentials.h"
#include "kit/net/http_server/peer/http_peer.h"
#include "kit/net/http_server/peer/http_users.h"

#define NAME_SIZE 320
#define HEAD_MAX 16384 /* Bytes for the head of a request, unless the plugin says. */
/* First what costs least of what is safe; the client's order does not count: X25519 takes half the
 * time of P-256, and SHA-256 a third of SHA-384 where the processor has instructions for it. */
#define ORDER                                                                                      \
	":%SERVER_PRECEDENCE"                                                                      \
	":-GROUP-ALL:+GROUP-X25519:+GROUP-SECP256R1:+GROUP-SECP384R1:+GROUP-SECP521R1"             \
	":-CIPHER-ALL:+AES-128-GCM:+AES-256-GCM:+CHACHA20-POLY1305"
#define TLS13 "NORMAL:-VERS-ALL:+VERS-TLS1.3" ORDER
#define TLS12 "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2" ORDER ":+AES-128-CBC:+AES-256-CBC"

struct files { /* Texts, to be freed; NULL: none is given. */
	char *certificate, *key, *ca, *passwords;
};

struct http_listener {
	/* Where connections are accepted. */
	int fds[MC_ADDRESSES_MAX];
	unsigned fds_len;
	char name[NAME_SIZE]; /* For the log. */
	struct mc_httpd *server;
	const struct mc_httpd_listen *listen;
	struct http_thread *threads;
	unsigned threads_len, threads_running;
	struct http_credentials credentials;
	struct http_users users;
	struct files files; /* At the start. */
	struct files now;   /* As they were read last, */
	bool renewed;       /* if that was later. */
};

/* --- Files --------------------------------------------------------------- */

/* The text of a file, to be freed; NULL of NULL. */
static int load(struct mc_ctx *ctx, const char *path, char **out)
{
	int rc = mc_timed_file(ctx, path);
	FILE *file;
	size_t size;
	char *text;

	*out = NULL;
	if (rc < 0 || path == NULL)
		return rc;
	file = fopen(path, "re");
	if (file == NULL)
		return mc_fail(ctx, errno, "cannot read '%s'", path);
	text = mc_alloc_zero(HTTP_FILE_MAX + 2);
	size = fread(text, 1, HTTP_FILE_MAX + 1, file);
	fclose(file);
	if (size == 0 || size > HTTP_FILE_MAX) {
		free(text);
		return mc_fail(ctx, 0, "'%s' is %s", path,
			       size == 0 ? "empty" : "larger than 256 KiB");
	}
	*out = text;
	return 0;
}

static void free_files(struct files *files)
{
	free(files->certificate);
	free(files->key);
	free(files->ca);
	free(files->passwords);
	*files = (struct files){ 0 };
}

/* The contents are to be freed in any case. */
static int load_files(struct mc_ctx *ctx, const struct mc_httpd_listen *listen, struct files *files)
{
	int rc;

	*files = (struct files){ 0 };
	rc = load(ctx, listen->certificate, &files->certificate);
	if (rc == 0)
		rc = load(ctx, listen->key, &files->key);
	if (rc == 0)
		rc = load(ctx, listen->ca, &files->ca);
	return rc == 0 ? load(ctx, listen->passwords, &files->passwords) : rc;
}

static bool same(const char *a, const char *b)
{
	return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static int use_passwords(struct http_listener *listener, const struct files *files)
{
	const char *why;
	unsigned line;

	if (files->passwords == NULL)
		return 0;
	line = http_users_set(&listener->users, files->passwords, &why);
	if (line == 0)
		return 0;
	return mc_fail(listener->server->ctx, 0, "line %u of '%s' %s", line,
		       listener->listen->passwords, why);
}

/* Has connections use the files that were read last. */
static int use_files(struct http_listener *listener, const struct files *files)
{
	const struct http_credentials_text text = { files->certificate, files->key, files->ca };
	int rc;

	if (files->certificate == NULL || files->key == NULL)
		return use_passwords(listener, files);
	rc = http_credentials_set(&listener->credentials, &text);
	return rc == 0 ? use_passwords(listener, files)
		       : mc_fail(listener->server->ctx, 0, "cannot use '%s' with '%s': %s",
				 listener->listen->certificate, listener->listen->key,
				 gnutls_strerror(rc));
}

/* --- What libmicrohttpd asks --------------------------------------------- */

/* Its errors are about clients: nothing a person must act upon. */
static void log_line(void *argument, const char *fmt, va_list args)
{
	struct mc_ctx *ctx = argument;
	char line[256];

	vsnprintf(line, sizeof(line), fmt, args);
	line[strcspn(line, "\n")] = '\0';
	mc_log(ctx, MC_DEBUG, "libmicrohttpd: %s", line);
}

static enum MHD_Result may_enter(void *argument, const struct sockaddr *from, socklen_t size)
{
	static const char crowded[] = "descriptors are short";
	struct http_listener *listener = argument;
	struct mc_httpd *server = listener->server;
	bool tls = listener->listen->certificate != NULL;
	struct sockaddr_storage address = http_peer_limited(from, server->options.trusted_proxies);
	struct mc_refused refused = {
		.what = "a connection",
		.sender = address.ss_family != AF_UNSPEC ? &address : NULL,
	};
	enum http_refused reason = HTTP_REFUSED_CLIENTS;

	(void)size;
	if (!mc_descriptors_left(server->options.asks)) {
		refused.text = crowded;
		refused.size = strlen(crowded);
	} else {
		enum admission_verdict verdict =
			admission_judge(server->watch.admission, &address, tls);

		if (verdict == ADMISSION_WELCOME)
			return MHD_YES;
		if (verdict == ADMISSION_SPENT)
			reason = HTTP_REFUSED_TLS;
	}
	mc_refuse(&server->refusals, server->ctx, reason, &refused);
	return MHD_NO;
}

/* --- The threads --------------------------------------------------------- */

/* All accept at the same socket, each by a descriptor of its own, which its daemon closes. */
static struct MHD_Daemon *make_daemon(struct http_listener *listener, struct http_thread *thread,
				      int listen, unsigned clients)
{
	const struct files *files = &listener->files;
	unsigned flags = MHD_USE_EPOLL | MHD_USE_ERROR_LOG | MHD_ALLOW_SUSPEND_RESUME;
	struct MHD_OptionItem tls[] = {
		{ MHD_OPTION_HTTPS_MEM_CERT, 0, files->certificate },
		{ MHD_OPTION_HTTPS_MEM_KEY, 0, files->key },
		{ MHD_OPTION_HTTPS_PRIORITIES, 0,
		  (void *)(uintptr_t)(listener->listen->tls12 ? TLS12 : TLS13) },
		{ files->ca != NULL ? MHD_OPTION_HTTPS_MEM_TRUST : MHD_OPTION_END, 0, files->ca },
		{ MHD_OPTION_END, 0, NULL },
	};
	size_t head = listener->server->options.limits.head_max;
	int fd = fcntl(listen, F_DUPFD_CLOEXEC, 0);

	if (fd < 0)
		return NULL;
	if (files->certificate != NULL)
		flags |= MHD_USE_TLS;
	else
		tls[0].option = MHD_OPTION_END;
	return MHD_start_daemon(flags, 0, may_enter, listener, http_request_handle, thread,
				MHD_OPTION_EXTERNAL_LOGGER, log_line, listener->server->ctx,
				MHD_OPTION_NOTIFY_CONNECTION, http_peer_notify, &thread->keepers,
				MHD_OPTION_NOTIFY_COMPLETED, http_request_done, thread,
				MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT, clients,
				MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)HTTP_WATCH_IDLE,
				MHD_OPTION_CONNECTION_MEMORY_LIMIT, head > 0 ? head : HEAD_MAX,
				MHD_OPTION_ARRAY, tls, MHD_OPTION_END);
}

/* Of a thread's time: all threads of the address have that share of all cores at most. */
static double share_of_handshakes(const struct http_listener *listener)
{
	const struct mc_httpd_limits *limits = &listener->server->options.limits;
	double share = limits->handshakes_share > 0 ? limits->handshakes_share : 0.5;
	int64_t threads = limits->threads * listener->fds_len;
	long cores = sysconf(_SC_NPROCESSORS_ONLN);

	return cores < 1 || cores >= threads ? share : share * (double)cores / (double)threads;
}

/* Returns 0 or -errno. */
static int make_thread(struct http_listener *listener, struct http_thread *thread, int listen,
		       unsigned clients)
{
	struct mc_httpd *server = listener->server;

	thread->server = server;
	thread->worker.counts = &server->handshakes;
	thread->worker.share = share_of_handshakes(listener);
	thread->listen = listener->listen;
	thread->keepers = (struct http_peer_keepers){
		.trusted_proxies = server->options.trusted_proxies,
		.ctx = server->ctx,
		.watch = &server->watch,
		.credentials = &listener->credentials,
		.refusals = &server->refusals,
		.handshakes = &thread->worker.handshakes,
		.sessions = &server->sessions,
	};
	if (listener->listen->passwords != NULL)
		thread->users = &listener->users;
	errno = 0;
	thread->worker.daemon = make_daemon(listener, thread, listen, clients);
	if (thread->worker.daemon == NULL)
		return errno != 0 ? -errno : -EINVAL;
	return 0;
}

/* Returns 0 or -errno. */
static int begin(struct http_listener *listener)
{
	const struct mc_httpd_limits *limits = &listener->server->options.limits;
	unsigned each = (unsigned)limits->threads;
	unsigned threads = each * listener->fds_len;
	unsigned clients = ((unsigned)limits->clients + each - 1) / each;
	unsigned more = clients / 8 + 1; /* Until others have made way. */
	unsigned *made = &listener->threads_len;
	unsigned *running = &listener->threads_running;
	int rc = 0;

	listener->threads = mc_alloc_array(threads, sizeof(*listener->threads));
	admission_allow(listener->server->watch.admission,
			(size_t)limits->clients * listener->fds_len);
	for (; rc == 0 && *made < threads; *made += rc == 0)
		rc = make_thread(listener, &listener->threads[*made], listener->fds[*made / each],
				 clients + more);
	for (; rc == 0 && *running < threads; *running += rc == 0)
		rc = http_worker_start(&listener->threads[*running].worker);
	return rc;
}

/* --- The address --------------------------------------------------------- */

/* Whether only this host can reach it, or it may speak to others as it does. */
static int check_reach(const struct http_listener *listener,
		       const struct mc_listen_sockets *sockets)
{
	const struct mc_httpd_listen *listen = listener->listen;

	for (unsigned i = 0; i < sockets->len; i++)
		if (listen->certificate == NULL && !listen->allow_plain &&
		    !mc_address_loopback(&sockets->items[i].address))
			return mc_fail(listener->server->ctx, 0,
				       "'%s' is not this host alone: it needs "
				       "TLSCertificate, or AllowPlain",
				       listen->host);
	return 0;
}

/* Returns 0, or what mc_fail() returned. */
static int open_file(struct http_listener *listener)
{
	const struct mc_httpd_listen *listen = listener->listen;
	const struct mc_listen_file file = {
		.path = listen->path,
		.group = listen->group,
		.perms = listen->perms,
		.delete_socket = listen->delete_socket,
	};
	int fd = mc_listen_file(listener->server->ctx, &file);

	if (fd < 0)
		return fd;
	listener->fds[listener->fds_len++] = fd;
	return 0;
}

/* The same for addresses. */
static int open_addresses(struct http_listener *listener)
{
	const struct mc_httpd_listen *listen = listener->listen;
	const struct mc_listen how = { .type = SOCK_STREAM, .both_families = true };
	struct mc_listen_sockets sockets;
	int rc = mc_listen_host(listener->server->ctx, listen->host, listen->port, &how, &sockets);

	if (rc < 0)
		return rc;
	for (unsigned i = 0; i < sockets.len; i++)
		listener->fds[listener->fds_len++] = sockets.items[i].fd;
	return check_reach(listener, &sockets);
}

static int open_listener(struct http_listener *listener)
{
	const struct mc_httpd_listen *listen = listener->listen;
	struct mc_ctx *ctx = listener->server->ctx;
	int rc = load_files(ctx, listen, &listener->files);

	if (rc == 0)
		rc = use_files(listener, &listener->files);
	if (rc == 0)
		rc = listen->path != NULL ? open_file(listener) : open_addresses(listener);
	if (rc < 0)
		return rc;
	rc = begin(listener);
	return rc == 0 ? 0 : mc_fail(ctx, -rc, "cannot listen at %s", listener->name);
}

static void set_name(struct http_listener *listener)
{
	const struct mc_httpd_listen *listen = listener->listen;

	if (listen->path != NULL)
		snprintf(listener->name, sizeof(listener->name), "'%s'", listen->path);
	else
		snprintf(listener->name, sizeof(listener->name), "'%s' port '%s'", listen->host,
			 listen->port);
}

struct http_listener *http_listener_new(struct mc_httpd *server,
					const struct mc_httpd_listen *listen, int *status)
{
	struct http_listener *listener = mc_alloc_zero(sizeof(*listener));

	listener->server = server;
	listener->listen = listen;
	set_name(listener);
	http_credentials_init(&listener->credentials);
	http_users_init(&listener->users);
	*status = open_listener(listener);
	if (*status == 0)
		return listener;
	http_listener_free(listener);
	return NULL;
}

int http_listener_renew(struct http_listener *listener)
{
	const struct files *before = listener->renewed ? &listener->now : &listener->files;
	struct mc_ctx *ctx = listener->server->ctx;
	struct files files;
	int rc = load_files(ctx, listener->listen, &files);

	if (rc < 0 ||
	    (same(files.certificate, before->certificate) && same(files.key, before->key) &&
	     same(files.ca, before->ca) && same(files.passwords, before->passwords))) {
		free_files(&files);
		return rc;
	}
	rc = use_files(listener, &files);
	if (rc < 0) {
		free_files(&files);
		return rc;
	}
	free_files(&listener->now);
	listener->now = files;
	listener->renewed = true;
	mc_log(ctx, MC_NOTE,
	       "new connections to %s have a new certificate, key, TLSClientCA "
	       "or PasswordFile",
	       listener->name);
	return 0;
}

static void close_socket(const struct http_listener *listener, int fd)
{
	if (listener->listen->path != NULL)
		mc_listen_file_close(fd, listener->listen->path);
	else
		close(fd);
}

void http_listener_free(struct http_listener *listener)
{
	while (listener->threads_running > 0)
		http_worker_stop(&listener->threads[--listener->threads_running].worker);
	while (listener->threads_len > 0)
		MHD_stop_daemon(listener->threads[--listener->threads_len].worker.daemon);
	free(listener->threads);
	while (listener->fds_len > 0)
		close_socket(listener, listener->fds[--listener->fds_len]);
	http_credentials_done(&listener->credentials);
	http_users_done(&listener->users);
	free_files(&listener->files);
	free_files(&listener->now);
	free(listener);
}
