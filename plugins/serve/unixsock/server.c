/* SPDX-License-Identifier: MIT */
/* One thread serves all connections: epoll(7), level-triggered, so that every
 * client gets one chunk per round and none can keep the others waiting.
 *
 * All lines of a chunk are answered before anything is sent: their PUTVALs
 * become one batch, their replies one send().  A client that does not take its
 * replies is not read from until it does. */
#include "server.h"

#include <collector/control.h>
#include <collector/serve.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <collector/kit/alloc.h>

#define EVENTS_MAX 64
#define LINE_TIMEOUT (10 * MC_SECOND) /* From half a line to its end. */
#define SEND_TIMEOUT (30 * MC_SECOND) /* Without taking a byte of a reply. */
#define CHECK_INTERVAL MC_SECOND      /* Of these two. */
/* Before it makes way for another.  As long as this is nobody is let in, if as
 * many as may connect do so again and again. */
#define IDLE_MIN (10 * MC_MILLISECOND)

static const char too_many[] = "-1 Too many clients\n";
static const char evicted[] = "-1 Too many clients, and you were idle\n";
static const char too_slow[] = "-1 Line not finished in 10 seconds\n";
static const char too_long[] = "-1 Line too long\n";
static const char taps_full[] = "-1 Too many clients follow already\n";
static const char half_line[] = "-1 Line not finished\n";

/* --- Clients ------------------------------------------------------------- */

/* After an event: the list is in order of activity, and the loop has to wake
 * up by itself if the client can be late. */
static void touch(struct server *server, struct client *client)
{
	server->waiting = server->waiting || client_waited_for(client);
	if (client->node.active == server->now)
		mc_clients_use(&server->clients, &client->node);
}

static void stop_tap(struct server *server, struct client *client)
{
	if (client->tap == NULL)
		return;
	tap_close(&server->taps, client->tap);
	client->tap = NULL;
	if (tap_len(&server->taps) == 0)
		mc_subscribe(server->ctx, false);
}

static void close_client(struct server *server, struct client *client)
{
	stop_tap(server, client);
	mc_clients_close(&server->clients, &client->node);
	/* A program that is being started may still have the descriptor, and
	 * closing it here would not end its events. */
	epoll_ctl(server->epoll, EPOLL_CTL_DEL, client->fd, NULL);
	close(client->fd);
	client->fd = -1;
}

/* Says why, if the socket takes it, and closes. */
static void dismiss(struct server *server, struct client *client, const char *why)
{
	send(client->fd, why, strlen(why), MSG_NOSIGNAL | MSG_DONTWAIT);
	close_client(server, client);
}

static bool free_one(struct mc_client *node)
{
	struct client *client = (struct client *)node;

	if (client->waits) /* Its result will still come. */
		return false;
	client_free(client);
	return true;
}

/* Closes the client that has been idle longest, or for whose rest of a line the
 * server waits, but none that is at work or follows the stream. */
static bool evict_one(struct server *server)
{
	struct mc_client *node = server->clients.oldest;

	for (; node != NULL; node = node->newer) {
		struct client *c = (struct client *)node;

		if (client_sending(c) || c->waits || c->tap != NULL)
			continue;
		if (server->now - node->active < IDLE_MIN)
			return false;
		if (client_has_sent(c))
			continue;
		dismiss(server, c, evicted);
		return true;
	}
	return false;
}

/* --- Serving one client -------------------------------------------------- */

static void watch(struct server *server, struct client *client)
{
	uint32_t wanted = client->waits            ? 0
			  : client_sending(client) ? EPOLLOUT
			  : client->ended          ? 0
						   : EPOLLIN;
	struct epoll_event event = { .events = wanted, .data.ptr = client };

	if (wanted == client->watched)
		return;
	epoll_ctl(server->epoll, EPOLL_CTL_MOD, client->fd, &event);
	client->watched = wanted;
}

