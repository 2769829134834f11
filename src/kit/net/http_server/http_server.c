/* SPDX-License-Identifier: MIT */
#include "kit/net/http_server/http_server.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/serve.h>

#include "kit/net/http_server/http_listener.h"
#include "kit/net/http_server/http_request.h"

#define LOOK_MS 1000 /* Between two looks at what takes too long. */

static const struct mc_refusal reasons[HTTP_REFUSED_REASONS] = {
	[HTTP_REFUSED_REQUESTS] = { "requests", "it is refused" },
	[HTTP_REFUSED_CLIENTS] = { "clients", "MaxClients or MaxClientsPerAddress is reached" },
	[HTTP_REFUSED_TLS] = { "tls", "its address begins too many handshakes of TLS and asks for "
				      "nothing" },
	[HTTP_REFUSED_SLOW] = { "slow", "a request takes too long, or does not come" },
};

void mc_httpd_derive_limits(struct mc_httpd_limits *limits)
{
	int64_t half = limits->memory_max / 2;
	int64_t bytes = half / 2;

	if (bytes < 2 * limits->body_max)
		bytes = 2 * limits->body_max;
	limits->bytes_per_client = (size_t)bytes;
	if (limits->inflated_max > half)
		limits->inflated_max = half;
}

struct mc_httpd *mc_httpd_new(struct mc_ctx *ctx, const struct mc_httpd_options *options)
{
	struct mc_httpd *server = mc_alloc_zero(sizeof(*server));

	server->ctx = ctx;
	server->options = *options;
	server->memory = (struct mc_inflate_limits){
		.size_max = (size_t)options->limits.inflated_max,
		.pool = &server->pool,
		.pool_max = (size_t)options->limits.memory_max,
	};
	http_clients_init(&server->clients, &server->options);
	http_dictionaries_init(&server->dictionaries, options->dictionary_bytes);
	http_hold_init(&server->holds);
	http_pool_init(&server->threads, http_request_answer);
	http_events_init(&server->events);
	http_sessions_init(&server->sessions);
	http_watch_init(&server->watch, options->limits.clients_per_address);
	server->refusals.reasons = reasons;
	server->refusals.len = HTTP_REFUSED_REASONS;
	return server;
}

/* Has a key for sessions of TLS that is not too old.  The plugin works in the folder of its state,
 * BaseDir. */
static void renew_sessions(struct mc_httpd *server)
{
	struct mc_ctx *ctx = server->ctx;
	char *path = ctx != NULL ? mc_alloc_printf("%s.sessions", ctx->name) : NULL;
	int rc = http_sessions_renew(&server->sessions, path);

	if (rc < 0)
		mc_log(ctx, MC_WARN,
		       "cannot write '%s', so no session of TLS is resumed after a restart: %s",
		       path != NULL ? path : "a key", strerror(-rc));
	free(path);
}

int mc_httpd_listen(struct mc_httpd *server, const struct mc_httpd_listen *listen)
{
	struct http_listener *listener;
	int status = http_pool_start(&server->threads, &server->options.limits);

	if (status < 0)
		return mc_fail(server->ctx, -status, "cannot start a thread");
	if (listen->certificate != NULL)
		renew_sessions(server);
	listener = http_listener_new(server, listen, &status);
	if (listener == NULL)
		return status;
	server->tls |= listen->certificate != NULL;
	server->listeners = mc_alloc_resize(server->listeners, server->listeners_len + 1,
					    sizeof(*server->listeners));
	server->listeners[server->listeners_len++] = listener;
	return 0;
}

int mc_httpd_listen_viewers(struct mc_httpd *server, const struct mc_httpd_listen *listen)
{
	if (http_listen_is_open(listen))
		return mc_fail(server->ctx, 0, "'%s' needs TLSClientCA or PasswordFile",
			       listen->host);
	return mc_httpd_listen(server, listen);
}

int mc_httpd_renew(struct mc_httpd *server)
{
	int rc = 0;

	if (server->tls)
		renew_sessions(server);
	for (size_t i = 0; i < server->listeners_len && rc == 0; i++)
		rc = http_listener_renew(server->listeners[i]);
	return rc;
}

/* Whether there are any connections. */
static bool look(struct mc_httpd *server)
{
	const struct mc_refused slow = { .what = "a connection" };
	uint64_t ended;
	bool some = http_watch_look(&server->watch, &ended);

	for (; ended > 0; ended--)
		mc_refuse(&server->refusals, server->ctx, HTTP_REFUSED_SLOW, &slow);
	return some;
}

/* Without connections nothing wakes it. */
void mc_httpd_run(struct mc_httpd *server)
{
	struct pollfd fds[] = {
		{ .fd = mc_stop_fd(server->ctx), .events = POLLIN },
		{ .fd = server->watch.wake_fd, .events = POLLIN },
	};
	bool idle = false;

	for (;;) {
		poll(fds, 2, idle ? -1 : LOOK_MS);
		if (fds[0].revents != 0)
			break;
		idle = !look(server);
		http_events_keep_alive(&server->events);
	}
	mc_httpd_close(server);
}

void mc_httpd_publish(struct mc_httpd *server, uint64_t channel, const struct mc_httpd_event *event)
{
	http_events_publish(&server->events, channel, event);
}

void mc_httpd_close(struct mc_httpd *server)
{
	http_pool_close(&server->threads);
	if (server->listeners_len > 0)
		http_hold_close(&server->holds, server->options.cancel, server->options.argument);
	http_pool_stop(&server->threads);
	http_events_end(&server->events);
	while (server->listeners_len > 0)
		http_listener_free(server->listeners[--server->listeners_len]);
	free(server->listeners);
	server->listeners = NULL;
}

void mc_httpd_free(struct mc_httpd *server)
{
	if (server == NULL)
		return;
	mc_httpd_close(server);
	http_watch_done(&server->watch);
	http_sessions_done(&server->sessions);
	http_events_done(&server->events);
	http_pool_done(&server->threads);
	http_hold_done(&server->holds);
	http_dictionaries_done(&server->dictionaries);
	http_clients_done(&server->clients);
	free(server);
}

struct mc_httpd_handshakes mc_httpd_handshakes(const struct mc_httpd *server)
{
	return (struct mc_httpd_handshakes){
		.full = atomic_load(&server->sessions.full),
		.resumed = atomic_load(&server->sessions.resumed),
		.queued = atomic_load(&server->handshakes.queued),
		.left = atomic_load(&server->handshakes.left),
	};
}

struct mc_httpd_dictionaries mc_httpd_dictionaries(const struct mc_httpd *server)
{
	return (struct mc_httpd_dictionaries){
		.used = atomic_load(&server->dictionaries.used),
		.missed = atomic_load(&server->dictionaries.missed),
	};
}

void mc_httpd_report(const struct mc_httpd *server, struct mc_batch *batch)
{
	mc_refusals_report(&server->refusals, batch);
}
