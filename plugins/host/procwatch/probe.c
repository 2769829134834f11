/* SPDX-License-Identifier: MIT */
#include "probe.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include <collector/kit/address.h>
#include <collector/kit/alloc.h>

#define OUTPUT_MAX (1 << 20) /* Of one run of a program. */

static void take_line(void *argument, const struct mc_child_line *line);
static void take_end(void *argument, const struct mc_child_end *end);

/* --- Life ----------------------------------------------------------------- */

static bool is_to_be_asked(const struct daemon *daemon)
{
	return daemon->socket != NULL || daemon->host != NULL || daemon->command.argv.len > 0;
}

static void add(struct probes *probes, struct mc_ctx *ctx, struct watch *watch,
		struct daemon *daemon)
{
	struct probe *probe = &probes->items[probes->len++];
	struct mc_program *program = &probe->command.program;

	*probe = (struct probe){
		.ctx = ctx,
		.daemon = daemon,
		.watch = watch,
		.every = { .period = daemon->interval > 0 ? daemon->interval : ctx->interval },
		.fd = -1,
	};
	if (daemon->command.argv.len == 0)
		return;
	mc_command_init(&probe->command, ctx, &daemon->command, probes->env);
	program->time_max = daemon->timeout;
	program->output_max = OUTPUT_MAX;
	program->line = take_line;
	program->ended = take_end;
	program->argument = probe;
}

int probe_start(struct probes *probes, struct mc_ctx *ctx, struct watch *watch,
		const struct mc_blocks *daemons)
{
	struct daemon *daemon = daemons->items;
	bool runs_programs = false;

	probes->items = mc_alloc_array(daemons->len, sizeof(*probes->items));
	probes->env = mc_command_env(ctx);
	for (size_t i = 0; i < daemons->len; i++) {
		runs_programs = runs_programs || daemon[i].command.argv.len > 0;
		if (is_to_be_asked(&daemon[i]))
			add(probes, ctx, watch, &daemon[i]);
	}
	return runs_programs ? mc_spawner_new(NULL, &probes->spawner) : 0;
}

void probe_stop(struct probes *probes)
{
	mc_spawner_free(probes->spawner);
	for (size_t i = 0; i < probes->len; i++) {
		if (probes->items[i].fd >= 0)
			close(probes->items[i].fd);
		mc_command_done(&probes->items[i].command);
	}
	free(probes->env);
	free(probes->items);
	*probes = (struct probes){ 0 };
}

/* --- The end of one question ---------------------------------------------- */

static double seconds(mc_time time)
{
	return (double)time / (double)MC_SECOND;
}

static void answer(struct probe *probe, const char *fault)
{
	mc_time now = mc_now();

	if (probe->fd >= 0)
		close(probe->fd);
	probe->fd = -1;
	probe->is_asked = false;
	mc_every_done(&probe->every, now);
	watch_answer(probe->watch, probe->ctx, probe->daemon, fault, seconds(now - probe->begun));
}

/* --- A socket ------------------------------------------------------------- */

static void answer_socket(struct probe *probe, int errnum)
{
	const struct daemon *daemon = probe->daemon;
	char fault[512], text[200];

	if (errnum == 0) {
		answer(probe, NULL);
		return;
	}
	if (errnum == ETIMEDOUT)
		snprintf(text, sizeof(text), "not within %g s", seconds(daemon->timeout));
	else
		snprintf(text, sizeof(text), "%s", strerror(errnum));
	snprintf(fault, sizeof(fault), "%s '%s%s%s': %s",
		 probe->has_sent ? "no answer from" : "cannot connect to",
		 daemon->socket != NULL ? "unix:" : daemon->host, daemon->socket != NULL ? "" : ":",
		 daemon->socket != NULL ? daemon->socket : daemon->port, text);
	answer(probe, fault);
}

/* The address of the daemon's socket, or -errno.  Host is a number: nothing is
 * looked up, which might take long. */
static int find_address(const struct daemon *daemon, struct sockaddr_storage *address,
			socklen_t *size)
{
	struct mc_addresses found;

	if (daemon->socket != NULL) {
		struct sockaddr_un *local = (struct sockaddr_un *)address;

		if (strlen(daemon->socket) >= sizeof(local->sun_path))
			return -ENAMETOOLONG;
		*local = (struct sockaddr_un){ .sun_family = AF_UNIX };
		memcpy(local->sun_path, daemon->socket, strlen(daemon->socket) + 1);
		*size = sizeof(*local);
		return 0;
	}
	if (mc_address_find(daemon->host, daemon->port, SOCK_STREAM, AI_NUMERICHOST, &found) != 0)
		return -EADDRNOTAVAIL;
	*address = found.items[0];
	*size = mc_address_size(address);
	return 0;
}

/* It is connected: with Send, the daemon must say something, too. */
static void converse(struct probe *probe)
{
	const char *line = probe->daemon->send;
	struct iovec parts[] = { { (char *)line, line ? strlen(line) : 0 }, { (char *)"\n", 1 } };
	const struct msghdr message = { .msg_iov = parts, .msg_iovlen = 2 };

	if (line == NULL)
		answer_socket(probe, 0);
	else if (sendmsg(probe->fd, &message, MSG_NOSIGNAL) < 0)
		answer_socket(probe, errno);
	else
		probe->has_sent = true;
}