/* Answers one line.  What TAP asks for is done here, where clients are. */
static void serve_line(struct server *server, struct client *client, char *line, size_t size)
{
	size_t start = server->out.size;
	const char *glob;

	/* Whatever else is asked of it, it no longer follows the stream. */
	stop_tap(server, client);
	if (!command_line(&server->command, &server->out, line, size, &glob))
		return;
	if (tap_len(&server->taps) == TAPS_MAX) {
		server->out.size = start;
		reply_add(&server->out, taps_full, strlen(taps_full));
		return;
	}
	if (tap_len(&server->taps) == 0)
		mc_subscribe(server->ctx, true);
	client->tap = tap_open(&server->taps, glob);
}

/* Answers the lines in text[0..size) until replies must be sent first.
 * Returns how much was dealt with. */
static size_t serve_lines(struct server *server, struct client *client, char *text, size_t size)
{
	size_t done = 0;

	while (done < size && server->out.size < SERVER_OUT_MAX) {
		char *line = text + done;
		char *end = memchr(line, '\n', size - done);
		size_t line_size = end == NULL ? size - done : (size_t)(end - line);

		if (line_size > COMMAND_LINE_MAX && !client->skipping)
			reply_add(&server->out, too_long, strlen(too_long));
		if (line_size > COMMAND_LINE_MAX)
			client->skipping = true;
		if (end == NULL)
			return client->skipping ? size : done;
		if (!client->skipping)
			serve_line(server, client, line, line_size);
		client->skipping = false;
		done += line_size + 1;
	}
	return done;
}

/* Bytes that wait for clients to take them. */
static size_t unsent(const struct server *server)
{
	const struct mc_client *node = server->clients.oldest;
	size_t size = 0;

	for (; node != NULL; node = node->newer) {
		const struct client *client = (const struct client *)node;

		size += client->out.size - client->out_sent;
	}
	return size;
}

/* Sends the replies, or keeps them until it is known that what was put is safe,
 * and takes them back if it is not.  False if the client has been closed. */
static bool send_replies(struct server *server, struct client *client)
{
	bool safe;

	if (commits_wait(&server->command.commits, client, &safe)) {
		client->out = server->out;
		client->out_sent = 0;
		server->out = (struct reply){ 0 };
		return true;
	}
	if (!safe)
		command_take_back(&server->out);
	if (client_send(client, &server->out, server->now))
		return true;
	close_client(server, client);
	return false;
}

/* Deals with the 'size' bytes in server->chunk: answers, sends, keeps what is
 * left of them.  Goes on for as long as the client takes its replies. */
static void serve(struct server *server, struct client *client, size_t size)
{
	size_t done = 0, more;

	command_begin(&server->command, client);
	do {
		more = serve_lines(server, client, server->chunk + done, size - done);
		command_end(&server->command);
		done += more;
		if (!send_replies(server, client))
			return;
	} while (more > 0 && done < size && !client_sending(client) && !client->waits);
	/* Long lists for many who do not read: the last one goes. */
	if (client->out.size > SERVER_OUT_MAX && unsent(server) > SERVER_UNSENT_MAX) {
		close_client(server, client);
		return;
	}
	client_keep(client, server->chunk + done, size - done);
}

/* The peer has shut down its side; it may still wait for replies. */
static void serve_end(struct server *server, struct client *client)
{
	client->ended = true;
	if (client->kept_size > 0 || client->skipping) {
		reply_add(&server->out, half_line, strlen(half_line));
		client_keep(client, NULL, 0);
		client->skipping = false;
		if (!client_send(client, &server->out, server->now)) {
			close_client(server, client);
			return;
		}
	}
	if (!client_sending(client) && client->tap == NULL)
		close_client(server, client);
}

static void on_readable(struct server *server, struct client *client)
{
	size_t kept = client->kept_size;
	ssize_t n;

	n = recv(client->fd, server->chunk + kept, SERVER_CHUNK, MSG_DONTWAIT);
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n < 0) {
		close_client(server, client);
		return;
	}
	if (n == 0) {
		serve_end(server, client);
		return;
	}
	if (kept > 0)
		memcpy(server->chunk, client->kept, kept);
	/* A line that comes byte by byte is as late as its first byte. */
	if (kept == 0 || memchr(server->chunk + kept, '\n', (size_t)n) != NULL)
		client->node.active = server->now;
	serve(server, client, kept + (size_t)n);
}

