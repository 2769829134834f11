/* SPDX-License-Identifier: MIT */
#include "link.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <collector/kit/address.h>
#include <collector/kit/command.h>

enum { READ_SIZE = 16384, READS_MAX = 16 };

void link_init(struct link *link, struct mc_ctx *ctx, const struct node_settings *settings)
{
	link->ctx = ctx;
	link->settings = settings;
	mc_tls_stream_init(&link->stream, -1);
}

void link_done(struct link *link)
{
	link_close(link);
	mc_tls_free(link->tls);
	mc_buffer_free(&link->in);
	mc_buffer_free(&link->out);
}

static int fail(struct link *link, int errnum, const char *fmt, ...) MC_PRINTF(3, 4);
static int fail(struct link *link, int errnum, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(link->why, sizeof(link->why), fmt, args);
	va_end(args);
	return -errnum;
}

static const char *address_of(const struct link *link)
{
	return link->settings->address != NULL ? link->settings->address
					       : settings_host(link->settings->name);
}

static void watch(struct link *link, unsigned events)
{
	struct epoll_event event = { .events = events, .data = { .ptr = link->owner } };

	if (events == link->events || link->stream.fd < 0)
		return;
	epoll_ctl(link->epoll, link->events == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, link->stream.fd,
		  &event);
	link->events = events;
}

/* --- Connecting ------------------------------------------------------------
 */