static void go_on(struct probe *probe, short events)
{
	int errnum = 0;
	socklen_t size = sizeof(errnum);
	char byte;

	if (events == 0)
		return;
	if (probe->has_sent) {
		ssize_t taken = recv(probe->fd, &byte, 1, MSG_DONTWAIT);

		answer_socket(probe, taken > 0 ? 0 : taken == 0 ? ECONNRESET : errno);
		return;
	}
	if (getsockopt(probe->fd, SOL_SOCKET, SO_ERROR, &errnum, &size) != 0)
		errnum = errno;
	if (errnum == 0)
		converse(probe);
	else
		answer_socket(probe, errnum);
}

/* A full queue of connections is EAGAIN with a unix socket: the daemon does not
 * accept. */
static void connect_to(struct probe *probe)
{
	struct sockaddr_storage address;
	socklen_t size = 0;
	int rc = find_address(probe->daemon, &address, &size);

	if (rc == 0) {
		probe->fd =
			socket(address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
		if (probe->fd < 0 || connect(probe->fd, (struct sockaddr *)&address, size) != 0)
			rc = -errno;
	}
	if (rc == 0)
		converse(probe);
	else if (rc != -EINPROGRESS)
		answer_socket(probe, -rc);
}

/* --- A program ------------------------------------------------------------ */

static void take_line(void *argument, const struct mc_child_line *line)
{
	struct probe *probe = argument;

	if (probe->output[0] == '\0')
		snprintf(probe->output, sizeof(probe->output), "%s", line->text);
}

static void take_end(void *argument, const struct mc_child_end *end)
{
	struct probe *probe = argument;
	const char *name = probe->command.name;
	char fault[600];

	if (end->errnum != 0)
		snprintf(fault, sizeof(fault), "'%s' is not run: %s: %s", name, end->why,
			 strerror(end->errnum));
	else if (end->timed_out)
		snprintf(fault, sizeof(fault), "'%s' did not end within %g s", name,
			 seconds(probe->daemon->timeout));
	else if (end->signal != 0)
		snprintf(fault, sizeof(fault), "'%s' was ended by signal %d", name, end->signal);
	else
		snprintf(fault, sizeof(fault), "'%s' ended with exit status %d: %s", name,
			 end->status, probe->output);
	if (end->errnum == 0 && !end->timed_out && end->signal == 0 && end->status == 0)
		answer(probe, NULL);
	else
		answer(probe, fault);
}

static void run_command(struct probe *probe, struct mc_spawner *spawner)
{
	char fault[300];
	int rc;

	probe->output[0] = '\0';
	rc = mc_spawn(spawner, &probe->command.program, NULL);
	if (rc < 0) {
		snprintf(fault, sizeof(fault), "cannot start '%.100s' by '%.100s': %s",
			 probe->command.name, mc_spawner_helper(spawner), strerror(-rc));
		answer(probe, fault);
	}
}

/* --- When ----------------------------------------------------------------- */

mc_time probe_due(const struct probes *probes)
{
	mc_time due = INT64_MAX;

	if (probes->spawner != NULL)
		due = mc_spawner_due(probes->spawner);
	for (size_t i = 0; i < probes->len; i++) {
		const struct probe *probe = &probes->items[i];
		mc_time next = probe->every.next;

		if (probe->is_asked)
			next = probe->fd >= 0 ? probe->begun + probe->daemon->timeout : INT64_MAX;
		if (next < due)
			due = next;
	}
	return due;
}

size_t probe_prepare(const struct probes *probes, struct pollfd *fds)
{
	for (size_t i = 0; i < probes->len; i++)
		fds[i] = (struct pollfd){ .fd = probes->items[i].fd,
					  .events = probes->items[i].has_sent ? POLLIN : POLLOUT };
	fds[probes->len] = (struct pollfd){
		.fd = probes->spawner != NULL ? mc_spawner_fd(probes->spawner) : -1,
		.events = POLLIN,
	};
	return probes->len + 1;
}

/* One that does not run is not asked. */
static void begin(struct probes *probes, struct probe *probe, mc_time now)
{
	if (watch_status(probe->watch, probe->daemon).state != DAEMON_RUNS) {
		mc_every_done(&probe->every, now);
		return;
	}
	probe->is_asked = true;
	probe->has_sent = false;
	probe->begun = now;
	if (probe->daemon->command.argv.len > 0)
		run_command(probe, probes->spawner);
	else
		connect_to(probe);
}

void probe_work(struct probes *probes, const struct pollfd *fds, size_t fds_len)
{
	mc_time now = mc_now();

	for (size_t i = 0; i < probes->len && i < fds_len; i++)
		if (probes->items[i].fd >= 0)
			go_on(&probes->items[i], fds[i].revents);
	if (probes->spawner != NULL)
		mc_spawner_work(probes->spawner);
	for (size_t i = 0; i < probes->len; i++) {
		struct probe *probe = &probes->items[i];

		if (probe->is_asked && probe->fd >= 0 &&
		    now >= probe->begun + probe->daemon->timeout)
			answer_socket(probe, ETIMEDOUT);
		if (!probe->is_asked && mc_every_due(&probe->every, now))
			begin(probes, probe, now);
	}
}