/* Sends what taps have gathered, if everything before it has been sent. */
static void send_tap(struct server *server, struct client *client)
{
	if (client->fd < 0 || client->tap == NULL || client_sending(client))
		return;
	tap_take(&server->taps, client->tap, &server->out);
	if (!client_send(client, &server->out, server->now))
		close_client(server, client);
}

static void on_writable(struct server *server, struct client *client)
{
	size_t kept = client->kept_size;

	if (!client_send_rest(client, server->now)) {
		close_client(server, client);
		return;
	}
	if (client_sending(client))
		return;
	if (kept > 0) {
		memcpy(server->chunk, client->kept, kept);
		serve(server, client, kept);
	}
	send_tap(server, client);
	if (client->fd >= 0 && client->ended && !client_sending(client) && client->tap == NULL)
		close_client(server, client);
}

static void on_client(struct server *server, struct client *client, uint32_t events)
{
	if (client->fd < 0)
		return;
	/* If TAP has begun to send to it in this very round, it is not read. */
	if (events & EPOLLIN && !client_sending(client))
		on_readable(server, client);
	else if (events & EPOLLOUT)
		on_writable(server, client);
	else if (!(events & EPOLLIN)) /* EPOLLHUP, EPOLLERR */
		close_client(server, client);
	if (client->fd < 0)
		return;
	touch(server, client);
	watch(server, client);
}

/* It is known what became of what some have put. */
static void on_told(struct server *server, bool goes_on)
{
	struct commits *commits = &server->command.commits;
	struct client *client;
	bool safe;

	while ((client = commits_next(commits, &safe)) != NULL) {
		if (!safe)
			command_take_back(&client->out);
		if (client->fd >= 0 && goes_on)
			on_writable(server, client);
		else if (client->fd >= 0)
			client_send_rest(client, server->now);
		if (client->fd < 0)
			continue;
		touch(server, client);
		watch(server, client);
	}
}

/* --- New clients --------------------------------------------------------- */

static void add_client(void *argument, int fd)
{
	struct epoll_event event = { .events = EPOLLIN };
	struct server *server = argument;
	struct client *client;

	if ((int64_t)server->clients.len >= server->clients_max && !evict_one(server)) {
		send(fd, too_many, strlen(too_many), MSG_NOSIGNAL | MSG_DONTWAIT);
		close(fd);
		return;
	}
	client = client_new(fd, server->now);
	event.data.ptr = client;
	if (epoll_ctl(server->epoll, EPOLL_CTL_ADD, fd, &event) < 0) {
		client_free(client);
		return;
	}
	client->watched = EPOLLIN;
	mc_clients_add(&server->clients, &client->node);
}

static void watch_listener(struct server *server, bool on)
{
	struct epoll_event event = { .events = on ? EPOLLIN : 0, .data.ptr = &server->accept };

	epoll_ctl(server->epoll, EPOLL_CTL_MOD, server->accept.listener, &event);
}

/* Descriptors are short. */
static bool make_room(void *server)
{
	return evict_one(server);
}

static void on_connect(struct server *server)
{
	const struct mc_accept_calls calls = { add_client, make_room, server };

	if (!mc_accept_some(&server->accept, server->ctx, server->now, &calls))
		watch_listener(server, false);
}

/* --- The loop ------------------------------------------------------------ */

/* Closes who let us wait for too long.  Only while somebody is waited for does
 * the loop wake up by itself. */
static void check_deadlines(struct server *server)
{
	struct mc_client *node = server->clients.oldest, *next;

	if (!server->waiting || server->now < server->check_at)
		return;
	server->check_at = server->now + CHECK_INTERVAL;
	server->waiting = false;
	for (; node != NULL; node = next) {
		struct client *c = (struct client *)node;
		mc_time silent = server->now - node->active;

		next = node->newer;
		if (client_sending(c) && silent >= SEND_TIMEOUT)
			close_client(server, c);
		else if (!client_sending(c) && client_waited_for(c) && silent >= LINE_TIMEOUT)
			dismiss(server, c, too_slow);
		else if (client_waited_for(c))
			server->waiting = true;
	}
}