static int connect_to(struct link *link, const struct sockaddr_storage *address)
{
	int fd = socket(address->ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return fail(link, errno, "cannot make a socket: %s", strerror(errno));
	mc_tls_stream_init(&link->stream, fd);
	link->state = LINK_CONNECTING;
	if (connect(fd, (const struct sockaddr *)address, mc_address_size(address)) != 0 &&
	    errno != EINPROGRESS)
		return fail(link, errno, "cannot connect: %s", strerror(errno));
	watch(link, EPOLLIN | EPOLLOUT);
	return 0;
}

static int end_lookup(struct link *link)
{
	struct mc_addresses found;
	int rc = mc_lookup_all(&link->lookup, &found);

	if (rc == EAI_INPROGRESS)
		return 0;
	if (rc != 0)
		return fail(link, EHOSTUNREACH, "cannot find '%.200s': %s", address_of(link),
			    gai_strerror(rc));
	return connect_to(link, &found.items[0]);
}

static int end_connect(struct link *link)
{
	socklen_t size = sizeof(int);
	int error = 0;

	if (getsockopt(link->stream.fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0)
		error = errno;
	if (error != 0)
		return fail(link, error, "cannot connect: %s", strerror(error));
	link->state = LINK_OPEN;
	watch(link, EPOLLIN);
	return 0;
}

/* --- A program -------------------------------------------------------------
 */

/* Whether there is a program, and it is not that of the time before. */
static bool has_program(const struct link *link)
{
	return link->state != LINK_CLOSED && link->state != LINK_ENDING;
}

static void take_output(void *argument, const struct mc_child_line *line)
{
	struct link *link = argument;

	if (line->fd != 1 || !has_program(link))
		return;
	mc_buffer_add(&link->in, line->text, line->size);
	mc_buffer_add(&link->in, "\n", 1);
}

static void take_end(void *argument, const struct mc_child_end *end)
{
	struct link *link = argument;

	link->child = NULL;
	if (!has_program(link))
		return;
	link->ended = true;
	if (end->errnum != 0)
		fail(link, end->errnum, "cannot run '%s'%s%s: %s", link->settings->command.items[0],
		     end->why[0] ? ", " : "", end->why, strerror(end->errnum));
	else
		fail(link, EPIPE, "'%s' has ended with status %d", link->settings->command.items[0],
		     end->signal != 0 ? 128 + end->signal : end->status);
}

static int run_command(struct link *link)
{
	const struct mc_strings *words = &link->settings->command;
	const char **argv = mc_alloc_array(words->len + 1, sizeof(*argv));
	const char **env = mc_command_env(link->ctx);
	char user[256], *colon;
	struct mc_program program = {
		.argv = argv,
		.env = env,
		.input_open = true,
		.line_max = LINK_LINE_MAX,
		.line = take_output,
		.ended = take_end,
		.argument = link,
	};
	int rc;

	memcpy(argv, words->items, words->len * sizeof(*argv));
	argv[words->len] = NULL;
	if (link->settings->user != NULL) {
		snprintf(user, sizeof(user), "%s", link->settings->user);
		colon = strchr(user, ':');
		if (colon != NULL)
			*colon = '\0';
		program.user = user;
		program.group = colon != NULL ? colon + 1 : NULL;
	}
	rc = mc_spawn(*link->spawner, &program, &link->child);
	free(argv);
	free(env);
	if (rc < 0)
		return fail(link, -rc, "cannot start '%.100s' by '%.100s': %s", words->items[0],
			    mc_spawner_helper(*link->spawner), strerror(-rc));
	link->state = LINK_OPEN;
	return 0;
}

int link_open(struct link *link)
{
	struct mc_addresses numeric;
	int rc;

	link->ended = false;
	link->why[0] = '\0';
	if (link->child != NULL) {
		link->state = LINK_ENDING;
		return 0;
	}
	if (link->settings->command.len > 0)
		return run_command(link);
	if (mc_address_find(address_of(link), link->settings->port, SOCK_STREAM, AI_NUMERICHOST,
			    &numeric) == 0)
		return connect_to(link, &numeric.items[0]);
	rc = mc_lookup_start(&link->lookup, address_of(link), link->settings->port, AF_UNSPEC,
			     SOCK_STREAM);
	if (rc != 0)
		return fail(link, EHOSTUNREACH, "cannot find '%.200s': %s", address_of(link),
			    gai_strerror(rc));
	link->state = LINK_LOOKUP;
	return 0;
}

/* --- Bytes -----------------------------------------------------------------
 */

static void forget_lines(struct link *link)
{
	if (link->in_used == 0)
		return;
	memmove(link->in.at, link->in.at + link->in_used, link->in.size - link->in_used);
	link->in.size -= link->in_used;
	link->in_used = 0;
}

static int receive(struct link *link)
{
	char bytes[READ_SIZE];

	forget_lines(link);
	for (int i = 0; i < READS_MAX && link->in.size <= LINK_LINE_MAX; i++) {
		ssize_t size = mc_tls_stream_recv(&link->stream, bytes, sizeof(bytes));

		if (size == -EAGAIN)
			return 0;
		/* Answers say themselves where they end. */
		if (size == 0 || size == -ECONNABORTED) {
			link->ended = true;
			watch(link, 0);
			return 0;
		}
		if (size < 0)
			return fail(link, (int)-size, "cannot receive: %s", strerror((int)-size));
		mc_buffer_add(&link->in, bytes, (size_t)size);
	}
	return 0;
}

static int send_rest(struct link *link)
{
	while (link->out_used < link->out.size) {
		ssize_t size = mc_tls_stream_send_line(&link->stream, link->out.at + link->out_used,
						       link->out.size - link->out_used);

		if (size == -EAGAIN) {
			watch(link, EPOLLIN | EPOLLOUT);
			return 0;
		}
		if (size < 0)
			return fail(link, (int)-size, "cannot send: %s", strerror((int)-size));
		link->out_used += (size_t)size;
	}
	mc_buffer_clear(&link->out);
	link->out_used = 0;
	watch(link, EPOLLIN);
	return 0;
}

int link_send(struct link *link, const char *text)
{
	if (link->child != NULL) {
		mc_child_write(link->child, text, strlen(text));
		return 0;
	}
	mc_buffer_add(&link->out, text, strlen(text));
	return link->state == LINK_OPEN && !link->ended ? send_rest(link) : 0;
}

char *link_line(struct link *link)
{
	char *line, *end;

	if (link->in_used == link->in.size)
		return NULL;
	line = link->in.at + link->in_used;
	end = memchr(line, '\n', link->in.size - link->in_used);
	if (end == NULL && link->ended)
		link->in_used = link->in.size; /* It was cut. */
	if (end == NULL)
		return NULL;
	*end = '\0';
	link->in_used += (size_t)(end - line) + 1;
	return line;
}

/* --- TLS -------------------------------------------------------------------
 */

static int make_tls(struct link *link)
{
	struct mc_tls_files files = {
		.certificate = link->settings->certificate,
		.key = link->settings->key,
		.ca = link->settings->ca,
		.verify = link->settings->verify_peer,
	};
	char why[MC_TLS_WHY];

	if (link->tls == NULL && !mc_tls_new(&files, &link->tls, why))
		return fail(link, EINVAL, "%s", why);
	return 0;
}

static int shake_hands(struct link *link)
{
	char why[MC_TLS_WHY];
	int rc = mc_tls_stream_handshake(&link->stream, why);

	if (rc == -EAGAIN) {
		watch(link, link->stream.wants_write ? EPOLLIN | EPOLLOUT : EPOLLIN);
		return 0;
	}
	if (rc < 0)
		return fail(link, -rc, "%s", why);
	link->state = LINK_OPEN;
	return send_rest(link);
}

int link_start_tls(struct link *link, bool as_server)
{
	struct mc_tls_start how = { .as_server = as_server };
	int rc = make_tls(link);

	if (rc < 0)
		return rc;
	if (as_server && !mc_tls_has_certificate(link->tls))
		return fail(link, EPROTO,
			    "the node has no key, and TLSCertificate and "
			    "TLSKey are not given");
	how.tls = link->tls;
	how.host = link->settings->verify_host ? settings_host(link->settings->name) : NULL;
	how.early = link->in.at + link->in_used;
	how.early_size = link->in.size - link->in_used;
	rc = mc_tls_stream_start(&link->stream, &how);
	mc_buffer_clear(&link->in);
	link->in_used = 0;
	if (rc < 0)
		return fail(link, -rc, "cannot begin TLS");
	link->state = LINK_HANDSHAKE;
	return shake_hands(link);
}

/* --- Work ------------------------------------------------------------------
 */

int link_work(struct link *link)
{
	int rc = 0;

	switch (link->state) {
	case LINK_CLOSED:
		return 0;
	case LINK_ENDING:
		return link->child != NULL ? 0 : run_command(link);
	case LINK_LOOKUP:
		return end_lookup(link);
	case LINK_CONNECTING:
		return end_connect(link);
	case LINK_HANDSHAKE:
		return shake_hands(link);
	case LINK_OPEN:
		break;
	}
	if (link->stream.fd < 0)
		forget_lines(link);
	else if (link->out_used < link->out.size)
		rc = send_rest(link);
	if (rc == 0 && link->stream.fd >= 0 && !link->ended)
		rc = receive(link);
	if (rc == 0 && link->in.size > LINK_LINE_MAX &&
	    memchr(link->in.at, '\n', link->in.size) == NULL)
		rc = fail(link, EMSGSIZE, "a line is longer than %d bytes", LINK_LINE_MAX);
	return rc;
}

void link_forget_program(struct link *link)
{
	link->child = NULL;
}

void link_rest(struct link *link)
{
	if (link->in_used == link->in.size) {
		mc_buffer_free(&link->in);
		link->in_used = 0;
	}
	if (link->out_used == link->out.size) {
		mc_buffer_free(&link->out);
		link->out_used = 0;
	}
}

void link_close(struct link *link)
{
	mc_lookup_stop(&link->lookup);
	if (link->child != NULL)
		mc_child_kill(link->child); /* take_end() comes later. */
	mc_tls_stream_close(&link->stream);
	link->events = 0;
	mc_buffer_free(&link->in);
	mc_buffer_free(&link->out);
	link->in_used = link->out_used = 0;
	link->state = LINK_CLOSED;
}
