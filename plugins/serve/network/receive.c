/* SPDX-License-Identifier: MIT */
/* A thread has its sockets in an epoll(7), level-triggered.  The datagrams of one call are one
 * batch: under load the work per batch is shared by many packets, and a packet that comes alone
 * waits for nothing. */
#include "receive.h"

#include <errno.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <collector/control.h>
#include <collector/serve.h>

#include "kit/net/datagrams.h"

#define EVENTS_MAX 16
#define CHECK_INTERVAL MC_SECOND /* Between two looks at drops. */

static void take_round(struct receive *receive, const struct mc_datagrams *round, int len,
		       struct take_origin *origin)
{
	struct mc_batch *batch = mc_begin(receive->ctx);
	uint64_t octets = 0;

	mc_set_origin(batch, receive->mark);
	for (int i = 0; i < len; i++) {
		struct mc_datagram datagram = mc_datagrams_get(round, i);

		origin->sender = datagram.sender;
		octets += datagram.size;
		if (datagram.cut)
			count_refuse(receive->count, receive->ctx, COUNT_OVERSIZED, origin->sender,
				     NULL);
		ingest_packet(receive->take, origin, batch, datagram.bytes, datagram.size);
	}
	receive->count->received_packets += (uint64_t)len;
	receive->count->received_octets += octets;
	mc_commit(batch);
}

static void check_drops(struct receive *receive, mc_time now)
{
	struct listen *listen = receive->listen;

	if (now - receive->checked < CHECK_INTERVAL)
		return;
	receive->checked = now;
	for (size_t i = 0; i < listen->len; i++) {
		uint32_t more = listen_dropped(&listen->sockets[i]);

		if (more > 0)
			count_overflow(receive->count, receive->ctx, more);
	}
}

static void receive_from(struct receive *receive, struct listen_socket *socket,
			 struct mc_datagrams *round)
{
	mc_time monotonic = mc_now();
	struct take_origin origin = { .level = socket->level,
				      .users = socket->users,
				      .now = mc_wall() };
	int len = mc_datagrams_receive(round, socket->fd);

	if (len <= 0)
		return;
	users_refresh(socket->users, monotonic);
	times_save(&receive->take->times, monotonic);
	take_round(receive, round, len, &origin);
	check_drops(receive, monotonic);
}

static void flush(struct receive *receive)
{
	uint64_t expirations;

	if (read(receive->timer, &expirations, sizeof(expirations)) > 0)
		mc_flush(receive->ctx, receive->ctx->name, 0, NULL);
}

/* An event's data: the socket; NULL for the timer; 'receive' for the end. */
static int watch(int epoll, int fd, void *data)
{
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = data };

	return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
}

static int watch_all(struct receive *receive, int epoll)
{
	struct listen *listen = receive->listen;
	int rc = watch(epoll, mc_stop_fd(receive->ctx), receive);

	if (receive->timer >= 0)
		rc |= watch(epoll, receive->timer, NULL);
	for (size_t i = 0; i < listen->len; i++)
		rc |= watch(epoll, listen->sockets[i].fd, &listen->sockets[i]);
	return rc;
}

/* One wait and what it brings; false: the end, or errno says why not. */
static bool serve(struct receive *receive, int epoll, struct mc_datagrams *round)
{
	struct epoll_event events[EVENTS_MAX];
	int len = epoll_wait(epoll, events, EVENTS_MAX, -1);

	if (len < 0)
		return errno == EINTR;
	for (int i = 0; i < len; i++) {
		void *data = events[i].data.ptr;

		if (data == receive) {
			errno = 0;
			return false;
		}
		if (data == NULL)
			flush(receive);
		else
			receive_from(receive, data, round);
	}
	return true;
}

static int receive_here(struct receive *receive)
{
	struct mc_datagrams *round = mc_datagrams_new(receive->packet_size);
	int epoll = epoll_create1(EPOLL_CLOEXEC), rc = 0;

	if (epoll < 0 || watch_all(receive, epoll) != 0)
		rc = mc_fail(receive->ctx, errno, "cannot receive");
	else
		while (serve(receive, epoll, round))
			;
	if (rc == 0 && errno != 0)
		rc = mc_fail(receive->ctx, errno, "cannot receive");
	if (epoll >= 0)
		close(epoll);
	mc_datagrams_free(round);
	return rc;
}

static void *receive_main(void *argument)
{
	receive_here(argument);
	return NULL;
}

int receive_run(struct receive *receive, unsigned len)
{
	unsigned started = 1;
	int rc = 0;

	for (; rc == 0 && started < len; started += rc == 0)
		rc = pthread_create(&receive[started].thread, NULL, receive_main,
				    &receive[started]);
	/* The sockets of a thread that is not there would fill up. */
	if (rc != 0)
		rc = mc_fail(receive->ctx, rc, "cannot make ReceiveThreads");
	else
		rc = receive_here(receive);
	for (unsigned i = 1; i < started; i++)
		pthread_join(receive[i].thread, NULL);
	return rc;
}
