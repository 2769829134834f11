/* SPDX-License-Identifier: MIT */
#include "datagrams.h"

#include <errno.h>
#include <netdb.h>
#include <string.h>
#include <unistd.h>

#include <collector/kit/address.h>

#define DATAGRAM_SIZE 1428 /* As collectd: one frame of Ethernet. */
static const mc_time lookup_max = 10 * MC_SECOND;
static const mc_time short_pause = 20 * MC_MILLISECOND;

static void close_socket(struct datagrams *datagrams)
{
	if (datagrams->fd >= 0)
		close(datagrams->fd);
	datagrams->fd = -1;
}

static void wait_a_moment(struct datagrams *datagrams)
{
	mc_loop_set_timer(datagrams->loop, &datagrams->timer, datagrams->loop->now + short_pause);
}

/* --- The socket ----------------------------------------------------------- */

static void fail(struct datagrams *datagrams, const char *detail)
{
	mc_backoff_failed(&datagrams->backoff, datagrams->loop->now, 0);
	mc_loop_set_timer(datagrams->loop, &datagrams->timer, datagrams->backoff.until);
	datagrams->failed(datagrams, detail);
}

/* 0, or a negative errno. */
static int open_socket(struct datagrams *datagrams, const struct sockaddr_storage *address)
{
	int fd = socket(address->ss_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), error;

	if (fd < 0)
		return -errno;
	if (connect(fd, (const struct sockaddr *)address, mc_address_size(address)) != 0) {
		error = errno;
		close(fd);
		return -error;
	}
	datagrams->fd = fd;
	return 0;
}

/* As getaddrinfo(), but EAI_INPROGRESS where that would wait. */
static int find(struct datagrams *datagrams, struct mc_addresses *list)
{
	const char *host = datagrams->host, *port = datagrams->port;
	int rc;

	if (mc_lookup_runs(&datagrams->lookup))
		return mc_lookup_all(&datagrams->lookup, list);
	if (mc_address_find(host, port, SOCK_DGRAM, AI_NUMERICHOST, list) == 0)
		return 0;
	rc = mc_lookup_start(&datagrams->lookup, host, port, AF_UNSPEC, SOCK_DGRAM);
	datagrams->deadline = datagrams->loop->now + lookup_max;
	return rc == 0 ? EAI_INPROGRESS : rc;
}

static void begin(struct datagrams *datagrams)
{
	struct mc_addresses list;
	int rc = find(datagrams, &list);

	if (rc == EAI_INPROGRESS && datagrams->loop->now < datagrams->deadline) {
		wait_a_moment(datagrams);
		return;
	}
	mc_lookup_stop(&datagrams->lookup);
	if (rc != 0) {
		fail(datagrams, rc == EAI_INPROGRESS ? strerror(ETIMEDOUT) : gai_strerror(rc));
		return;
	}
	/* The next of several addresses, after each failure. */
	rc = -EADDRNOTAVAIL;
	for (unsigned i = 0; rc < 0 && i < list.len; i++)
		rc = open_socket(datagrams,
				 &list.items[(datagrams->backoff.failures + i) % list.len]);
	if (rc < 0) {
		fail(datagrams, strerror(-rc));
		return;
	}
	datagrams->opened_at = datagrams->loop->now;
	mc_backoff_done(&datagrams->backoff);
	datagrams->opened(datagrams);
}

/* --- Sending -------------------------------------------------------------- */

/* 0, or an errno. */
static int send_one(const struct datagrams *datagrams, const char *at, size_t size)
{
	ssize_t done;

	do
		done = send(datagrams->fd, at, size, MSG_NOSIGNAL);
	while (done < 0 && errno == EINTR);
	return done < 0 ? errno : 0;
}

static void send_all(struct datagrams *datagrams)
{
	struct backlog *backlog = datagrams->backlog;

	while (backlog_waiting(backlog) > 0) {
		const char *at = backlog->lines.at + backlog->given;
		size_t size = backlog_next(backlog, DATAGRAM_SIZE);
		int error = send_one(datagrams, at, size);

		/* The kernel has no room, of which poll(2) says nothing. */
		if (error == EAGAIN || error == ENOBUFS) {
			wait_a_moment(datagrams);
			break;
		}
		if (error == 0)
			backlog->sent += backlog_count(at, size);
		else
			backlog->dropped += backlog_count(at, size);
		backlog->given += size;
		if (error != 0)
			datagrams->lost(datagrams, error);
	}
	backlog_cut(backlog, backlog->given);
}

void datagrams_push(struct datagrams *datagrams)
{
	mc_time interval = datagrams->reconnect_interval;

	if (datagrams->fd >= 0 && interval > 0 && mc_now() >= datagrams->opened_at + interval)
		close_socket(datagrams);
	if (datagrams->fd >= 0)
		send_all(datagrams);
	else if (backlog_waiting(datagrams->backlog) > 0 &&
		 !mc_loop_timer_is_set(&datagrams->timer))
		mc_loop_set_timer(datagrams->loop, &datagrams->timer, datagrams->backoff.until);
}

/* --- Life ----------------------------------------------------------------- */

static void on_time(void *argument)
{
	struct datagrams *datagrams = argument;

	if (datagrams->fd < 0 && backlog_waiting(datagrams->backlog) > 0)
		begin(datagrams);
	if (datagrams->fd >= 0)
		send_all(datagrams);
}

void datagrams_init(struct datagrams *datagrams)
{
	datagrams->fd = -1;
	datagrams->timer = (struct mc_loop_timer){ .expired = on_time, .argument = datagrams };
}

void datagrams_done(struct datagrams *datagrams)
{
	mc_loop_unset_timer(datagrams->loop, &datagrams->timer);
	mc_lookup_stop(&datagrams->lookup);
	close_socket(datagrams);
}