/* For epoll_wait(2). */
static int timeout_ms(const struct server *server)
{
	if (server->accept.paused)
		return (int)(MC_ACCEPT_PAUSE / MC_MILLISECOND);
	return server->waiting ? 1000 : -1;
}

static void on_tap(struct server *server)
{
	struct mc_client *node = server->clients.oldest, *next;
	uint64_t count;

	while (read(server->taps.wake, &count, sizeof(count)) < 0 && errno == EINTR)
		;
	for (; node != NULL; node = next) {
		struct client *c = (struct client *)node;

		next = node->newer;
		send_tap(server, c);
		if (c->fd < 0 || c->tap == NULL)
			continue;
		/* Its place in the list stays: those who follow the stream do
		 * not make way, and this loop walks the list. */
		server->waiting = server->waiting || client_waited_for(c);
		watch(server, c);
	}
}

static int add_event(struct server *server, int fd, void *mark)
{
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = mark };

	if (epoll_ctl(server->epoll, EPOLL_CTL_ADD, fd, &event) < 0)
		return mc_fail(server->ctx, errno, "cannot watch a socket");
	return 0;
}

int server_start(struct server *server, struct mc_ctx *ctx, int listener, int64_t clients_max)
{
	int status;

	*server = (struct server){ .ctx = ctx,
				   .accept = { .listener = listener, .asks = true },
				   .clients_max = clients_max };
	status = tap_init(&server->taps);
	if (status < 0)
		return mc_fail(ctx, -status, "cannot make an eventfd");
	/* Read is only when less than a line is kept: see watch(). */
	server->chunk = mc_alloc(SERVER_CHUNK + COMMAND_LINE_MAX);
	command_init(&server->command, ctx);
	status = commits_init(&server->command.commits);
	if (status < 0)
		return mc_fail(ctx, -status, "cannot make an eventfd");
	server->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (server->epoll < 0)
		return mc_fail(ctx, errno, "cannot make an epoll descriptor");
	status = add_event(server, listener, &server->accept);
	if (status == 0)
		status = add_event(server, server->taps.wake, &server->taps);
	if (status == 0)
		status = add_event(server, server->command.commits.wake, &server->command);
	return status;
}

/* Returns false when the instance must stop. */
static bool one_round(struct server *server, int timeout_ms)
{
	struct epoll_event events[EVENTS_MAX];
	int n = epoll_wait(server->epoll, events, EVENTS_MAX, timeout_ms);
	bool go_on = true;

	server->now = mc_now();
	for (int i = 0; i < n; i++) {
		void *mark = events[i].data.ptr;

		if (mark == server)
			go_on = false;
		else if (mark == &server->accept)
			on_connect(server);
		else if (mark == &server->command)
			on_told(server, true);
		else if (mark == &server->taps)
			on_tap(server);
		else
			on_client(server, mark, events[i].events);
	}
	return go_on;
}

int server_run(struct server *server)
{
	int status = add_event(server, mc_stop_fd(server->ctx), server);

	if (status < 0)
		return status;
	while (one_round(server, timeout_ms(server))) {
		if (mc_accept_resumes(&server->accept, server->now))
			watch_listener(server, true);
		check_deadlines(server);
		mc_clients_free_closed(&server->clients, free_one);
	}
	commits_cancel(&server->command.commits, server->ctx);
	on_told(server, false);
	while (server->clients.oldest != NULL)
		close_client(server, (struct client *)server->clients.oldest);
	mc_clients_free_closed(&server->clients, free_one);
	return 0;
}

void server_stop(struct server *server)
{
	if (server->epoll > 0)
		close(server->epoll);
	reply_done(&server->out);
	free(server->chunk);
	tap_done(&server->taps);
	commits_done(&server->command.commits);
}
